//! Wormhole broadcast on any network: in each step, a maximum flow from the holders to the other terminals.
//!
//! All transfers of a step carry the same message, so a set of nodes can be reached in one step if and only if a flow
//! with one unit for each of them exists. The search decides which terminals to reach early.
//!
//! | file | role |
//! |---|---|
//! | `step_flow` | one step as a maximum flow |
//! | `path_repair` | shortest paths under minimal routing |
//! | `holder_growth` | the number of holders that is possible and useful after each step |
//! | `dispersed_order` | terminals that are far apart come first |
//! | `broadcast_state` | the terminals reached so far |
//! | `search` | random plans and their variations |

mod broadcast_state;
mod dispersed_order;
mod holder_growth;
mod path_repair;
mod search;
mod step_flow;
#[cfg(test)]
mod tests;

use lockstep_schedule::{Routing, Schedule, Switching};

use self::dispersed_order::DispersedOrder;
use self::holder_growth::HolderGrowth;
use self::path_repair::PathRepair;
use self::search::LayeredFlowSearch;
use self::step_flow::BroadcastStepFlow;
use crate::kit::half_duplex::{MAX_FLOW_NETWORK_SIZE, half_duplex_pairs};
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;

/// Layered flow: wormhole broadcast of one message to all or some terminals of any network, under any ports and
/// routing.
///
/// An attempt tries numbers of steps from the growth bound or the goal on. Each plan takes one maximum flow per step;
/// under minimal routing, [`PathRepair`] replaces detours. Not supported: networks where channels share a resource
/// other than in opposite pairs, and networks past [`MAX_FLOW_NETWORK_SIZE`]. Time: `O(N + M)` visits per step and
/// augmenting path; the plans at one number of steps take a few tenths of a second together. Memory: about 40 bytes per
/// node or channel, and 16 bytes per channel of a path.
///
/// # Source
///
/// The problem: Farley, *Minimum-time line broadcast networks*, Networks 10 (1980). The reduction of a step to a flow:
/// the theorem of Ford and Fulkerson.
pub(crate) const LAYERED_FLOW: Method = Method {
    name: "layered-flow",
    about: "wormhole broadcast: each step is a maximum flow to distant nodes, repaired along shortest paths",
    find,
    evaluations_per_delivery: 32,
    is_random: true,
    parts: &[],
};

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let broadcast = SingleSourceBroadcast::of(request.problem)
        .filter(|broadcast| broadcast.chunks == 1)
        .ok_or(MethodError::Unsupported)?;
    let is_large = topology.node_count() + topology.channel_count() > MAX_FLOW_NETWORK_SIZE;
    if model.switching != Switching::Wormhole || is_large {
        return Err(MethodError::Unsupported);
    }
    let opposite = half_duplex_pairs(topology).ok_or(MethodError::Unsupported)?;
    let growth = HolderGrowth::new(topology, model.ports, broadcast.source, broadcast.receivers.len());
    let (is_receiver, optional_relays) = (broadcast.receiver_flags(topology), broadcast.optional_relays(topology));
    let log = request.best_attempt(|rng, _| {
        let mut search = LayeredFlowSearch {
            request,
            topology,
            broadcast: &broadcast,
            is_receiver: &is_receiver,
            optional_relays: &optional_relays,
            repair: (model.routing == Routing::Minimal).then(|| PathRepair::new(topology, model.ports)),
            flow: BroadcastStepFlow::new(topology, model.ports, opposite.clone()),
            dispersed: DispersedOrder::new(topology),
            counted: 0,
        };
        search.attempt(&growth, rng)
    })?;
    Ok(broadcast.needed_transfers(request.problem, log.into_schedule()))
}
