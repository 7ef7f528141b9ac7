//! Measures random machines with known bandwidths, noise of 3 % and degraded links, and prints how much of the truth the fits find.
//!
//! `cargo run --example synthetic_machines -p lockstep-measure -- 400 1000` draws 400 machines per family, from seed 1000 on. Machines with a
//! missed or an invented link, or an error above 2 %, have a line of their own.

#![allow(clippy::print_stdout, reason = "the example prints a table")]
#![allow(dead_code, reason = "the tests use other parts of the module")]

#[path = "../tests/measure/fit/machines.rs"]
mod machines;

use machines::{Conditions, FAMILIES, HEAD, Machine, Score};

/// Machines per family, without an argument.
const MACHINES: u64 = 20;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse().expect("a number of machines, and a seed"));
    let (machines, first) = (numbers.next().unwrap_or(MACHINES), numbers.next().unwrap_or(0));
    let conditions = Conditions { noise: 300, degraded: 5 };
    println!("{HEAD}");
    for (family, name) in FAMILIES.iter().enumerate() {
        let mut sum = Score::default();
        for seed in first..first + machines {
            let machine = Machine::draw(family, seed, conditions);
            let (fit, measurement) = machine.study(seed, conditions);
            let score = Score::new(&machine, &measurement, &fit);
            if score.worst > 0.02 || score.missed + score.invented > 0 {
                println!("{name}, seed {seed}: {score:?}");
            }
            sum = sum.and(score);
        }
        println!("{}", sum.row(name, machines));
    }
}
