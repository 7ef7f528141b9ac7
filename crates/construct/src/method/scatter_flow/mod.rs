//! Scatter on any network in the fewest steps: a flow from the root that brings every terminal its units.
//!
//! | file | role |
//! |---|---|
//! | `supply` | the flow from the root, and the fewest steps that it takes |
//! | `division` | its division into steps, for direct transfers |
//! | `halving` | the halves of a flow, and the paths of a step |
//! | `store_and_forward` | hop by hop along shortest routes |
//! | `time_expanded` | a flow over time, if relays save steps |

mod division;
mod halving;
mod store_and_forward;
mod supply;
mod time_expanded;

use lockstep_paths::ArcId;
use lockstep_schedule::{Part, Routing, Schedule, Switching, Transport};
use lockstep_topology::{ChannelId, NodeId};

use self::store_and_forward::STORE_AND_FORWARD;
use self::supply::Supply;
use self::time_expanded::{TIME_EXPANDED, Timing};
use crate::kit::distances::fill_distances;
use crate::kit::half_duplex::{MAX_FLOW_NETWORK_SIZE, half_duplex_pairs};
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceScatter;
use crate::kit::task::SchedulingTask;

/// Scatter flow: scatter of any number of messages per receiver, on any network under any model.
///
/// The schedule is optimal for direct transfers. With store-and-forward or relays along any paths, it is optimal if the
/// [time-expanded network](time_expanded) is not too large; with relays along shortest paths, if all paths of the best flow
/// are shortest paths. Not supported: networks where channels share a resource other than in opposite pairs, and problems
/// past [`MAX_FLOW_NETWORK_SIZE`] or [`supply::MAX_CHANNEL_USES`]. Time for direct transfers: a few maximum flows, one per
/// binary digit of the number of steps `T`, and `O(F log T)` for `F` channel uses. Memory: `O(N + M + F)`, and 1 GiB of
/// channel uses at most.
///
/// # Source
///
/// Integral flows have the integer decomposition property (Baum and Trotter, *Integer rounding and polyhedral
/// decomposition for totally unimodular systems*, 1978): units that fit through channels of width `T` fit into `T`
/// steps. Flows over time: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) const SCATTER_FLOW: Method = Method {
    name: "scatter-flow",
    about: "scatter from one source to any receivers and in any number of chunks: exact by flows, also over time",
    find,
    evaluations_per_delivery: 16,
    is_random: false,
    parts: &[HALVING, STORE_AND_FORWARD, TIME_EXPANDED],
};

/// See [`halving`].
const HALVING: Part = Part { owner: "scatter-flow", name: "halving", about: "direct transfers by halving a flow" };

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

/// Returns a schedule of direct wormhole transfers; `None` if there is none.
fn direct(request: &MethodRequest<'_>, scatter: &SingleSourceScatter, opposite: &[[ChannelId; 2]]) -> Option<Schedule> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    if !request.uses(HALVING) {
        return None;
    }
    let mut supply = Supply::new(topology, scatter, model.ports, Transport::Direct);
    if model.routing == Routing::Minimal {
        supply.keep_shortest();
    }
    let (steps, mut network) = supply.fewest_steps()?;
    for [there, back] in opposite {
        network.cancel(ArcId::new(there.number()), ArcId::new(back.number()));
    }
    division::schedule(&supply, &network, steps, request)
}

/// Returns a schedule of wormhole transfers with relays. Relays help if terminals do not route, and under minimal
/// routing if two shortest paths form a detour.
fn relayed(
    request: &MethodRequest<'_>,
    scatter: &SingleSourceScatter,
    opposite: &[[ChannelId; 2]],
) -> Option<Schedule> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let mut supply = Supply::new(topology, scatter, model.ports, Transport::Relayed);
    let (bound, _) = supply.fewest_steps()?;
    let direct = direct(request, scatter, opposite);
    let below = direct.as_ref().map_or(u32::MAX, |schedule| schedule.step_count() as u32);
    if below <= bound.max(request.goal) {
        return direct;
    }
    let hops =
        store_and_forward::schedule(request, scatter, opposite).filter(|hops| hops.step_count() < below as usize);
    let best = hops.or(direct);
    let below = best.as_ref().map_or(u32::MAX, |schedule| schedule.step_count() as u32);
    if below <= bound.max(request.goal) {
        return best;
    }
    let over_time = |supply: &Supply<'_>, single_hops: &[ChannelId], from| {
        time_expanded::schedule(supply, Timing::Wormhole, single_hops, opposite, from, below, request)
    };
    if model.routing == Routing::Any {
        return over_time(&supply, &[], bound).or(best);
    }
    // Every path along the channels that stay open is a shortest path.
    let all = supply.clone();
    supply.keep_shortest();
    let is_closed = |channel: &ChannelId| all.is_open(*channel) && !supply.is_open(*channel);
    let joins_terminals = |channel: &ChannelId| {
        topology.is_terminal(topology.tail(*channel)) && topology.is_terminal(topology.head(*channel))
    };
    let (single_hops, others): (Vec<_>, Vec<_>) = topology.channels().filter(is_closed).partition(joins_terminals);
    let mut from = bound;
    if !others.is_empty()
        && let Some(schedule) = over_time(&all, &[], bound)
    {
        // In many networks with switches, all paths are shortest paths.
        if request.task().is_ok_and(|task| has_shortest_paths(&task, &schedule)) {
            return Some(schedule);
        }
        from = schedule.step_count() as u32;
    }
    over_time(&supply, &single_hops, from).or(best)
}

/// Returns true if each path of a schedule is a shortest one between its ends.
fn has_shortest_paths(task: &SchedulingTask<'_>, schedule: &Schedule) -> bool {
    let topology = task.topology();
    let ends = |path: &[ChannelId]| [topology.tail(path[0]), topology.head(path[path.len() - 1])];
    let mut paths: Vec<([NodeId; 2], usize)> = schedule
        .steps()
        .flat_map(|(_, step)| step.iter())
        .map(|transfer| (ends(transfer.path), transfer.path.len()))
        .collect();
    paths.sort_unstable();
    let (mut distance, mut queue) = (vec![0; topology.node_count()], Vec::new());
    paths.chunk_by(|one, next| one.0[0] == next.0[0]).all(|from_one| {
        fill_distances(task, [from_one[0].0[0]], &mut distance, &mut queue);
        from_one.iter().all(|&([_, end], length)| length == distance[end.index()] as usize)
    })
}

#[cfg(test)]
mod tests;
