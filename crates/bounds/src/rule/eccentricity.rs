//! How far messages go when each step is one channel.

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use super::{BoundRequest, Pipeline, SEARCH_WORK, pipeline, sample};
use crate::demand::Demand;
use crate::legal::Legal;
use crate::search::Search;
use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};

/// The steps until the farthest messages of one terminal have got there (or have come from there): one channel a step,
/// and the last of `n` messages no sooner than step `ceil(n / ports)`. With one message it is the eccentricity.
/// Takes O(NM) time; beyond a fixed amount of work only evenly spaced terminals are asked.
///
/// Applies to store-and-forward.
///
/// Source: Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2, for one message.
pub(crate) fn bound(problem: &Problem<'_>, _ask: &BoundRequest<'_>) -> Option<LowerBound> {
    if problem.model().switching != Switching::StoreAndForward {
        return None;
    }
    let (demand, legal) = (Demand::new(problem), Legal::new(problem));
    let (topology, messages) = (problem.topology(), problem.messages());
    let count = SEARCH_WORK / (topology.node_count() + topology.channel_count());
    let (mut sources, mut receivers) = (demand.sources(), demand.receivers());
    // Terminals with one message each tell no more than the other end of that message.
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
        .map_init(Search::default, |search, &(node, direction)| {
            let (distances, ports) = match direction {
                Direction::In => (incoming(&demand, legal, search, node), legal.receive_limit(node)),
                _ => (outgoing(&demand, legal, search, node), legal.send_limit(node)),
            };
            let Pipeline { steps, messages, duration } = pipeline(distances, messages.chunks(), ports)?;
            let certificate = Certificate::Eccentricity { node, direction, distance: duration, messages, ports };
            Some(LowerBound { steps, rule: Rule::Eccentricity, certificate })
        })
        .collect();
    bounds.into_iter().flatten().reduce(|best, next| if next.steps > best.steps { next } else { best })
}

/// How far the farthest receiver of each message is.
fn outgoing(demand: &Demand<'_>, legal: Legal<'_>, search: &mut Search, source: NodeId) -> Vec<u32> {
    search.forwards(legal, source);
    let distance = |receiver: &NodeId| search.distance[receiver.index()];
    demand.from(source).filter_map(|request| request.receivers.iter().map(distance).max()).collect()
}

/// How far the source of each message for the receiver is.
fn incoming(demand: &Demand<'_>, legal: Legal<'_>, search: &mut Search, receiver: NodeId) -> Vec<u32> {
    search.backwards(legal, receiver);
    demand.to(receiver).map(|source| search.distance[source.index()]).collect()
}
