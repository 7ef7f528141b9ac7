//! How many transfers can end at a receiver in one step.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use super::{BoundRequest, ceil_steps};
use crate::demand::Demand;
use crate::legal::Legal;
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// The steps in which all deliveries pass the ports and the channels of the receivers together, and those of the
/// senders: every terminal, or only the sources where messages go directly. Takes O(N + M) time.
///
/// Applies to everything; beside [ports](super::ports) it matters where resources are shared or receivers could take
/// more than senders can start.
///
/// Source: Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2, with the channels into and out of terminals only.
pub(crate) fn bound(problem: &Problem<'_>, _ask: &BoundRequest<'_>) -> Option<LowerBound> {
    let (topology, demand, legal) = (problem.topology(), Demand::new(problem), Legal::new(problem));
    let receivers = demand.receivers();
    let senders = if legal.direct { demand.sources() } else { topology.terminals().to_vec() };
    let into = |&node: &NodeId| topology.in_channels(node).iter().copied();
    let out_of = |&node: &NodeId| topology.out_channels(node).iter().copied();
    let limits = [
        receivers.iter().map(|&node| legal.receive_limit(node)).sum(),
        senders.iter().map(|&node| legal.send_limit(node)).sum(),
        legal.resource_count(receivers.iter().flat_map(into)) as u64,
        legal.resource_count(senders.iter().flat_map(out_of)) as u64,
    ];
    let (deliveries, per_step) = (problem.messages().delivery_count(), limits.into_iter().min()?);
    let certificate = Certificate::Volume { deliveries, per_step };
    Some(LowerBound { steps: ceil_steps(deliveries, per_step)?, rule: Rule::Volume, certificate })
}
