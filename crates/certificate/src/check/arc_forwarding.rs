//! Lengths of resources and ports, summed over shortest paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::{ChannelId, NodeId};

use super::capacity::{is_usable, receive_limit, send_limit};
use super::distance::{expect_few_searches, takes_fewest_channels};
use super::messages::unsplit;
use super::refusal::{Checked, expect, steps_of};

const OVERFLOW: &str = "the sum of the lengths is too large";

/// The lengths in a certificate.
pub(super) struct Lengths<'a> {
    /// The length of each resource.
    pub(super) resources: &'a [u32],
    /// The length of a send port of each terminal, or empty.
    pub(super) sends: &'a [u32],
    /// The length of a receive port of each terminal, or empty.
    pub(super) receptions: &'a [u32],
}

pub(super) fn steps_proved(problem: &Problem<'_>, lengths: &Lengths<'_>, claimed: [u64; 2]) -> Checked<u64> {
    let messages = problem.messages();
    if !messages.is_scatter() {
        return Err("copies of a message can share a part of their paths".into());
    }
    let limit = length_per_step(problem, lengths)?;
    let distance = total_distance(problem, lengths)?;
    expect("lengths of all messages", claimed[0], distance)?;
    expect("lengths in one step", claimed[1], limit)?;
    steps_of(distance, limit)
}

/// Returns the sum of all lengths, each times its capacity.
fn length_per_step(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Checked<u64> {
    let topology = problem.topology();
    if lengths.resources.len() != topology.resource_count() {
        return Err("every resource must have a length".into());
    }
    for ports in [lengths.sends, lengths.receptions] {
        if !ports.is_empty() && problem.model().switching == Switching::Wormhole {
            return Err("a wormhole transfer crosses many channels through one port".into());
        }
        if !ports.is_empty() && ports.len() != topology.terminal_count() {
            return Err("either every terminal has a length or none has".into());
        }
    }
    let mut sum: u64 = lengths.resources.iter().map(|&length| u64::from(length)).sum();
    let limits: [fn(&Problem<'_>, NodeId) -> u64; 2] = [send_limit, receive_limit];
    for (ports, limit) in [lengths.sends, lengths.receptions].into_iter().zip(limits) {
        for (&length, &terminal) in ports.iter().zip(topology.terminals()) {
            let all = u64::from(length).checked_mul(limit(problem, terminal)).ok_or(OVERFLOW)?;
            sum = sum.checked_add(all).ok_or(OVERFLOW)?;
        }
    }
    Ok(sum)
}

/// Returns the sum of the lengths of shortest legal paths over all messages.
fn total_distance(problem: &Problem<'_>, lengths: &Lengths<'_>) -> Checked<u64> {
    let messages = problem.messages();
    let (originals, chunks) = unsplit(&messages);
    let pairs = originals.flat_map(|message| {
        let source = messages.source(message);
        messages.receivers_iter(message).map(move |receiver| (source, receiver))
    });
    let mut pairs: Vec<(NodeId, NodeId)> = pairs.collect();
    pairs.sort_unstable();
    expect_few_searches(problem, pairs.chunk_by(|(source, _), (other, _)| source == other).count())?;
    let is_minimal = takes_fewest_channels(problem);
    let mut sum: u64 = 0;
    for of_source in pairs.chunk_by(|(source, _), (other, _)| source == other) {
        let distance = distances(problem, lengths, of_source[0].0, is_minimal);
        for (_, receiver) in of_source {
            let (_, length) = distance[receiver.index()].ok_or("a receiver cannot be reached")?;
            sum = sum.checked_add(length).ok_or(OVERFLOW)?;
        }
    }
    Ok(sum.checked_mul(chunks).ok_or(OVERFLOW)?)
}

/// Computes the smallest length of a legal path to each node. If only paths with the fewest channels are legal
/// (`is_minimal`), the number of channels comes first.
fn distances(
    problem: &Problem<'_>,
    lengths: &Lengths<'_>,
    source: NodeId,
    is_minimal: bool,
) -> Vec<Option<(u32, u64)>> {
    let (topology, model) = (problem.topology(), problem.model());
    let hop = u32::from(is_minimal);
    let port = |ports: &[u32], node: NodeId| {
        let length = topology.terminal_rank(node).and_then(|rank| ports.get(rank));
        length.map_or(0, |&length| u64::from(length))
    };
    // A network has at most 2^24 nodes, so a path has fewer channels, of length less than 2^34. No sum overflows.
    let length = |channel: ChannelId| {
        let resource = u64::from(lengths.resources[topology.resource(channel).index()]);
        resource + port(lengths.sends, topology.tail(channel)) + port(lengths.receptions, topology.head(channel))
    };
    let may_continue = |node: NodeId| {
        let is_routed = model.switching == Switching::Wormhole && topology.routes(node);
        node == source || is_routed || topology.is_terminal(node) && !model.is_direct()
    };
    let mut distance = vec![None; topology.node_count()];
    let mut queue = BinaryHeap::from([Reverse(((0, 0), source))]);
    while let Some(Reverse((so_far, node))) = queue.pop() {
        if distance[node.index()].is_some() {
            continue;
        }
        distance[node.index()] = Some(so_far);
        let leaving = if may_continue(node) { topology.out_channels(node) } else { &[] };
        for &channel in leaving.iter().filter(|&&channel| is_usable(problem, channel)) {
            let next = topology.head(channel);
            if distance[next.index()].is_none() {
                queue.push(Reverse(((so_far.0 + hop, so_far.1 + length(channel)), next)));
            }
        }
    }
    distance
}
