//! Lengths of gossips in the time-expanded network, summed over all messages of an all-reduce.

use lockstep_schedule::Problem;

use super::gossip::members;
use super::lengths::OVERFLOW;
use super::refusal::Checked;
use super::timed_lengths::TimedLengths;
use super::timed_trees::{at_end, entries, one_step_before};
use super::transfers::{NONE, transfers};
use super::trees::expect_few_entries;

/// `lists` has the lengths of the resources, the send ports and the receive ports, step by step.
pub(super) fn steps_proved(
    problem: &Problem<'_>,
    infeasible: u32,
    lists: [&[u32]; 3],
    claimed: [u64; 2],
) -> Checked<u64> {
    let lengths = TimedLengths::new(problem, infeasible, lists)?;
    let available = lengths.available(problem)?;
    let terminals = problem.topology().terminal_count();
    let members = members(problem)?;
    expect_few_entries(entries(problem, lengths.steps, members.keys()))?;
    let transfers: Vec<_> = (0..lengths.steps).map(|step| transfers(problem, &lengths.of_step(step))).collect();
    let to = |step: &[Vec<u128>], end: usize| step.iter().map(|ends| ends[end]).collect::<Vec<u128>>();
    // By step and terminal: the smallest length of a transfer into it.
    let shortest_into = |step: &Vec<Vec<u128>>| -> Vec<u128> {
        (0..terminals).map(|end| to(step, end).into_iter().min().unwrap_or(NONE)).collect()
    };
    let into: Vec<Vec<u128>> = transfers.iter().map(shortest_into).collect();
    let mut sum: u128 = 0;
    for (members, count) in members {
        // By time: the smallest length of a tree from all members into each terminal.
        let mut trees: Vec<Vec<u128>> = Vec::new();
        let mut smallest = at_end(terminals, &members);
        for step in &transfers {
            let backwards: Vec<Vec<u128>> = (0..terminals).map(|end| to(step, end)).collect();
            smallest = one_step_before(&backwards, &smallest);
            trees.push(smallest[smallest.len() - 1].clone());
        }
        // The first step after which all contributions can have reached a terminal.
        let reached = |terminal: usize| trees.iter().position(|trees| trees[terminal] < NONE);
        let completion = |member: usize, step: usize| {
            let first = reached(member).map_or(into.len(), |reached| reached.max(step));
            into[first..].iter().map(|into| into[member]).min().unwrap_or(NONE)
        };
        let steps_and_terminals = (0..into.len()).flat_map(|step| (0..terminals).map(move |first| (step, first)));
        let length = steps_and_terminals.map(|(step, first)| {
            let others = members.iter().filter(|&&member| member != first);
            trees[step][first] + others.map(|&member| completion(member, step)).sum::<u128>()
        });
        let length = length.min().unwrap_or(NONE).min(u128::from(available) + 1);
        sum = length.checked_mul(count.into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    lengths.steps_proved(claimed, [sum, available.into()], "the gossips of all messages are not too long")
}
