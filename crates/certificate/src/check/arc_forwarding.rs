//! Lengths of shortest paths, summed over all messages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::capacity::is_usable;
use super::distance::{expect_few_searches, takes_fewest_channels};
use super::lengths::{Lengths, OVERFLOW};
use super::messages::unsplit;
use super::refusal::Checked;

pub(super) fn steps_proved(problem: &Problem<'_>, lengths: &Lengths<'_>, claimed: [u64; 2]) -> Checked<u64> {
    let (messages, switching) = (problem.messages(), problem.model().switching);
    if !messages.is_scatter() {
        return Err("copies of a message can share a part of their paths".into());
    }
    let ports_have_lengths = !lengths.sends.is_empty() || !lengths.receptions.is_empty();
    if ports_have_lengths && switching == Switching::Wormhole {
        return Err("a wormhole transfer crosses many channels through one port".into());
    }
    if lengths.unit != 1 {
        return Err("the transfers of a path are not rounded".into());
    }
    lengths.steps_proved(problem, claimed, || total_distance(problem, lengths))
}

/// Returns the length of a channel: that of its resource and, between terminals, those of its ports.
fn length_of(lengths: &Lengths<'_>, topology: &Topology, channel: ChannelId) -> u64 {
    let ports = lengths.send(topology, topology.tail(channel)) + lengths.receive(topology, topology.head(channel));
    lengths.channel(topology, channel) + ports
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
    // A network has at most 2^24 nodes, so a path has fewer channels, of length less than 2^34. No sum overflows.
    let length = |channel: ChannelId| length_of(lengths, topology, channel);
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
