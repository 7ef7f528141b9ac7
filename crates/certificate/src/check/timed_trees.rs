//! Lengths of trees of transfers in the time-expanded network, summed over all messages.

use std::collections::BTreeMap;

use lockstep_schedule::Problem;

use super::lengths::OVERFLOW;
use super::refusal::Checked;
use super::timed_lengths::TimedLengths;
use super::transfers::{NONE, relayed_messages, transfers};
use super::trees::{entries_of_network, expect_few_entries};

/// The largest number of targets of a tree: the trees to all sets of them are computed.
const MAX_TARGETS: usize = 8;

/// `lists` has the lengths of the resources, the send ports and the receive ports, step by step.
pub(super) fn steps_proved(
    problem: &Problem<'_>,
    infeasible: u32,
    lists: [&[u32]; 3],
    claimed: [u64; 2],
) -> Checked<u64> {
    let lengths = TimedLengths::new(problem, infeasible, lists)?;
    let available = lengths.available(problem)?;
    let (terminals, messages) = (problem.topology().terminal_count(), relayed_messages(problem)?);
    let mut by_ends: BTreeMap<Vec<usize>, Vec<(usize, u64)>> = BTreeMap::new();
    for ((source, receivers), count) in messages {
        let mut ends = [receivers, vec![source]].concat();
        ends.sort_unstable();
        by_ends.entry(ends).or_default().push((source, count));
    }
    expect_few_entries(entries(problem, lengths.steps, by_ends.keys()))?;
    let transfers: Vec<_> = (0..lengths.steps).map(|step| transfers(problem, &lengths.of_step(step))).collect();
    let mut sum: u128 = 0;
    for (ends, sources) in by_ends {
        let at_end = at_end(terminals, &ends);
        let at_start = transfers.iter().rev().fold(at_end, |after, step| one_step_before(step, &after));
        for (source, count) in sources {
            // A tree to all ends is a tree to all receivers, because the source is its root.
            let length = at_start[at_start.len() - 1][source].min(u128::from(available) + 1);
            sum = length.checked_mul(count.into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
        }
    }
    lengths.steps_proved(claimed, [sum, available.into()], "the trees of all messages are not too long")
}

/// Returns the number of entries of the tables for trees to all sets of these targets, which [`one_step_before`] computes, and
/// of the transfers in all steps.
pub(super) fn entries<'a>(problem: &Problem<'_>, steps: usize, targets: impl Iterator<Item = &'a Vec<usize>>) -> u128 {
    let terminals = problem.topology().terminal_count() as u128;
    let of_targets = |targets: &Vec<usize>| match targets.len() {
        few @ 0..=MAX_TARGETS => terminals * ((1 << (2 * few)) + (terminals << few)),
        _ => u128::MAX,
    };
    let of_tables = targets.map(of_targets).fold(0, u128::saturating_add);
    of_tables.saturating_add(entries_of_network(problem.topology())).saturating_mul(steps as u128)
}

/// Returns the smallest lengths of transfers from each terminal to each set of targets after the last step, by set and
/// terminal. Sets are numbers with one bit per target.
pub(super) fn at_end(terminals: usize, targets: &[usize]) -> Vec<Vec<u128>> {
    let is_within = |set: usize, terminal: usize| set & !alone(targets, terminal) == 0;
    let of_set = |set| (0..terminals).map(|terminal| if is_within(set, terminal) { 0 } else { NONE }).collect();
    (0..1 << targets.len()).map(of_set).collect()
}

/// Returns the smallest lengths before a step with these transfers from those after it.
pub(super) fn one_step_before(transfer: &[Vec<u128>], after: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let mut before: Vec<Vec<u128>> = Vec::with_capacity(after.len());
    for set in 0..after.len() {
        let own = transfer.iter().enumerate().map(|(terminal, transfer)| {
            let ends = transfer.iter().zip(&after[set]).map(|(transfer, rest)| transfer + rest);
            let waits_or_sends = ends.fold(after[set][terminal], u128::min);
            let parts = (1..set).filter(|part| part & set == *part);
            let both = parts.map(|part| before[part][terminal] + before[set ^ part][terminal]);
            both.fold(waits_or_sends, u128::min)
        });
        let own = own.collect();
        before.push(own);
    }
    before
}

/// Returns the set of a terminal, which is empty if it is no target.
fn alone(targets: &[usize], terminal: usize) -> usize {
    targets.iter().position(|&target| target == terminal).map_or(0, |place| 1 << place)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;

    use super::entries;

    #[test]
    fn the_work_of_timed_trees_is_counted() {
        let triangle: Topology = "complete:3".parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&triangle, &all_gather, CommunicationModel::store_and_forward()).unwrap();
        // By set of two targets and terminal: 3 (16 + 12), and 54 for the network.
        assert_eq!(entries(&problem, 2, [vec![0, 1]].iter()), 2 * (84 + 54));
        assert_eq!(entries(&problem, 2, [vec![0; 8]].iter()), 2 * (3 * ((1 << 16) + (3 << 8)) + 54));
        assert_eq!(entries(&problem, 2, [vec![0; 9]].iter()), u128::MAX);
    }
}
