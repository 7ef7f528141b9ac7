//! Scatter on any network, in the fewest steps: a flow from the root that gives every terminal one unit.

mod hops;
mod peel;
mod supply;
mod timed;

use lockstep_paths::ArcId;
use lockstep_schedule::{CollectiveKind, MessageId, Routing, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};

use crate::method::{Method, Miss, Request};
use crate::wires::{MAX_SIZE, opposite_wires};
use peel::peel;
use supply::Supply;

/// Scatter on any network under any model. Optimal for direct transfers along any paths or shortest ones, and with
/// store-and-forward where the [network over time](timed) is not too large. Where terminals that do not route separate
/// others from the root, only relays lead there under wormhole switching, and it declines; so it does where channels
/// share a resource other than in opposite pairs, and past [`MAX_SIZE`] or [`MAX_USES`].
///
/// **Source**: integral flows have the integer decomposition property (Baum and Trotter, *Integer rounding and
/// polyhedral decomposition for totally unimodular systems*, 1978): what fits through channels `T` units wide fits in
/// `T` steps. Over time: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) const SCATTER_FLOW: Method = Method {
    name: "scatter-flow",
    about: "scatter on any network in the fewest steps: one maximum flow, cut into steps",
    find,
    is_random: false,
};

/// The most channel uses of a schedule: 1 GiB.
const MAX_USES: u64 = 1 << 28;

fn find(request: &Request<'_>) -> Result<Schedule, Miss> {
    let CollectiveKind::OneToAllScatter { root } = request.problem.collective().kind else { return Err(Miss::Unfit) };
    scatter(request, root).ok_or(Miss::Unfit)
}

fn scatter(request: &Request<'_>, root: NodeId) -> Option<Schedule> {
    let Request { problem, goal, budget, .. } = *request;
    let (topology, model) = (problem.topology(), problem.model());
    let is_large = topology.node_count() + topology.channel_count() > MAX_SIZE;
    if problem.collective().chunks.get() > 1 || is_large {
        return None;
    }
    let opposite = opposite_wires(topology)?;
    if model.switching == Switching::StoreAndForward {
        return hops::schedule(topology, root, model.ports, &opposite, goal, budget);
    }
    let mut supply = Supply::new(topology, root, model.ports, |node| topology.routes(node));
    if model.routing == Routing::Minimal {
        supply.keep_shortest();
    }
    let (steps, mut network) = supply.fewest_steps()?;
    for [there, back] in opposite {
        network.cancel(ArcId::new(there.number()), ArcId::new(back.number()));
    }
    peel(&supply, &network, steps, budget)
}

/// The message from the root to a terminal.
fn message_to(topology: &Topology, root: NodeId, receiver: NodeId) -> MessageId {
    let rank = topology.terminal_rank(receiver).expect("receivers are terminals");
    MessageId::from_index(rank - usize::from(receiver > root))
}

#[cfg(test)]
mod tests;
