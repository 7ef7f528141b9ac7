//! Lengths of gossips, summed over all messages of an all-reduce.

use std::collections::BTreeMap;

use lockstep_schedule::Problem;

use super::lengths::{Lengths, OVERFLOW};
use super::messages::unsplit;
use super::refusal::Checked;
use super::transfers::{NONE, transfers};
use super::trees::{MAX_EXACT, Trees, entries_of_network, entries_of_tree, expect_few_entries};

pub(super) fn steps_proved(problem: &Problem<'_>, lengths: &Lengths<'_>, claimed: [u64; 2]) -> Checked<u64> {
    lengths.steps_proved(problem, claimed, || total_length(problem, lengths))
}

/// Returns the sum of the smallest lengths of gossips over all messages.
fn total_length(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Checked<u64> {
    let topology = problem.topology();
    let (terminals, of_network) = (topology.terminal_count(), entries_of_network(topology));
    expect_few_entries(of_network)?;
    let alike = members(problem)?;
    let of_trees = alike.keys().map(|members| terminals as u128 * entries_of_tree(terminals, members.len()));
    expect_few_entries(of_network + of_trees.sum::<u128>())?;
    let transfer = transfers(problem, lengths);
    let into: Vec<u128> =
        (0..terminals).map(|end| transfer.iter().map(|ends| ends[end]).min().unwrap_or(NONE)).collect();
    let backwards = (0..terminals).map(|end| transfer.iter().map(|ends| ends[end]).collect()).collect();
    let trees = Trees::new(backwards);
    let mut sum: u128 = 0;
    for (members, count) in &alike {
        let length = first_complete(members, terminals).into_iter().map(|first| {
            let others: Vec<usize> = members.iter().copied().filter(|&member| member != first).collect();
            trees.shortest(first, &others).saturating_add(others.iter().map(|&member| into[member]).sum())
        });
        let length = length.min().unwrap_or(NONE);
        if length >= NONE {
            return Err("a receiver cannot be reached".into());
        }
        sum = length.checked_mul((*count).into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    Ok(u64::try_from(sum).map_err(|_| OVERFLOW)?)
}

/// Returns the terminals that can hold all contributions first. With many members, the trees into all others are equally
/// long.
fn first_complete(members: &[usize], terminals: usize) -> Vec<usize> {
    let others = (0..terminals).filter(|terminal| !members.contains(terminal));
    let different = if members.len() <= MAX_EXACT { terminals } else { 1 };
    members.iter().copied().chain(others.take(different)).collect()
}

/// Returns the number of messages by the ranks of their members, ascending.
pub(super) fn members(problem: &Problem<'_>) -> Checked<BTreeMap<Vec<usize>, u64>> {
    let (topology, messages) = (problem.topology(), problem.messages());
    if problem.collective().listed().is_none() {
        return Ok(BTreeMap::from([((0..topology.terminal_count()).collect(), messages.len() as u64)]));
    }
    let (originals, chunks) = unsplit(&messages);
    let rank = |node| topology.terminal_rank(node).ok_or("a message has an end that is not a terminal");
    let mut alike = BTreeMap::new();
    for message in originals {
        let ends = messages.receivers_iter(message).chain([messages.source(message)]);
        let mut members = ends.map(rank).collect::<Result<Vec<usize>, _>>()?;
        members.sort_unstable();
        *alike.entry(members).or_default() += chunks;
    }
    Ok(alike)
}
