//! Times the fit of 512 GPUs: all pairs of 64 servers of 8 GPUs, with noise of 3 % and degraded links.
//!
//! Run it with `cargo run --release -p lockstep-measure --example large_fit`.

#![allow(clippy::print_stdout, reason = "the example prints a time")]

mod machine;

use std::time::Instant;

use lockstep_measure::{FitOptions, fit};

fn main() {
    let (network, file) = (machine::network(), machine::all_pairs());
    let values = file.reading.runs[0].samples.len();
    let start = Instant::now();
    let fit =
        fit(&network, &[file], &FitOptions { kind: None, ranks: Vec::new() }).expect("the devices are the terminals");
    let seconds = start.elapsed().as_secs_f64();
    println!("{values} values, {} slow links, {seconds:.2} s", fit.kinds[0].slow.len());
}
