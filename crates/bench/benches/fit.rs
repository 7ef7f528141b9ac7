//! The fit of 512 GPUs to the rates of all pairs.

use criterion::Criterion;
use lockstep_measure::{FitOptions, fit};

#[path = "../../measure/examples/large_fit/machine.rs"]
mod machine;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let (network, files) = (machine::network(), [machine::all_pairs()]);
    let options = FitOptions { kind: None, ranks: Vec::new() };
    criterion.bench_function("fit of 512 GPUs", |bencher| bencher.iter(|| fit(&network, &files, &options)));
    criterion.final_summary();
}
