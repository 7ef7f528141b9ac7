//! The total distance of all messages.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use crate::bfs::{BATCH, BatchBfs};
use crate::demand::Demand;
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;
use crate::sample::SEARCH_WORK;
use crate::transfer_rules::TransferRules;

/// Computes the number of steps in which all resources together carry every scatter message over its shortest legal
/// distance.
///
/// Under store-and-forward, each channel is crossed by its own transfer, so the ports of all terminals count too.
/// Applies to scatter messages; no valid path crosses a resource twice. Takes `O(NM)` time in parallel, and returns
/// `None` beyond a fixed amount of work.
///
/// # Source
///
/// Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2; the distance is that of the model.
pub(crate) fn bound(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    let topology = problem.topology();
    if !problem.messages().is_scatter() {
        return None;
    }
    let (demand, rules) = (Demand::new(problem), TransferRules::new(problem));
    let sources = demand.sources();
    if sources.len() > SEARCH_WORK / (topology.node_count() + topology.channel_count()) {
        return None;
    }
    let distances: u64 = sources
        .par_chunks(BATCH)
        .map_init(BatchBfs::default, |bfs, sources| {
            bfs.forwards(rules, sources);
            let from = |(search, &source): (usize, &NodeId)| {
                let distances = bfs.distances(search);
                let to = |receiver: &NodeId| u64::from(distances[receiver.index()]);
                demand.from(source).flat_map(|multicast| multicast.receivers).map(to).sum::<u64>()
            };
            sources.iter().enumerate().map(from).sum::<u64>()
        })
        .sum();
    let channel_uses = distances.checked_mul(problem.messages().chunks().into())?;
    let per_step = crossings(problem, rules);
    let certificate = Certificate::DistanceSum { channel_uses, per_step };
    Some(LowerBound { steps: ceil_steps(channel_uses, per_step)?, rule: Rule::DistanceSum, certificate })
}

/// Returns the number of channels that transfers can cross together in one step.
fn crossings(problem: &Problem<'_>, rules: TransferRules<'_>) -> u64 {
    let topology = problem.topology();
    let resources = rules.room(topology.channels());
    match problem.model().switching {
        Switching::Wormhole => resources,
        Switching::StoreAndForward => {
            let sends: u64 = topology.terminals().iter().map(|&terminal| rules.send_limit(terminal)).sum();
            let receptions: u64 = topology.terminals().iter().map(|&terminal| rules.receive_limit(terminal)).sum();
            resources.min(sends).min(receptions)
        }
    }
}
