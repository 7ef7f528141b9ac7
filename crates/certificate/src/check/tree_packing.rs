//! Lengths of trees of transfers, summed over all messages.

use lockstep_schedule::Problem;

use super::lengths::{Lengths, OVERFLOW};
use super::refusal::Checked;
use super::transfers::{NONE, alike_messages, relayed_messages, transfers};
use super::trees::{Trees, entries_of_network, entries_of_tree, expect_few_entries};

pub(super) fn steps_proved(problem: &Problem<'_>, lengths: &Lengths<'_>, claimed: [u64; 2]) -> Checked<u64> {
    lengths.steps_proved(problem, claimed, || total_length(problem, lengths))
}

/// Returns the sum of the smallest lengths of trees over all messages. The tree of a direct message is one transfer.
fn total_length(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Checked<u64> {
    let topology = problem.topology();
    let of_network = entries_of_network(topology);
    expect_few_entries(of_network)?;
    let is_direct = problem.model().is_direct() && problem.messages().is_scatter();
    let alike = if is_direct { alike_messages(problem)? } else { relayed_messages(problem)? };
    let terminals = topology.terminal_count();
    let of_trees =
        alike.keys().map(|(_, receivers)| if is_direct { 1 } else { entries_of_tree(terminals, receivers.len()) });
    expect_few_entries(of_network + of_trees.sum::<u128>())?;
    let trees = Trees::new(transfers(problem, lengths));
    let mut sum: u128 = 0;
    for ((source, receivers), count) in &alike {
        let length = if is_direct { trees.transfer(*source, receivers[0]) } else { trees.shortest(*source, receivers) };
        if length >= NONE {
            return Err("a receiver cannot be reached".into());
        }
        sum = length.checked_mul((*count).into()).and_then(|length| sum.checked_add(length)).ok_or(OVERFLOW)?;
    }
    Ok(u64::try_from(sum).map_err(|_| OVERFLOW)?)
}
