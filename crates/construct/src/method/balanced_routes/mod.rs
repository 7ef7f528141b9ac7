//! Scatter hop by hop: balanced routes first, then the step of each hop.
//!
//! | file | role |
//! |---|---|
//! | `terminal_graph` | the channels between terminals |
//! | `demands` | the messages by source and receiver |
//! | `channel_prices`, `routes` | routes of low congestion |
//! | `list_scheduling`, `step_search` | the step of each hop, first greedily and then by local search |
//! | `fixed_routes` | the start from a given schedule |

mod channel_prices;
mod demands;
mod fixed_routes;
mod list_scheduling;
mod routes;
mod step_search;
mod terminal_graph;
#[cfg(test)]
mod tests;

use lockstep_schedule::{Part, Schedule};
use rand::Rng;

use self::demands::RoutingDemands;
use self::fixed_routes::FixedRoutes;
use self::terminal_graph::TerminalGraph;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::transfer_log::TransferLog;

/// Balanced routes: scatter of any kind hop by hop, under store-and-forward or with relayed wormhole transfers.
///
/// The method first finds routes whose most loaded channel or port takes few steps. List scheduling along the routes
/// mostly takes no more steps than that; otherwise a local search moves hops to other steps. Messages whose fixed
/// transfers lead all the way from source to receiver keep their routes where these are not congested, and the local
/// search begins with their steps.
///
/// Not supported: networks whose terminals are not adjacent, and more than [`MAX_HOPS`] hops. Time: an attempt routes
/// each message about a dozen times, each in `O(A)` for the `A` channels on its shortest paths, or `O(M log N)` with
/// detours. Memory: about 50 bytes per hop.
///
/// # Source
///
/// Routes of low congestion, then schedules of about congestion plus dilation steps: Leighton, Maggs and Rao, *Packet
/// routing and job-shop scheduling in O(congestion + dilation) steps* (1994).
pub(crate) const BALANCED_ROUTES: Method = Method {
    name: "balanced-routes",
    about: "relayed scatter: routes of equal load, then list scheduling and repair",
    find,
    evaluations_per_delivery: 4,
    is_random: true,
    parts: &[TABU],
};

/// See [`step_search`].
const TABU: Part = Part { owner: "balanced-routes", name: "tabu", about: "hops move to other steps by tabu search" };

/// The maximum number of hops of all messages together: about 1 GiB.
const MAX_HOPS: u64 = 1 << 24;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let task = request.task()?;
    let relays = task.stores_and_forwards() || !task.model().is_direct();
    if !task.messages().is_scatter() || !relays || task.messages().len() as u64 > MAX_HOPS {
        return Err(MethodError::Unsupported);
    }
    let slots = task.slots();
    let graph = TerminalGraph::new(&task, &slots);
    let demands = RoutingDemands::new(&task, &graph)
        .filter(|demands| demands.hops <= MAX_HOPS)
        .ok_or(MethodError::Unsupported)?;
    let log = match request.fixed {
        None => request.best_attempt(|rng, context| attempt(&graph, &demands, rng, context)),
        Some(fixed) => {
            let fixed = FixedRoutes::new(&task, &graph, &demands, fixed);
            request.best_attempt(|rng, context| fixed.complete(&graph, &demands, rng, context))
        }
    };
    log.map(TransferLog::into_schedule)
}

/// Builds one schedule without fixed transfers.
fn attempt(
    graph: &TerminalGraph,
    demands: &RoutingDemands,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let goal = demands.least_steps(graph)?.max(context.goal());
    let (load, routes) = routes::balanced(graph, demands, goal, rng, context)?;
    let (mut steps, mut step_of) = list_scheduling::furthest_first(graph, &routes, rng, context)?;
    while steps > goal.max(load) && context.uses(TABU) {
        let Some(shorter) = step_search::shortened(graph, &routes, &step_of, steps - 1, rng, context) else { break };
        (steps, step_of) = (steps - 1, shorter);
    }
    routes.to_log(graph, &step_of)
}
