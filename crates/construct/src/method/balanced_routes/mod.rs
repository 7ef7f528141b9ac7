//! Messages of one receiver that are passed on from neighbour to neighbour: balanced routes, then who goes when.

mod congestion_prices;
mod demands;
mod fixed_routes;
mod list_scheduling;
mod routes;
mod step_search;
mod terminal_graph;
#[cfg(test)]
mod tests;

use lockstep_schedule::{MessageId, Schedule};
use rand::Rng;

use self::demands::Demands;
use self::fixed_routes::FixedRoutes;
use self::routes::RouteSet;
use self::terminal_graph::TerminalGraph;
use crate::kit::capacities::Capacities;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Scatter of any kind that goes from terminal to terminal, under store-and-forward or where wormhole transfers may be
/// relayed: routes whose fullest channel or port takes as few steps as can be found; list scheduling along them, which
/// mostly takes no more; if it does, a local search for other steps.
///
/// What is kept all the way from source to receiver keeps its route where that is not crowded, and begins the local search
/// in its steps; the rest begins in the last steps that are free.
///
/// It declines where terminals are not adjacent, and past [`MAX_HOPS`]. An attempt routes each message a dozen times at
/// most, in time proportional to the channels on its shortest paths, or to the network where detours help. Memory: some
/// 50 bytes for each hop.
///
/// **Source**: routes of least congestion, then schedules of about congestion and dilation together: Leighton, Maggs and
/// Rao, *Packet routing and job-shop scheduling in O(congestion + dilation) steps* (1994).
pub(crate) const BALANCED_ROUTES: Method = Method {
    name: "balanced-routes",
    about: "scatter from neighbour to neighbour: routes that load all channels alike, the longest way first, repairs",
    find,
    evaluations_per_delivery: 64,
    is_random: true,
};

/// The most hops of all messages together: about 1 GiB.
const MAX_HOPS: u64 = 1 << 24;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let task = SchedulingTask::new(request.problem)?;
    let relays = task.stores_and_forwards() || !task.model().is_direct();
    if !task.messages().is_scatter() || !relays || task.messages().len() as u64 > MAX_HOPS {
        return Err(MethodError::Unsupported);
    }
    let capacities = Capacities::new(&task);
    let network = TerminalGraph::new(&task, &capacities);
    let demands =
        Demands::new(&task, &network).filter(|demands| demands.hops <= MAX_HOPS).ok_or(MethodError::Unsupported)?;
    let log = match request.fixed {
        None => request.best_attempt(|rng, context| build(&network, &demands, rng, context)),
        Some(kept) => {
            let kept = FixedRoutes::new(&task, &network, &demands, kept);
            request.best_attempt(|rng, context| kept.mended(&network, &demands, rng, context))
        }
    };
    log.map(|log| log.schedule())
}

fn build(
    network: &TerminalGraph,
    demands: &Demands,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let goal = least_steps(network, demands)?.max(context.goal());
    let (load, routes) = routes::balanced(network, demands, goal, rng, context)?;
    let (mut steps, mut step_of) = list_scheduling::furthest_first(network, &routes, rng, context)?;
    while steps > goal.max(load) {
        let Some(shorter) = step_search::shortened(network, &routes, &step_of, steps - 1, rng, context) else { break };
        (steps, step_of) = (steps - 1, shorter);
    }
    write(network, &routes, &step_of)
}

/// Steps that no schedule of shortest routes can do without.
fn least_steps(network: &TerminalGraph, demands: &Demands) -> Result<u32, MethodError> {
    let least = u32::try_from(demands.hops.div_ceil(network.rate())).map_err(|_| MethodError::TooLarge)?;
    Ok(least.max(demands.longest))
}

fn write(network: &TerminalGraph, routes: &RouteSet, step_of: &[u32]) -> Result<TransferLog, MethodError> {
    let mut log = TransferLog::default();
    for message in 0..routes.len() {
        for place in routes.places(message) {
            log.push(MessageId::from_index(message), step_of[place], &[network.original(routes.hops()[place])])?;
        }
    }
    Ok(log)
}
