//! Lengths of resources and ports.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::{Problem, Routing, Switching};
use lockstep_topology::{ChannelId, NodeId};

use super::{finishes, starts, uncut, usable};

/// What a certificate says about the network.
pub(super) struct Lengths<'a> {
    /// Of each resource.
    pub(super) resources: &'a [u32],
    /// Of a send port of each terminal, or nothing.
    pub(super) sends: &'a [u32],
    /// Of a reception port of each terminal, or nothing.
    pub(super) receptions: &'a [u32],
}

/// The lengths that all messages have before them together, and those that one step covers; else what is wrong.
pub(super) fn sums(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Result<(u64, u64), &'static str> {
    const TOO_LONG: &str = "the lengths are too great to be added";
    let (topology, messages) = (problem.topology(), problem.messages());
    let terminals = topology.terminal_count();
    if !messages.is_scatter() {
        return Err("copies of a message can share a part of their way");
    }
    if lengths.resources.len() != topology.resource_count() {
        return Err("every resource has a length");
    }
    for ports in [lengths.sends, lengths.receptions] {
        if !ports.is_empty() && problem.model().switching == Switching::Wormhole {
            return Err("a wormhole crosses many channels through one port");
        }
        if !ports.is_empty() && ports.len() != terminals {
            return Err("every terminal has a length, or none");
        }
    }
    let mut per_step: u64 = lengths.resources.iter().map(|&length| u64::from(length)).sum();
    for (ports, limit) in [(lengths.sends, starts as fn(&Problem<'_>, NodeId) -> u64), (lengths.receptions, finishes)] {
        for (&length, &terminal) in ports.iter().zip(topology.terminals()) {
            let all = u64::from(length).checked_mul(limit(problem, terminal)).ok_or(TOO_LONG)?;
            per_step = per_step.checked_add(all).ok_or(TOO_LONG)?;
        }
    }

    let (originals, chunks) = uncut(&messages);
    let pairs = originals.flat_map(|message| {
        let source = messages.source(message);
        messages.receivers_iter(message).map(move |receiver| (source, receiver))
    });
    let mut pairs: Vec<(NodeId, NodeId)> = pairs.collect();
    pairs.sort_unstable();
    let mut sum: u64 = 0;
    for alike in pairs.chunk_by(|(source, _), (other, _)| source == other) {
        let distance = distances(problem, lengths, alike[0].0);
        for (_, receiver) in alike {
            let (_, length) = distance[receiver.index()].ok_or("a receiver cannot be reached")?;
            sum = sum.checked_add(length).ok_or(TOO_LONG)?;
        }
    }
    Ok((sum.checked_mul(chunks).ok_or(TOO_LONG)?, per_step))
}

/// The shortest length of a legal path to each node. Where only paths of the fewest channels are legal, their number
/// comes first.
fn distances(problem: &Problem<'_>, lengths: &Lengths<'_>, source: NodeId) -> Vec<Option<(u32, u64)>> {
    let (topology, model) = (problem.topology(), problem.model());
    let counts = u32::from(model.is_direct() && model.routing == Routing::Minimal);
    let port = |ports: &[u32], node: NodeId| {
        let length = topology.terminal_rank(node).and_then(|rank| ports.get(rank));
        length.map_or(0, |&length| u64::from(length))
    };
    // A path has fewer than 2^32 channels of less than 2^34, so that no sum is too great.
    let length = |channel: ChannelId| {
        let resource = u64::from(lengths.resources[topology.resource(channel).index()]);
        resource + port(lengths.sends, topology.tail(channel)) + port(lengths.receptions, topology.head(channel))
    };
    let passes = |node: NodeId| {
        let routed = model.switching == Switching::Wormhole && topology.routes(node);
        node == source || routed || topology.is_terminal(node) && !model.is_direct()
    };
    let mut distance = vec![None; topology.node_count()];
    let mut queue = BinaryHeap::from([Reverse(((0, 0), source))]);
    while let Some(Reverse((so_far, node))) = queue.pop() {
        if distance[node.index()].is_some() {
            continue;
        }
        distance[node.index()] = Some(so_far);
        let leaving = if passes(node) { topology.out_channels(node) } else { &[] };
        for &channel in leaving.iter().filter(|&&channel| usable(problem, channel)) {
            let next = topology.head(channel);
            if distance[next.index()].is_none() {
                queue.push(Reverse(((so_far.0 + counts, so_far.1 + length(channel)), next)));
            }
        }
    }
    distance
}
