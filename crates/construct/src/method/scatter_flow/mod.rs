//! Scatter on any network, in the fewest steps: a flow from the root that gives every terminal its units.

mod peeling;
mod store_and_forward;
mod supply;
mod time_expanded;

use lockstep_paths::ArcId;
use lockstep_schedule::{Routing, Schedule, Switching};
use lockstep_topology::ChannelId;

use crate::kit::half_duplex::{MAX_FLOW_NETWORK_SIZE, half_duplex_pairs};
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceScatter;
use peeling::peel;
use supply::Supply;
use time_expanded::Timing;

/// Scatter of any number of messages to each of all or some terminals, on any network under any model. Optimal for
/// direct transfers along any paths or shortest ones, and with store-and-forward or relays along any paths where the
/// [network over time](time_expanded) is not too large. Declines where channels share a resource other than in opposite pairs,
/// and past [`MAX_FLOW_NETWORK_SIZE`] or [`MAX_USES`].
///
/// **Source**: integral flows have the integer decomposition property (Baum and Trotter, *Integer rounding and
/// polyhedral decomposition for totally unimodular systems*, 1978): what fits through channels `T` units wide fits in
/// `T` steps. Over time: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) const SCATTER_FLOW: Method = Method {
    name: "scatter-flow",
    about: "scatter on any network in the fewest steps: one maximum flow, cut into steps",
    find,
    evaluations_per_delivery: 16,
    is_random: false,
};

/// The most channel uses of a schedule: 1 GiB.
const MAX_USES: u64 = 1 << 28;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    if topology.node_count() + topology.channel_count() > MAX_FLOW_NETWORK_SIZE {
        return Err(MethodError::Unsupported);
    }
    let opposite = half_duplex_pairs(topology).ok_or(MethodError::Unsupported)?;
    let scatter = SingleSourceScatter::of(request.problem).ok_or(MethodError::Unsupported)?;
    let found = if model.switching == Switching::StoreAndForward {
        store_and_forward::schedule(request, &scatter, &opposite)
    } else if model.is_direct() {
        direct(request, &scatter, &opposite)
    } else {
        relayed(request, &scatter, &opposite)
    };
    found.ok_or(MethodError::Unsupported)
}

/// Wormhole switching, every message in one transfer; `None` if that is not possible.
fn direct(request: &MethodRequest<'_>, scatter: &SingleSourceScatter, opposite: &[[ChannelId; 2]]) -> Option<Schedule> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let mut supply = Supply::new(topology, scatter, model.ports, |node| topology.routes(node));
    if model.routing == Routing::Minimal {
        supply.keep_shortest();
    }
    let (steps, mut network) = supply.fewest_steps()?;
    for [there, back] in opposite {
        network.cancel(ArcId::new(there.number()), ArcId::new(back.number()));
    }
    peel(&supply, &network, steps, request)
}

/// Wormhole switching, messages may rest at terminals: that helps where terminals do not route, and under minimal
/// routing where two shortest paths make a way round.
fn relayed(
    request: &MethodRequest<'_>,
    scatter: &SingleSourceScatter,
    opposite: &[[ChannelId; 2]],
) -> Option<Schedule> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let mut supply =
        Supply::new(topology, scatter, model.ports, |node| topology.routes(node) || topology.is_terminal(node));
    let (bound, _) = supply.fewest_steps()?;
    let direct = direct(request, scatter, opposite);
    let below = direct.as_ref().map_or(u32::MAX, |schedule| schedule.step_count() as u32);
    if below <= bound.max(request.goal) {
        return direct;
    }
    let hops =
        store_and_forward::schedule(request, scatter, opposite).filter(|hops| hops.step_count() < below as usize);
    if model.routing == Routing::Minimal {
        // Along these channels every path is a shortest one.
        supply.keep_shortest();
    }
    let best = hops.or(direct);
    let below = best.as_ref().map_or(u32::MAX, |schedule| schedule.step_count() as u32);
    if below <= bound.max(request.goal) || !opposite.is_empty() {
        return best;
    }
    time_expanded::schedule(&supply, Timing::Wormhole, &[], bound, below, request).or(best)
}

#[cfg(test)]
mod tests;
