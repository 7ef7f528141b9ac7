//! The distances of the messages of one terminal, if each step crosses one channel.

use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use crate::bfs::Bfs;
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
    let ends: Vec<(NodeId, Direction)> = sample(&sources, count)
        .map(|&source| (source, Direction::Out))
        .chain(sample(&receivers, count).map(|&receiver| (receiver, Direction::In)))
        .collect();
    let bounds: Vec<Option<LowerBound>> = ends
        .par_iter()
        .map_init(Bfs::default, |bfs, &(node, direction)| {
            let (distances, ports) = match direction {
                Direction::In => (incoming(&demand, rules, bfs, node), rules.receive_limit(node)),
                _ => (outgoing(&demand, rules, bfs, node), rules.send_limit(node)),
            };
            let Pipeline { steps, messages, duration } = longest_pipeline(distances, messages.chunks(), ports)?;
            let certificate = Certificate::Eccentricity { node, direction, distance: duration, messages, ports };
            Some(LowerBound { steps, rule: Rule::Eccentricity, certificate })
        })
        .collect();
    bounds.into_iter().flatten().reduce(|best, next| if next.steps > best.steps { next } else { best })
}

/// Returns the distance of the farthest receiver of each message.
fn outgoing(demand: &Demand<'_>, rules: TransferRules<'_>, bfs: &mut Bfs, source: NodeId) -> Vec<u32> {
    bfs.forwards(rules, source);
    let distance = |receiver: &NodeId| bfs.distance[receiver.index()];
    demand.from(source).filter_map(|multicast| multicast.receivers.iter().map(distance).max()).collect()
}

/// Returns the distance of the source of each message for the receiver.
fn incoming(demand: &Demand<'_>, rules: TransferRules<'_>, bfs: &mut Bfs, receiver: NodeId) -> Vec<u32> {
    bfs.backwards(rules, receiver);
    demand.to(receiver).map(|source| bfs.distance[source.index()]).collect()
}
