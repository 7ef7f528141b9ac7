//! Scatter in direct transfers: a path and a step per message, so that no resource is used twice in a step.
//!
//! With steps as colours, this is a colouring of paths.
//!
//! | file | role |
//! |---|---|
//! | `path_dag` | the shortest paths and detours of every message |
//! | `routes` | a path per message, so that no channel is overloaded |
//! | `detours` | longer paths where shortest paths alone overload a channel |
//! | `free_slots` | the steps and paths in which a message has few conflicts |
//! | `annealing` | the search: messages take free steps or displace other messages |
//! | `step_dissolving` | a method of its own: the best schedule of all methods, with fewer steps |

mod annealing;
mod detours;
mod free_slots;
mod path_dag;
mod routes;
mod step_dissolving;
#[cfg(test)]
mod tests;

use lockstep_model::Slots;
use lockstep_schedule::{Part, Routing, Schedule, Switching, Transfer};
use rand_chacha::ChaCha8Rng;

use self::annealing::{AnnealingState, FROM_NOTHING};
use self::detours::find_detours;
use self::path_dag::{Detours, PathDags};
pub(crate) use self::step_dissolving::STEP_DISSOLVING;
use crate::kit::distances::{DistanceScratch, SourceDistances, UNREACHED};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Path colouring: wormhole scatter of any kind in direct transfers, under any ports and routing.
///
/// An attempt tries numbers of steps from the goal on. A message without a step takes a random free one. If there is none, it
/// takes the step and path with the lightest conflicts, and displaces the messages there. An exchange that loses weight is
/// accepted with a probability that falls during the search, and moves some messages at random. The weight of a message is one
/// more than the number of its channels and ports. Fixed transfers are placed at the beginning, and again at the end where their
/// steps are free.
///
/// Not supported: networks where channels share a resource other than in opposite pairs, receivers that only relays
/// reach, problems that take more than some hundred megabytes, and problems without fixed transfers that are so large that
/// a message gets few moves. Window packing and step dissolving support these. Time: `O(A)` per move and 64 steps, for the `A` arcs
/// of a message's paths. Memory: see [`PathDags`] and [`UserTable`](lockstep_model::UserTable).
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
    parts: &[DETOURS],
};

/// See [`detours`].
const DETOURS: Part =
    Part { owner: "path-colouring", name: "detours", about: "longer paths where shortest paths overload a channel" };

/// Number of moves per message and number of steps, in an attempt of the first round; later rounds make more.
const MOVES: u64 = 512;

/// The same if the search begins with fixed transfers: such a search succeeds early or not at all.
const MOVES_WITH_FIXED: u64 = 256;

/// The minimum number of moves per message, if [`MAX_VISITS`] allows fewer.
const MIN_MOVES: u64 = 8;

/// The maximum number of visits of arcs, for 64 steps each, in all moves at one number of steps.
const MAX_VISITS: u64 = 1 << 26;

/// The minimum number of moves per message with which annealing from nothing is of use.
const USEFUL_MOVES: u64 = 128;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    if !problem.messages().is_scatter() || problem.model().switching != Switching::Wormhole {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(problem.topology()).ok_or(MethodError::Unsupported)?;
    let task = request.task()?;
    let slots = task.slots();
    if request.fixed.is_none() && is_too_large(&task, USEFUL_MOVES)? {
        return Err(MethodError::Unsupported);
    }
    let mut dags = PathDags::new(&task, &slots, &Detours::new())?;
    let per_step = problem.topology().capacity_sum();
    let least = u32::try_from(dags.channel_uses().div_ceil(per_step)).map_err(|_| MethodError::TooLarge)?;
    let goal = request.goal.max(least);
    let has_spare_channels = dags.channel_uses() < u64::from(goal).saturating_mul(per_step);
    let may_detour = request.uses(DETOURS) && problem.model().routing == Routing::Any && has_spare_channels;
    let mut detours = if may_detour { find_detours(&task, &dags, goal, request)? } else { Detours::new() };
    detours.extend(fixed_detours(&task, &dags, request.fixed));
    if !detours.is_empty() {
        dags = PathDags::new(&task, &slots, &detours)?;
    }
    let first = goal.max(dags.least_steps(&slots));
    let colouring = PathColouring { slots, dags, first, request };
    request.best_attempt(|rng, context| colouring.attempt(rng, context)).map(TransferLog::into_schedule)
}

/// Returns true if annealing gets fewer moves per message than this. Then every shorter schedule takes many attempts.
fn is_too_large(task: &SchedulingTask<'_>, moves: u64) -> Result<bool, MethodError> {
    let (messages, distances) = (task.messages(), SourceDistances::new(task)?);
    let mut scratch = DistanceScratch::default();
    let mut distance = |message| {
        let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
        let distance = distances.from(messages.source(message), &mut scratch)[receiver.index()];
        if distance == UNREACHED { 0 } else { u64::from(distance) }
    };
    let channel_uses: u64 = messages.ids().map(&mut distance).sum();
    let steps = channel_uses.div_ceil(task.topology().capacity_sum().max(1));
    let visits = moves.saturating_mul(channel_uses).saturating_mul(steps.div_ceil(u64::BITS.into()));
    Ok(visits > MAX_VISITS)
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
    slots: Slots,
    dags: PathDags,
    /// The first number of steps to try.
    first: u32,
    request: &'a MethodRequest<'a>,
}

impl PathColouring<'_> {
    /// Begins with nothing. Increases the number of steps while messages are left without a step.
    fn attempt(&self, rng: &mut ChaCha8Rng, context: &AttemptContext<'_>) -> Result<TransferLog, MethodError> {
        let last = self.request.below.saturating_sub(1).min(self.first.saturating_mul(2).saturating_add(64));
        context.check(self.first)?;
        let messages = self.dags.message_count() as u64;
        let mut steps = self.first;
        let mut state = AnnealingState::new(&self.dags, &self.slots, last)?;
        if let Some(fixed) = self.request.fixed {
            state.place_fixed(fixed, steps);
        }
        loop {
            let left = state.run(steps, self.moves(steps), FROM_NOTHING, rng, context)?;
            tracing::trace!(steps, left);
            if left == 0 {
                return state.log();
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
        let moves = if self.request.fixed.is_some() { MOVES_WITH_FIXED } else { MOVES };
        (moves * messages)
            .min(max_moves(&self.dags, steps))
            .max(MIN_MOVES * messages)
            .saturating_mul(self.request.attempts.start.saturating_add(1))
    }
}

/// Returns the number of moves that make [`MAX_VISITS`].
fn max_moves(dags: &PathDags, steps: u32) -> u64 {
    let arcs = dags.arc_count() as u64 / (dags.message_count() as u64).max(1) + 1;
    MAX_VISITS / (arcs * u64::from(steps.div_ceil(u64::BITS)))
}
