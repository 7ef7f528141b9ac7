//! The general engine with the lower bound as its goal: all-gather, relayed and direct all-to-all, broadcast.

use criterion::{BenchmarkId, Criterion};
use lockstep_bench::ProblemInstance;
use lockstep_bounds::best;
use lockstep_construct::shortest;
use lockstep_schedule::{Budget, CommunicationModel};

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let (packets, wormhole) = (CommunicationModel::store_and_forward(), CommunicationModel::wormhole());
    let cases = [
        ("torus:16x16", "aab", packets),
        ("random-regular:64,4,1", "aab", packets),
        ("torus:8x8", "aas", packets),
        ("kautz:3,2", "aas", wormhole),
        ("torus:3x3x3", "aas", wormhole),
        ("full-b-tree:63", "aas", wormhole),
        ("random-regular:1000,4,1", "oab", wormhole),
    ];
    let mut group = criterion.benchmark_group("construct");
    for (spec, collective, model) in cases {
        let instance = ProblemInstance::new(spec, collective, model);
        let problem = instance.problem();
        let (goal, budget) = (best(&problem).steps, Budget::seconds(60));
        group.bench_function(BenchmarkId::new(collective, spec), |bencher| {
            bencher.iter(|| shortest(&problem, goal, 1, &budget, |_, _, _| {}).expect("a schedule exists"));
        });
    }
    group.finish();
    criterion.final_summary();
}
