//! Lengths of trees of transfers in the time-expanded network, summed over all messages.

use lockstep_schedule::Problem;

use super::lengths::OVERFLOW;
use super::refusal::{Checked, expect};
use super::timed_lengths::TimedLengths;
use super::transfers::{NONE, relayed_messages, transfers};

/// `lists` has the lengths of the resources, the send ports and the receive ports, step by step.
pub(super) fn steps_proved(
    problem: &Problem<'_>,
    infeasible: u32,
    lists: [&[u32]; 3],
    claimed: [u64; 2],
) -> Checked<u64> {
    let lengths = TimedLengths::new(problem, infeasible, lists)?;
    let available = lengths.available(problem)?;
    let mut smallest = at_end(problem.topology().terminal_count());
    for step in (0..lengths.steps).rev() {
        smallest = one_step_before(&transfers(problem, &lengths.of_step(step)), &smallest);
    }
    let mut sum: u128 = 0;
    for ((source, receivers), count) in relayed_messages(problem)? {
        let set: usize = receivers.iter().map(|receiver| 1 << receiver).sum();
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

/// Returns the smallest lengths of transfers from each terminal to each set after the last step, by set and terminal.
pub(super) fn at_end(terminals: usize) -> Vec<Vec<u128>> {
    let is_within = |set: usize, terminal: usize| set & !(1 << terminal) == 0;
    let of_set = |set| (0..terminals).map(|terminal| if is_within(set, terminal) { 0 } else { NONE }).collect();
    (0..1 << terminals).map(of_set).collect()
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
