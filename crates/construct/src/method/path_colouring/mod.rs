//! Scatter in direct transfers: a path and a step per message, so that no resource is used twice in a step.
//!
//! With steps as colours, this is a colouring of paths.
//!
//! | file | role |
//! |---|---|
//! | `path_dag` | the shortest paths and detours of every message |
//! | `detours` | longer paths where shortest paths alone overload a channel |
//! | `occupancy` | the messages that use each slot in each step |
//! | `free_slots` | the steps and paths in which a message has few conflicts |
//! | `annealing` | the search: messages take free steps or displace other messages |

mod annealing;
mod detours;
mod free_slots;
mod occupancy;
mod path_dag;
#[cfg(test)]
mod tests;

use lockstep_schedule::{Routing, Schedule, Switching, Transfer};
use rand_chacha::ChaCha8Rng;

use self::annealing::AnnealingState;
use self::detours::find_detours;
use self::path_dag::{Detours, PathDags};
use crate::kit::capacities::Capacities;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Path colouring: wormhole scatter of any kind in direct transfers, under any ports and routing.
///
/// An attempt tries numbers of steps from the goal on. A message without a step takes a random free one. If there is
/// none, it takes the step and path with the lightest conflicts, and displaces the messages there. An exchange that
/// loses weight is accepted with a probability that falls during the search, and moves some messages at random. The
/// weight of a message is one more than the number of its channels and ports. Fixed transfers are placed at the
/// beginning, and again at the end where their steps are free.
///
/// Not supported: networks where channels share a resource other than in opposite pairs, receivers that only relays
/// reach, and problems that take more than some hundred megabytes. Time: `O(A)` per move and 64 steps, for the `A` arcs
/// of a message's paths. Memory: see [`PathDags`] and [`occupancy::Occupancy`].
///
/// # Source
///
/// Routing and wavelength assignment by partial colourings (Blöchliger and Zufferey, *A graph coloring heuristic using
/// partial solutions and a reactive tabu scheme*, 2008), with simulated annealing (Kirkpatrick, Gelatt and Vecchi,
/// 1983) in place of tabu search.
pub(crate) const PATH_COLOURING: Method = Method {
    name: "path-colouring",
    about: "scatter with one transfer per message: a path and a step for each, by annealing on conflicts",
    find,
    evaluations_per_delivery: 512,
    is_random: true,
};

/// Number of moves per message and number of steps, in an attempt of the first round; later rounds make more.
const MOVES: u64 = 512;

/// The same if the search begins with fixed transfers: such a search succeeds early or not at all.
const MOVES_WITH_FIXED: u64 = 256;

/// The minimum number of moves per message, if [`MAX_VISITS`] allows fewer.
const MIN_MOVES: u64 = 8;

/// The maximum number of visits of arcs, for 64 steps each, in all moves at one number of steps.
const MAX_VISITS: u64 = 1 << 26;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    if !problem.messages().is_scatter() || problem.model().switching != Switching::Wormhole {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(problem.topology()).ok_or(MethodError::Unsupported)?;
    let task = SchedulingTask::new(problem)?;
    let capacities = Capacities::new(&task);
    let mut dags = PathDags::new(&task, &capacities, &Detours::new())?;
    let per_step = capacities.of_resources(problem.topology());
    let least = u32::try_from(dags.channel_uses().div_ceil(per_step)).map_err(|_| MethodError::TooLarge)?;
    let goal = request.goal.max(least);
    let has_spare_channels = dags.channel_uses() < u64::from(goal).saturating_mul(per_step);
    let mut detours = match problem.model().routing {
        Routing::Any if has_spare_channels => find_detours(&task, &dags, goal, request)?,
        _ => Detours::new(),
    };
    detours.extend(fixed_detours(&task, &dags, request.fixed));
    if !detours.is_empty() {
        dags = PathDags::new(&task, &capacities, &detours)?;
    }
    let first = goal.max(dags.least_steps(&capacities));
    let colouring = PathColouring { capacities, dags, first, request };
    request.best_attempt(|rng, context| colouring.attempt(rng, context)).map(|log| log.schedule())
}

/// Returns the paths of fixed transfers that are longer than a shortest path.
fn fixed_detours(task: &SchedulingTask<'_>, dags: &PathDags, fixed: Option<FixedTransfers<'_>>) -> Detours {
    let transfers = fixed.into_iter().flat_map(FixedTransfers::transfers);
    let detours = transfers.filter_map(|(_, Transfer { message, path })| {
        let ends = (task.topology().tail(*path.first()?), task.topology().head(*path.last()?));
        let is_longer = path.len() > dags.distance(message.number()) as usize;
        (is_longer && ends == dags.ends(message.number())).then(|| (dags.pair(message.number()), path.to_vec()))
    });
    detours.collect()
}

/// The facts that all attempts share.
struct PathColouring<'a> {
    capacities: Capacities,
    dags: PathDags,
    /// The first number of steps to try.
    first: u32,
    request: &'a MethodRequest<'a>,
}

impl PathColouring<'_> {
    /// Builds one schedule. Increases the number of steps while messages are left without a step.
    fn attempt(&self, rng: &mut ChaCha8Rng, context: &AttemptContext<'_>) -> Result<TransferLog, MethodError> {
        let last = self.request.below.saturating_sub(1).min(self.first.saturating_mul(2).saturating_add(64));
        let messages = self.dags.message_count() as u64;
        let mut steps = self.first;
        context.check(steps)?;
        let mut state = AnnealingState::new(&self.dags, &self.capacities, last)?;
        if let Some(fixed) = self.request.fixed {
            state.place_fixed(fixed, steps);
        }
        loop {
            let left = state.run(steps, self.moves(steps), rng, context)?;
            tracing::trace!(steps, left);
            if left == 0 {
                return state.into_log();
            }
            if steps == last {
                return Err(MethodError::NoShorter);
            }
            // The steps that the remaining messages need at the present density.
            let more = left as u64 * u64::from(steps) / messages;
            steps = steps.saturating_add(more.max(1) as u32).min(last);
        }
    }

    /// Returns the number of moves at a number of steps.
    fn moves(&self, steps: u32) -> u64 {
        let messages = self.dags.message_count() as u64;
        let arcs = self.dags.arc_count() as u64 / messages.max(1) + 1;
        let limit = MAX_VISITS / (arcs * u64::from(steps.div_ceil(occupancy::WORD_STEPS)));
        let moves = if self.request.fixed.is_some() { MOVES_WITH_FIXED } else { MOVES };
        (moves * messages)
            .min(limit)
            .max(MIN_MOVES * messages)
            .saturating_mul(self.request.attempts.start.saturating_add(1))
    }
}
