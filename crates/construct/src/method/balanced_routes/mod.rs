//! Messages of one receiver that are passed on from neighbour to neighbour: balanced routes, then who goes when.

mod fixed_routes;
mod list_scheduling;
mod prices;
mod routes;
mod step_search;
mod terminal_graph;
#[cfg(test)]
mod tests;
mod traffic;

use lockstep_schedule::{MessageId, Schedule};
use rand::Rng;

use self::fixed_routes::KeptRoutes;
use self::routes::Routes;
use self::terminal_graph::Network;
use self::traffic::Traffic;
use crate::kit::request::{Method, Miss, Poll, Request};
use crate::kit::slots::Capacities;
use crate::kit::task::Task;
use crate::kit::transfer_log::Log;

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
    effort: 64,
    is_random: true,
};

/// The most hops of all messages together: about 1 GiB.
const MAX_HOPS: u64 = 1 << 24;

fn find(request: &Request<'_>) -> Result<Schedule, Miss> {
    let task = Task::new(request.problem)?;
    let relays = task.stores_and_forwards() || !task.model().is_direct();
    if !task.messages().is_scatter() || !relays || task.messages().len() as u64 > MAX_HOPS {
        return Err(Miss::Unfit);
    }
    let capacities = Capacities::new(&task);
    let network = Network::new(&task, &capacities);
    let traffic = Traffic::new(&task, &network).filter(|traffic| traffic.hops <= MAX_HOPS).ok_or(Miss::Unfit)?;
    let log = match request.kept {
        None => request.best_of(|rng, poll| build(&network, &traffic, rng, poll)),
        Some(kept) => {
            let kept = KeptRoutes::new(&task, &network, &traffic, kept);
            request.best_of(|rng, poll| kept.mended(&network, &traffic, rng, poll))
        }
    };
    log.map(|log| log.schedule())
}

fn build(network: &Network, traffic: &Traffic, rng: &mut impl Rng, poll: &Poll<'_>) -> Result<Log, Miss> {
    let goal = least_steps(network, traffic)?.max(poll.goal());
    let (load, routes) = routes::balanced(network, traffic, goal, rng, poll)?;
    let (mut steps, mut step_of) = list_scheduling::furthest_first(network, &routes, rng, poll)?;
    while steps > goal.max(load) {
        let Some(shorter) = step_search::shortened(network, &routes, &step_of, steps - 1, rng, poll) else { break };
        (steps, step_of) = (steps - 1, shorter);
    }
    write(network, &routes, &step_of)
}

/// Steps that no schedule of shortest routes can do without.
fn least_steps(network: &Network, traffic: &Traffic) -> Result<u32, Miss> {
    let least = u32::try_from(traffic.hops.div_ceil(network.rate())).map_err(|_| Miss::TooLarge)?;
    Ok(least.max(traffic.longest))
}

fn write(network: &Network, routes: &Routes, step_of: &[u32]) -> Result<Log, Miss> {
    let mut log = Log::default();
    for message in 0..routes.len() {
        for place in routes.places(message) {
            log.push(MessageId::from_index(message), step_of[place], &[network.original(routes.hops()[place])])?;
        }
    }
    Ok(log)
}
