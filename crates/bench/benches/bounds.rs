//! All lower bounds of a problem, and the check of the best certificate.

use criterion::Criterion;
use lockstep_bounds::{all, best};
use lockstep_schedule::{Collective, CommunicationModel, Problem};
use lockstep_topology::Topology;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for spec in ["torus:32x32", "full-b-tree:63"] {
        let topology: Topology = spec.parse().expect("a valid spec");
        let exchange = Collective::all_to_all();
        let problem = Problem::new(&topology, &exchange, CommunicationModel::wormhole()).expect("a valid problem");
        let bound = best(&problem);
        let mut group = criterion.benchmark_group(format!("{spec} aas"));
        group.bench_function("all bounds", |bencher| bencher.iter(|| all(&problem)));
        group.bench_function("check of the best", |bencher| {
            bencher.iter(|| bound.check(&problem).expect("a valid certificate"));
        });
        group.finish();
    }
    criterion.final_summary();
}
