//! Reductions, executed on numbers.

use lockstep::schedule::Schedule;
use lockstep::schedule::strategy::any_model;
use lockstep::topology::strategy::any_topology;
use lockstep::{Budget, Collective, PlanOptions, Planner, Problem};
use proptest::prelude::*;

/// Executes an all-reduce on `numbers`, one per terminal and message. Returns the numbers at the end.
///
/// Parts are added until a message is complete at its source. A complete message is copied.
fn executed(problem: &Problem<'_>, schedule: &Schedule, numbers: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let mut values = numbers.to_vec();
    // Number of parts still missing in each message.
    let mut missing = vec![topology.terminal_count() - 1; messages.len()];
    for (_, step) in schedule.steps() {
        // A transfer carries the value at the beginning of the step.
        let sent: Vec<(usize, usize, u64)> = step
            .iter()
            .map(|transfer| {
                let ends = [topology.tail(transfer.path[0]), topology.head(transfer.path[transfer.path.len() - 1])];
                let [from, to] = ends.map(|node| topology.terminal_rank(node).unwrap());
                (transfer.message.index(), to, values[from][transfer.message.index()])
            })
            .collect();
        let is_summed: Vec<bool> = missing.iter().map(|&parts| parts == 0).collect();
        for (message, to, value) in sent {
            if is_summed[message] {
                values[to][message] = value;
            } else {
                values[to][message] = values[to][message].wrapping_add(value);
                missing[message] -= 1;
            }
        }
    }
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every terminal ends with the sum of all numbers, each counted once.
    #[test]
    fn sums_are_right(topology in any_topology(8), model in any_model(), seed: u64, chunks in 1u32..3) {
        let collective = Collective::all_reduce().with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let plan = Planner::new(problem, PlanOptions::auto(seed)).run(&Budget::evaluations(1 << 10), |_| {}).unwrap();
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
