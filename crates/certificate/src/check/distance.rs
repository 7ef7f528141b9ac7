//! Distances of messages, by a breadth-first search that no rule uses.

use std::collections::VecDeque;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;

use super::capacity::is_usable;

/// Computes the smallest number of channels by which a message gets from a terminal to each node, in `O(N + M)` time.
pub(super) fn distances_from(problem: &Problem<'_>, source: NodeId) -> Vec<Option<u32>> {
    distances(problem, source, false)
}

/// Computes the smallest number of channels by which a message gets from each node to a terminal, in `O(N + M)` time.
pub(super) fn distances_to(problem: &Problem<'_>, receiver: NodeId) -> Vec<Option<u32>> {
    distances(problem, receiver, true)
}

fn distances(problem: &Problem<'_>, start: NodeId, backwards: bool) -> Vec<Option<u32>> {
    let topology = problem.topology();
    let is_direct = problem.model().is_direct() && problem.messages().is_scatter();
    let mut distance = vec![None; topology.node_count()];
    distance[start.index()] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, channels)) = queue.pop_front() {
        let is_routed = problem.model().switching == Switching::Wormhole && topology.routes(node);
        let is_relayed = topology.is_terminal(node) && !is_direct;
        if node != start && !is_routed && !is_relayed {
            continue;
        }
        let leaving = if backwards { topology.in_channels(node) } else { topology.out_channels(node) };
        for &channel in leaving.iter().filter(|&&channel| is_usable(problem, channel)) {
            let next = if backwards { topology.tail(channel) } else { topology.head(channel) };
            if distance[next.index()].is_none() {
                distance[next.index()] = Some(channels + 1);
                queue.push_back((next, channels + 1));
            }
        }
    }
    distance
}
