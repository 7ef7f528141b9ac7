//! Lengths of trees of transfers, summed over all messages.

use lockstep_schedule::Problem;

use super::lengths::{Lengths, OVERFLOW};
use super::refusal::{Checked, expect, steps_of};
use super::transfers::{NONE, relayed_messages, transfers};
use super::trees::{Trees, entries_of_network, entries_of_tree, expect_few_entries};

pub(super) fn steps_proved(problem: &Problem<'_>, lengths: &Lengths<'_>, claimed: [u64; 2]) -> Checked<u64> {
    let limit = lengths.per_step(problem)?;
    let distance = total_length(problem, lengths)?;
    expect("lengths of all messages", claimed[0], distance)?;
    expect("lengths in one step", claimed[1], limit)?;
    steps_of(distance, limit)
}

/// Returns the sum of the smallest lengths of trees over all messages.
fn total_length(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Checked<u64> {
    let topology = problem.topology();
    let of_network = entries_of_network(topology);
    expect_few_entries(of_network)?;
    let alike = relayed_messages(problem)?;
    let terminals = topology.terminal_count();
    let of_trees = alike.keys().map(|(_, receivers)| entries_of_tree(terminals, receivers.len()));
    expect_few_entries(of_network + of_trees.sum::<u128>())?;
    let trees = Trees::new(transfers(problem, lengths));
    let mut sum: u128 = 0;
    for ((source, receivers), count) in &alike {
        let length = trees.shortest(*source, receivers);
        if length >= NONE {
            return Err("a receiver cannot be reached".into());
        }
        sum = length.checked_mul((*count).into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    Ok(u64::try_from(sum).map_err(|_| OVERFLOW)?)
}
