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
    [transfers, members, per_step]: [u64; 3],
) -> Checked<u64> {
    let group = group_of_nodes(problem, groups)?;
    let [needed, fewest] = transfers_between(problem, &group, groups.len());
    expect("transfers between groups", transfers, needed)?;
    expect("members in a group", members, fewest)?;
    let topology = problem.topology();
    let crosses = |channel: &ChannelId, from: NodeId, to: NodeId| {
        group[to.index()].is_some() && group[to.index()] != group[from.index()] && is_usable(problem, *channel)
    };
    let leads_in = |channel: &ChannelId| crosses(channel, topology.tail(*channel), topology.head(*channel));
    let leads_out = |channel: &ChannelId| crosses(channel, topology.head(*channel), topology.tail(*channel));
    let limit =
        room(problem, topology.channels().filter(leads_in)).min(room(problem, topology.channels().filter(leads_out)));
    expect("transfers between groups in one step", per_step, limit)?;
    let steps = steps_of(transfers, limit)?;
    // The first and the last step serve at most this number of needs each.
    let at_ends = 2 * u128::from(limit) / (u128::from(members) + 1);
    let between = u128::from(transfers).saturating_sub(2 * at_ends).div_ceil(limit.into());
    Ok(if steps < 2 || between == 0 { steps } else { steps.max(u64::try_from(between).unwrap_or(u64::MAX) + 2) })
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
    // A terminal outside of all groups could add the sums of several groups.
    if problem.topology().terminals().iter().any(|terminal| group[terminal.index()].is_none()) {
        return Err("a terminal is in no group".into());
    }
    Ok(group)
}

/// Returns, summed over all messages, twice the number of groups with members, without one of them; and the smallest number
/// of members of a message in a group with members.
fn transfers_between(problem: &Problem<'_>, group: &[Option<usize>], groups: usize) -> [u64; 2] {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let mut count = vec![0_u64; groups];
    let mut seen = Vec::new();
    let mut of_all = None;
    let (mut transfers, mut fewest) = (0, u64::MAX);
    for message in originals {
        let is_for_all = matches!(messages.receivers(message), Receivers::AllOthers);
        let [joined, least] = if let Some(known) = of_all.filter(|_| is_for_all) {
            known
        } else {
            for member in messages.receivers_iter(message).chain([messages.source(message)]) {
                let group = group[member.index()].expect("members are terminals");
                if count[group] == 0 {
                    seen.push(group);
                }
                count[group] += 1;
            }
            let joined = [seen.len() as u64, seen.iter().map(|&group| count[group]).min().unwrap_or(0)];
            seen.drain(..).for_each(|group| count[group] = 0);
            joined
        };
        if is_for_all {
            of_all = Some([joined, least]);
        }
        transfers += 2 * chunks * joined.saturating_sub(1);
        fewest = fewest.min(least);
    }
    [transfers, fewest]
}
