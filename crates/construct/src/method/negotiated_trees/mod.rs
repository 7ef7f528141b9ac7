//! Broadcasts of several messages, and scatters over buses: the trees of all messages compete for the channels of a number of
//! steps.

use lockstep_model::{Routes, Slots};
use lockstep_schedule::{MessageId, Pattern, Schedule};
use rand_chacha::ChaCha8Rng;

use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::transfer_log::TransferLog;
use crate::negotiation::Negotiation;
use crate::negotiation::detours::add_detours;
use crate::negotiation::groups::Groups;
use crate::negotiation::neighbour_routes::{add_crossings, neighbour_routes};
use crate::negotiation::transfers::Transfers;

/// Negotiated trees: broadcasts of several messages on any network, and scatters on networks with buses. Each message has a
/// tree through time from its source to its receivers. A channel or port that several trees use in the same step becomes more
/// expensive in each pass, until no two trees share one.
///
/// Without a known schedule, the number of steps is at most four times the goal plus the number of terminals. Time: one evaluation
/// per four routes considered. A pass considers every route at every terminal of the trees that share something. Memory: 16 bytes
/// per message and terminal, 12 bytes per channel and step.
///
/// # Source
///
/// McMurchie and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs*, FPGA 1995; here, a tree per
/// message in the network expanded in time.
pub(crate) const NEGOTIATED_TREES: Method = Method {
    name: "negotiated-trees",
    about: "broadcasts of several messages: trees through time that compete for channels by prices",
    find,
    evaluations_per_delivery: 64,
    is_random: true,
    parts: &[],
};

/// The largest number of messages times terminals.
const MAX_PLACES: u64 = 1 << 20;

/// The number of routes considered in each of the first attempts.
const FIRST_WORK: u64 = 1 << 16;

/// Number of attempts after which an attempt may consider twice as many routes.
const ATTEMPTS_PER_DOUBLING: u64 = 4;

/// The largest number of doublings.
const MAX_DOUBLINGS: u64 = 6;

/// Units of work per route considered.
const ROUTE_WORK: u64 = 32;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    let (topology, messages) = (problem.topology(), problem.messages());
    let places = messages.len() as u64 * topology.terminal_count() as u64;
    let is_supported = match problem.collective().pattern() {
        Pattern::Broadcast => true,
        // Other methods plan scatters better on networks without buses.
        Pattern::Scatter => topology.has_buses(),
        _ => false,
    };
    if !is_supported || request.fixed.is_some() || places > MAX_PLACES {
        return Err(MethodError::Unsupported);
    }
    let task = request.task()?;
    let slots = task.slots();
    let mut routes = neighbour_routes(&task, &slots).ok_or(MethodError::Unsupported)?;
    let near = Groups::new(problem, &routes).map(|groups| (routes.clone(), groups));
    let far = add_crossings(&mut routes, &task, &slots)
        .and_then(|()| Groups::new(problem, &routes))
        .map(|groups| (routes, groups));
    let mut longer = far.as_ref().or(near.as_ref()).map_or_else(Routes::new, |(routes, _)| routes.clone());
    let longer = add_detours(&mut longer, &task, &slots)
        .and_then(|()| Groups::new(problem, &longer))
        .map(|groups| (longer, groups));
    let tables: Vec<(Routes, Groups)> = [near, far, longer].into_iter().flatten().collect();
    if tables.is_empty() {
        return Err(MethodError::Unsupported);
    }
    let log = request.best_attempt(|rng, context| {
        let (routes, groups) = &tables[context.number() as usize % tables.len()];
        attempt(request, context, Tables { routes, groups, slots: &slots }, rng)
    })?;
    Ok(log.into_schedule())
}

/// The routes of an attempt.
#[derive(Clone, Copy)]
struct Tables<'a> {
    routes: &'a Routes,
    groups: &'a Groups,
    slots: &'a Slots,
}

/// Negotiates trees in fewer and fewer steps, until the goal is reached or the work of the attempt is done.
fn attempt(
    request: &MethodRequest<'_>,
    context: &AttemptContext<'_>,
    Tables { routes, groups, slots }: Tables<'_>,
    rng: &mut ChaCha8Rng,
) -> Result<TransferLog, MethodError> {
    let work = FIRST_WORK << (context.number() / ATTEMPTS_PER_DOUBLING).min(MAX_DOUBLINGS);
    let budget = request.budget.clone().with_evaluations(work);
    let goal = context.goal().max(1);
    let longest = goal.saturating_mul(4).saturating_add(groups.terminal_count() as u32);
    let mut steps = context.below().min(longest);
    let mut best = None;
    let Some(mut negotiation) = Negotiation::new(routes, groups, slots, steps - 1, budget) else {
        return Err(MethodError::Unsupported);
    };
    while steps > goal
        && let Some(transfers) = negotiation.plan(steps - 1, rng)
    {
        steps = transfers.step_count();
        best = Some(transfers);
    }
    context.count(ROUTE_WORK * negotiation.evaluations());
    match best {
        Some(transfers) => log(&transfers, routes),
        None => context.check(0).and(Err(MethodError::NoShorter)),
    }
}

fn log(transfers: &Transfers, routes: &Routes) -> Result<TransferLog, MethodError> {
    let mut in_order = transfers.0.clone();
    in_order.sort_by_key(|transfer| transfer.step);
    let mut log = TransferLog::default();
    for transfer in in_order {
        log.push(MessageId::new(transfer.block), transfer.step, routes.path(transfer.route))?;
    }
    Ok(log)
}

#[cfg(test)]
mod tests;
