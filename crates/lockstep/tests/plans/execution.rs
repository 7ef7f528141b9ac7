//! Reductions, executed on numbers.

use lockstep::schedule::Schedule;
use lockstep::schedule::strategy::any_model;
use lockstep::topology::strategy::any_topology;
use lockstep::{Budget, Collective, PlanOptions, Planner, Problem};
use proptest::prelude::*;

/// A sum of contributions, and the terminals that have contributed to it, one bit per rank.
#[derive(Clone, Copy)]
struct Sum {
    value: u64,
    contributors: u64,
}

/// Executes an all-reduce on `numbers`, one per terminal and message. Returns the numbers at the end.
///
/// A sum that contains what its receiver held before the step replaces it. Other sums are added.
fn executed(problem: &Problem<'_>, schedule: &Schedule, numbers: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let topology = problem.topology();
    let own = |(rank, row): (usize, &Vec<u64>)| -> Vec<Sum> {
        row.iter().map(|&value| Sum { value, contributors: 1 << rank }).collect()
    };
    let mut held: Vec<Vec<Sum>> = numbers.iter().enumerate().map(own).collect();
    for (_, step) in schedule.steps() {
        // A transfer carries the sum at the beginning of the step.
        let before = held.clone();
        let arrivals = step.iter().map(|transfer| {
            let ends = [topology.tail(transfer.path[0]), topology.head(transfer.path[transfer.path.len() - 1])];
            let [from, to] = ends.map(|node| topology.terminal_rank(node).unwrap());
            (transfer.message.index(), to, before[from][transfer.message.index()])
        });
        let contains = |sum: &Sum, message: usize, to: usize| {
            sum.contributors & before[to][message].contributors == before[to][message].contributors
        };
        let (replacing, added): (Vec<_>, Vec<_>) =
            arrivals.partition(|(message, to, sum)| contains(sum, *message, *to));
        for (message, to, sum) in replacing {
            held[to][message] = sum;
        }
        for (message, to, sum) in added {
            let total = &mut held[to][message];
            assert_eq!(total.contributors & sum.contributors, 0, "a contribution is added twice");
            total.contributors |= sum.contributors;
            total.value = total.value.wrapping_add(sum.value);
        }
    }
    held.iter().map(|row| row.iter().map(|sum| sum.value).collect()).collect()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    /// Every terminal ends with the sum of all numbers, each counted once.
    #[test]
    fn sums_are_right(topology in any_topology(6), model in any_model(), seed: u64, chunks in 1u32..3) {
        let collective = Collective::all_reduce().with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let plan = Planner::new(problem, PlanOptions::auto(seed)).run(&Budget::evaluations(1 << 8), |_| {}).unwrap();
        let mut state = seed;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        let count = problem.messages().len();
        let numbers: Vec<Vec<u64>> =
            topology.terminals().iter().map(|_| (0..count).map(|_| number()).collect()).collect();
        let sums: Vec<u64> = (0..count).map(|message| numbers.iter().map(|row| row[message]).sum()).collect();
        for row in executed(&problem, plan.schedule(), &numbers) {
            prop_assert_eq!(&row, &sums);
        }
    }
}
