//! How many channels all messages cross together.

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use super::{BoundRequest, SEARCH_WORK, ceil_steps};
use crate::demand::Demand;
use crate::legal::Legal;
use crate::search::Search;
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// The steps in which all resources together carry every scatter message over its shortest legal distance; under
/// store-and-forward, where every channel is crossed in a transfer of its own, through the ports of all terminals too.
/// Takes O(NM) time in parallel, and gives up beyond a fixed amount of work.
///
/// Applies to scatter messages; no valid path crosses a resource twice.
///
/// Source: Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2; the distance is that of the model.
pub(crate) fn bound(problem: &Problem<'_>, _ask: &BoundRequest<'_>) -> Option<LowerBound> {
    let topology = problem.topology();
    if !problem.messages().is_scatter() {
        return None;
    }
    let (demand, legal) = (Demand::new(problem), Legal::new(problem));
    let sources = demand.sources();
    if sources.len() > SEARCH_WORK / (topology.node_count() + topology.channel_count()) {
        return None;
    }
    let distances: u64 = sources
        .par_iter()
        .map_init(Search::default, |search, &source| {
            search.forwards(legal, source);
            let to = |receiver: &NodeId| u64::from(search.distance[receiver.index()]);
            demand.from(source).flat_map(|request| request.receivers).map(to).sum::<u64>()
        })
        .sum();
    let channel_uses = distances.checked_mul(problem.messages().chunks().into())?;
    let per_step = crossings(problem, legal);
    let certificate = Certificate::DistanceSum { channel_uses, per_step };
    Some(LowerBound { steps: ceil_steps(channel_uses, per_step)?, rule: Rule::DistanceSum, certificate })
}

/// Channels that transfers can cross together in one step.
fn crossings(problem: &Problem<'_>, legal: Legal<'_>) -> u64 {
    let topology = problem.topology();
    let resources = legal.resource_count(topology.channels()) as u64;
    match problem.model().switching {
        Switching::Wormhole => resources,
        Switching::StoreAndForward => {
            let sends: u64 = topology.terminals().iter().map(|&terminal| legal.send_limit(terminal)).sum();
            let receptions: u64 = topology.terminals().iter().map(|&terminal| legal.receive_limit(terminal)).sum();
            resources.min(sends).min(receptions)
        }
    }
}
