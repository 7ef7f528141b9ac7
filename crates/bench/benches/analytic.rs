//! Constructions without search, on the networks of published tables and on large networks.

use criterion::Criterion;
use lockstep_analytic::{StreamedBroadcast, SubgroupChainBroadcast, symmetric};
use lockstep_bench::{ProblemInstance, constructed};
use lockstep_schedule::{
    BroadcastVerifier, Budget, CollectiveName, CommunicationModel, SymmetricSchedule, verify, verify_symmetric,
};
use lockstep_topology::CayleyGraph;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let (wormhole, store) = (CommunicationModel::wormhole(), CommunicationModel::store_and_forward());

    let mut group = criterion.benchmark_group("construct and verify");
    let cases = [
        ("full-b-tree:63", "aas", wormhole),
        ("fat-tree:2,5", "aas", wormhole),
        ("clos:4,4,4", "aas", wormhole),
        ("omega:1024", "aas", wormhole),
        ("hypercube:12", "aab", store),
        ("hypercube:10", "aas", store),
        ("torus:32x32", "aab", store),
        ("torus:16x16", "aas", store),
        ("torus:16x16", "oab", wormhole),
    ];
    for (spec, collective, model) in cases {
        let instance = ProblemInstance::new(spec, collective, model);
        let problem = instance.problem();
        group.bench_function(format!("{spec} {collective}"), |bencher| {
            bencher.iter(|| verify(&problem, &constructed(&problem)).expect("a valid schedule"));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("symmetric, construct and verify");
    let cases = [
        ("hypercube:20", CollectiveName::AllGather),
        ("torus:64x64", CollectiveName::AllGather),
        ("torus:64x64", CollectiveName::AllToAll),
    ];
    for (spec, collective) in cases {
        let graph: CayleyGraph = spec.parse().expect("a valid spec");
        group.bench_function(format!("{spec} {collective}"), |bencher| {
            bencher.iter(|| {
                let (_, base) = symmetric(&graph, collective, store, &Budget::unlimited()).expect("known structure");
                let schedule = SymmetricSchedule::new(graph.clone(), collective, base);
                verify_symmetric(&schedule, store).expect("a valid schedule")
            });
        });
    }
    group.finish();

    criterion.bench_function("torus:3125x3125 oab, streamed and verified", |bencher| {
        bencher.iter(|| {
            let tiling = SubgroupChainBroadcast::torus(2, 3125).expect("3125 = 5^5");
            let mut verifier =
                BroadcastVerifier::new(tiling.graph(), 0, wormhole).expect("9.8 million nodes are supported");
            tiling.replay(0, &mut verifier);
            verifier.finish().expect("a valid broadcast")
        });
    });
    criterion.final_summary();
}
