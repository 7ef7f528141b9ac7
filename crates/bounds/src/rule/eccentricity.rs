//! The distances of the messages of one terminal, if each step crosses one channel.

use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use crate::bfs::{BATCH, BatchBfs};
use crate::demand::Demand;
use crate::pipeline::{Pipeline, longest_pipeline};
use crate::request::BoundRequest;
use crate::sample::{SEARCH_WORK, sample};
use crate::transfer_rules::TransferRules;

/// Computes the number of steps until the farthest messages of one terminal have arrived.
///
/// A message crosses one channel per step, and the last of `n` messages starts in step `ceil(n / ports)` or later. The
/// same holds for the messages to one terminal. For one message, the bound is the eccentricity of its source. Applies
/// to store-and-forward. Takes `O(NM)` time; beyond a fixed amount of work, it considers a sample of the terminals.
///
/// # Source
///
/// Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2, for one message.
pub(crate) fn bound(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.model().switching != Switching::StoreAndForward {
        return None;
    }
    let (demand, rules) = (Demand::new(problem), TransferRules::new(problem));
    let (topology, messages) = (problem.topology(), problem.messages());
    let count = SEARCH_WORK / (topology.node_count() + topology.channel_count());
    let (mut sources, mut receivers) = (demand.sources(), demand.receivers());
    // A terminal with one message proves no more than the other end of that message.
    if messages.delivery_count() == receivers.len() as u64 {
        receivers.clear();
    } else if messages.len() == sources.len() {
        sources.clear();
    }
    let bound = |bfs: &mut BatchBfs, (nodes, direction): &(Vec<NodeId>, Direction)| {
        match direction {
            Direction::In => bfs.backwards(rules, nodes),
            _ => bfs.forwards(rules, nodes),
        }
        let of_terminal = |(search, &node): (usize, &NodeId)| {
            let distances = bfs.distances(search);
            let (distances, ports) = match direction {
                Direction::In => (incoming(&demand, distances, node), rules.receive_limit(node)),
                _ => (outgoing(&demand, distances, node), rules.send_limit(node)),
            };
            let Pipeline { steps, messages, duration } = longest_pipeline(distances, messages.chunks(), ports)?;
            let certificate =
                Certificate::Eccentricity { node, direction: *direction, distance: duration, messages, ports };
            Some(LowerBound { steps, rule: Rule::Eccentricity, certificate })
        };
        largest(nodes.iter().enumerate().filter_map(of_terminal))
    };
    let searches = |ends: &[NodeId], direction: Direction| {
        let ends: Vec<NodeId> = sample(ends, count).copied().collect();
        ends.chunks(BATCH).map(|nodes| (nodes.to_vec(), direction)).collect::<Vec<_>>()
    };
    let batches = [searches(&sources, Direction::Out), searches(&receivers, Direction::In)].concat();
    let bounds: Vec<Option<LowerBound>> = batches.par_iter().map_init(BatchBfs::default, bound).collect();
    largest(bounds.into_iter().flatten())
}

/// Returns the first of the largest bounds.
fn largest(bounds: impl Iterator<Item = LowerBound>) -> Option<LowerBound> {
    bounds.reduce(|best, next| if next.steps > best.steps { next } else { best })
}

/// Returns the distance of the farthest receiver of each message.
fn outgoing(demand: &Demand<'_>, distances: &[u32], source: NodeId) -> Vec<u32> {
    let distance = |receiver: &NodeId| distances[receiver.index()];
    demand.from(source).filter_map(|multicast| multicast.receivers.iter().map(distance).max()).collect()
}

/// Returns the distance of the source of each message for the receiver.
fn incoming(demand: &Demand<'_>, distances: &[u32], receiver: NodeId) -> Vec<u32> {
    demand.to(receiver).map(|source| distances[source.index()]).collect()
}
