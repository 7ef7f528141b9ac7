//! Distances and numbers of shortest paths between all pairs of terminals.

use criterion::Criterion;
use lockstep_paths::ShortestPaths;
use lockstep_topology::Topology;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let mut group = criterion.benchmark_group("all pairs");
    for spec in ["torus:32x32", "full-b-tree:63"] {
        let topology: Topology = spec.parse().expect("a valid spec");
        group.bench_function(spec, |bencher| {
            bencher.iter(|| ShortestPaths::all_pairs(&topology).expect("the number of terminals is small"));
        });
    }
    group.finish();
    criterion.final_summary();
}
