//! Lengths of trees of transfers in the time-expanded network, summed over all messages.

use lockstep_schedule::Problem;

use super::lengths::{Lengths, OVERFLOW};
use super::refusal::{Checked, expect};
use super::transfers::{NONE, relayed_messages, transfers};

/// The largest number of terminals: the trees to all sets of terminals are computed.
const MAX_TERMINALS: usize = 8;

/// The largest number of steps. With as many terminals as allowed, the check takes about a second.
const MAX_STEPS: u32 = 1 << 10;

/// `lists` has the lengths of the resources, the send ports and the receive ports, step by step.
pub(super) fn steps_proved(
    problem: &Problem<'_>,
    infeasible: u32,
    lists: [&[u32]; 3],
    claimed: [u64; 2],
) -> Checked<u64> {
    let terminals = problem.topology().terminal_count();
    if terminals > MAX_TERMINALS {
        return Err("the network has too many terminals".into());
    }
    if infeasible == 0 || infeasible > MAX_STEPS {
        return Err("the number of steps is 0 or too large".into());
    }
    let steps = infeasible as usize;
    if lists[0].len() != steps * problem.topology().resource_count() {
        return Err("every resource must have a length in every step".into());
    }
    if lists[1..].iter().any(|ports| !ports.is_empty() && ports.len() != steps * terminals) {
        return Err("either every terminal has a length in every step or none has".into());
    }
    let lengths = |step: usize| {
        let [resources, sends, receptions] = lists.map(|list| &list[list.len() / steps * step..][..list.len() / steps]);
        Lengths { resources, sends, receptions }
    };
    let mut available: u64 = 0;
    for step in 0..steps {
        available = available.checked_add(lengths(step).per_step(problem)?).ok_or(OVERFLOW)?;
    }
    // By set of terminals and terminal: the smallest length of transfers from the terminal to the set after the step.
    let is_within = |set: usize, terminal: usize| set & !(1 << terminal) == 0;
    let at_end = |set| (0..terminals).map(|terminal| if is_within(set, terminal) { 0 } else { NONE }).collect();
    let mut smallest: Vec<Vec<u128>> = (0..1 << terminals).map(at_end).collect();
    for step in (0..steps).rev() {
        smallest = one_step_before(&transfers(problem, &lengths(step)), &smallest);
    }
    let mut sum: u128 = 0;
    for ((source, receivers), count) in relayed_messages(problem)? {
        let set = receivers.iter().fold(0, |set, receiver| set | 1 << receiver);
        let length = smallest[set][source].min(u128::from(available) + 1);
        sum = length.checked_mul(count.into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    let distance = u64::try_from(sum).map_err(|_| OVERFLOW)?;
    expect("lengths of all messages", claimed[0], distance)?;
    expect("lengths in all steps", claimed[1], available)?;
    if distance <= available {
        return Err("the trees of all messages are not too long".into());
    }
    Ok(u64::from(infeasible) + 1)
}

/// Returns the smallest lengths before a step with these transfers from those after it.
fn one_step_before(transfer: &[Vec<u128>], after: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let mut before: Vec<Vec<u128>> = Vec::with_capacity(after.len());
    for set in 0..after.len() {
        let own = transfer.iter().enumerate().map(|(terminal, transfer)| {
            let others = set & !(1 << terminal);
            if others < set {
                return before[others][terminal];
            }
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
