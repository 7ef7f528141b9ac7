//! The same seed gives the same result on any number of threads.

use lockstep_evolve::{Umda, UmdaOptions};
use lockstep_schedule::{Budget, NotFound, Schedule};

use crate::problem::Cell;

/// The result, the evaluations it took and the best individual's conflicts.
fn run(
    cell: &Cell,
    steps: u32,
    options: UmdaOptions,
    threads: usize,
) -> (Result<Schedule, NotFound>, u64, Option<u64>) {
    let paths = cell.paths();
    let space = cell.space(&paths, steps);
    let mut umda = Umda::new(&space, options);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let result = pool.install(|| umda.run(&Budget::evaluations(5000), |_| {}));
    (result, umda.evaluations(), umda.best_conflicts())
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let cells = [("omega:8", "aab", 7), ("b-tree:8", "aas", 16), ("clos:3,3,4", "aab", 11)];
    for (network, collective, steps) in cells {
        let cell = Cell::new(network, collective);
        for options in [UmdaOptions::directed(7), UmdaOptions::published(7)] {
            let alone = run(&cell, steps, options, 1);
            assert_eq!(run(&cell, steps, options, 2), alone, "{network} {collective}");
            assert_eq!(run(&cell, steps, options, 4), alone, "{network} {collective}");
        }
    }
}

#[test]
fn another_seed_is_another_search() {
    let cell = Cell::new("b-tree:8", "aas");
    let [first, second] = [1, 2].map(|seed| run(&cell, 16, UmdaOptions::directed(seed), 2));
    assert_ne!(first, second);
}
