//! Transfers between terminals by lengths, and the messages that they bring to their receivers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use lockstep_schedule::{Problem, Routing, Switching};
use lockstep_topology::NodeId;

use super::capacity::is_usable;
use super::lengths::Lengths;
use super::messages::unsplit;
use super::refusal::Checked;

/// The length where there is no transfer. Sums of lengths of transfers that exist are smaller.
pub(super) const NONE: u128 = 1 << 100;

/// Returns the number of messages by the rank of their source and the ranks of their receivers, ascending. Refuses
/// messages that no terminal may forward.
pub(super) fn relayed_messages(problem: &Problem<'_>) -> Checked<BTreeMap<(usize, Vec<usize>), u64>> {
    if problem.model().is_direct() && problem.messages().is_scatter() {
        return Err("every message takes one transfer, so its paths count".into());
    }
    alike_messages(problem)
}

/// Returns the number of messages by the rank of their source and the ranks of their receivers, ascending.
pub(super) fn alike_messages(problem: &Problem<'_>) -> Checked<BTreeMap<(usize, Vec<usize>), u64>> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let (originals, chunks) = unsplit(&messages);
    let rank = |node| topology.terminal_rank(node).ok_or("a message has an end that is not a terminal");
    let mut alike = BTreeMap::new();
    for message in originals {
        let mut receivers = messages.receivers_iter(message).map(rank).collect::<Result<Vec<usize>, _>>()?;
        receivers.sort_unstable();
        *alike.entry((rank(messages.source(message))?, receivers)).or_default() += chunks;
    }
    Ok(alike)
}

/// Computes the smallest lengths of the transfers between all terminals, by start and end, in whole units.
pub(super) fn transfers(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Vec<Vec<u128>> {
    let has_buses = has_buses(problem);
    problem.topology().terminals().iter().map(|&from| transfers_from(problem, lengths, from, has_buses)).collect()
}

/// Computes the smallest length of a transfer from a terminal to each terminal. If transfers take paths with the fewest
/// channels, the number of channels comes first.
fn transfers_from(problem: &Problem<'_>, lengths: &Lengths<'_>, from: NodeId, has_buses: bool) -> Vec<u128> {
    let (topology, model) = (problem.topology(), problem.model());
    let hop = u32::from(model.routing == Routing::Minimal && !has_buses);
    let mut distance: Vec<Option<(u32, u64)>> = vec![None; topology.node_count()];
    let mut queue = BinaryHeap::from([Reverse(((0, lengths.send(topology, from)), from))]);
    while let Some(Reverse((so_far, node))) = queue.pop() {
        if distance[node.index()].is_some() {
            continue;
        }
        distance[node.index()] = Some(so_far);
        if node != from && (model.switching == Switching::StoreAndForward || !topology.routes(node)) {
            continue;
        }
        for &channel in topology.out_channels(node).iter().filter(|&&channel| is_usable(problem, channel)) {
            let next = topology.head(channel);
            if distance[next.index()].is_none() {
                let (channels, length) = (so_far.0 + hop, so_far.1 + lengths.channel(topology, channel));
                queue.push(Reverse(((channels, length), next)));
            }
        }
    }
    let to = |&terminal: &NodeId| {
        let reached = distance[terminal.index()].filter(|_| terminal != from);
        let length = reached.map(|(_, length)| u128::from(length) + u128::from(lengths.receive(topology, terminal)));
        length.map_or(NONE, |length| length / u128::from(lengths.unit.max(1)))
    };
    topology.terminals().iter().map(to).collect()
}

/// Returns true if channels between different pairs of nodes share a resource.
fn has_buses(problem: &Problem<'_>) -> bool {
    let topology = problem.topology();
    let mut joined = vec![None; topology.resource_count()];
    topology.channels().any(|channel| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let ends = (tail.min(head), tail.max(head));
        *joined[topology.resource(channel).index()].get_or_insert(ends) != ends
    })
}
