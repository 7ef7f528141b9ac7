//! Transfers of an all-reduce between groups of nodes.

use lockstep_schedule::{Problem, Receivers};
use lockstep_topology::{ChannelId, NodeId};

use super::capacity::{is_usable, room};
use super::messages::unsplit;
use super::nodes::membership;
use super::refusal::{Checked, expect, steps_of};

pub(super) fn steps_proved(
    problem: &Problem<'_>,
    groups: &[Vec<NodeId>],
    [transfers, per_step]: [u64; 2],
) -> Checked<u64> {
    let group = group_of_nodes(problem, groups)?;
    expect("transfers between groups", transfers, transfers_between(problem, &group, groups.len())?)?;
    let topology = problem.topology();
    let crosses = |channel: &ChannelId, from: NodeId, to: NodeId| {
        group[to.index()].is_some() && group[to.index()] != group[from.index()] && is_usable(problem, *channel)
    };
    let leads_in = |channel: &ChannelId| crosses(channel, topology.tail(*channel), topology.head(*channel));
    let leads_out = |channel: &ChannelId| crosses(channel, topology.head(*channel), topology.tail(*channel));
    let limit =
        room(problem, topology.channels().filter(leads_in)).min(room(problem, topology.channels().filter(leads_out)));
    expect("transfers between groups in one step", per_step, limit)?;
    steps_of(transfers, limit)
}

/// Returns the number of the group of each node.
fn group_of_nodes(problem: &Problem<'_>, groups: &[Vec<NodeId>]) -> Checked<Vec<Option<usize>>> {
    let mut group = vec![None; problem.topology().node_count()];
    for (number, nodes) in groups.iter().enumerate() {
        // Refuses numbers that are no nodes, and other orders.
        if nodes.windows(2).any(|pair| pair[0] >= pair[1]) || nodes.iter().any(|node| node.index() >= group.len()) {
            membership(problem, nodes)?;
        }
        for node in nodes {
            if group[node.index()].replace(number).is_some() {
                return Err("a node is in two groups".into());
            }
        }
    }
    Ok(group)
}

/// Returns, summed over all messages, twice the number of groups with members, without one of them.
fn transfers_between(problem: &Problem<'_>, group: &[Option<usize>], groups: usize) -> Checked<u64> {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let mut last_seen = vec![usize::MAX; groups];
    let mut joined_by_all = None;
    let mut transfers = 0;
    for (number, message) in originals.enumerate() {
        let is_for_all = matches!(messages.receivers(message), Receivers::AllOthers);
        let joined = if let Some(joined) = joined_by_all.filter(|_| is_for_all) {
            joined
        } else {
            let mut joined = 0_u64;
            for member in messages.receivers_iter(message).chain([messages.source(message)]) {
                let group = group[member.index()].ok_or("a member of a message is in no group")?;
                joined += u64::from(std::mem::replace(&mut last_seen[group], number) != number);
            }
            joined
        };
        if is_for_all {
            joined_by_all = Some(joined);
        }
        transfers += 2 * chunks * joined.saturating_sub(1);
    }
    Ok(transfers)
}
