//! Search for graphs with a given order and degree and a small mean distance.

use criterion::Criterion;
use lockstep_topology::order_degree;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("order/degree, 6 rounds");
    for (order, degree) in [(16, 4), (64, 4), (256, 5), (1024, 8)] {
        group.bench_function(format!("{order} nodes of degree {degree}"), |bencher| {
            bencher.iter(|| order_degree(order, degree, 1, 6).expect("the graph exists"));
        });
    }
    group.finish();
    criterion.final_summary();
}
