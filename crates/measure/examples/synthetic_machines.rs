//! Fits random machines with known bandwidths, noise of 3 % and degraded links, and prints how much of the truth it finds.

#![allow(clippy::print_stdout, reason = "the example prints a table")]
#![allow(dead_code, reason = "the tests use other parts of the module")]

#[path = "../tests/measure/fit/machines.rs"]
mod machines;

use machines::{Conditions, FAMILIES, HEAD, Machine, Score, fitted};

/// Machines per family.
const MACHINES: u64 = 20;

fn main() {
    let conditions = Conditions { noise: 300, degraded: 5 };
    println!("{HEAD}");
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut sum = Score::default();
        for seed in 0..MACHINES {
            let machine = Machine::draw(family, seed, conditions);
            let measurement = machine.measure(&machine.pairs(), seed, conditions);
            let fit = fitted(&machine.topology, measurement.samples);
            sum = sum.and(Score::new(&machine, &measurement.visible, &fit));
        }
        println!("{}", sum.row(name, MACHINES));
    }
}
