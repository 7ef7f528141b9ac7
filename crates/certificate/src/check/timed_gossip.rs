//! Lengths of gossips in the time-expanded network, summed over all messages of an all-reduce.

use lockstep_schedule::Problem;

use super::gossip::members;
use super::lengths::OVERFLOW;
use super::refusal::{Checked, expect};
use super::timed_lengths::TimedLengths;
use super::timed_trees::{at_end, one_step_before};
use super::transfers::{NONE, transfers};

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
    // By time: the smallest length of a tree from each set of terminals into each terminal, by set and terminal.
    let mut trees = Vec::new();
    // By step and terminal: the smallest length of a transfer into it.
    let mut into: Vec<Vec<u128>> = Vec::new();
    let mut smallest = at_end(terminals);
    for step in 0..lengths.steps {
        let transfer = transfers(problem, &lengths.of_step(step));
        let to = |end: usize| transfer.iter().map(move |ends| ends[end]);
        into.push((0..terminals).map(|end| to(end).min().unwrap_or(NONE)).collect());
        let backwards: Vec<Vec<u128>> = (0..terminals).map(|end| to(end).collect()).collect();
        smallest = one_step_before(&backwards, &smallest);
        trees.push(smallest.clone());
    }
    let mut sum: u128 = 0;
    for (members, count) in members(problem)? {
        let set: usize = members.iter().map(|member| 1 << member).sum();
        // The first step after which all contributions can have reached a terminal.
        let reached = |terminal: usize| trees.iter().position(|trees| trees[set][terminal] < NONE);
        let completion = |member: usize, step: usize| {
            let first = reached(member).map_or(into.len(), |reached| reached.max(step));
            into[first..].iter().map(|into| into[member]).min().unwrap_or(NONE)
        };
        let steps_and_terminals = (0..into.len()).flat_map(|step| (0..terminals).map(move |first| (step, first)));
        let length = steps_and_terminals.map(|(step, first)| {
            let others = members.iter().filter(|&&member| member != first);
            trees[step][set][first] + others.map(|&member| completion(member, step)).sum::<u128>()
        });
        let length = length.min().unwrap_or(NONE).min(u128::from(available) + 1);
        sum = length.checked_mul(count.into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    let distance = u64::try_from(sum).map_err(|_| OVERFLOW)?;
    expect("lengths of all messages", claimed[0], distance)?;
    expect("lengths in all steps", claimed[1], available)?;
    if distance <= available {
        return Err("the gossips of all messages are not too long".into());
    }
    Ok(u64::from(infeasible) + 1)
}
