//! Scatter in direct transfers: a path and a step for each message, so that no channel is used twice in a step.
//!
//! Seen from the steps this is a colouring of paths. Messages are put in [places that are free](free_slots) or
//! [put others out](annealing), as long as some are out; [longer paths](mod@detours) are allowed where shortest ones alone would
//! crowd a channel.

mod annealing;
mod detours;
mod free_slots;
mod occupancy;
mod path_dag;

use lockstep_schedule::{Routing, Schedule, Switching, Transfer};
use rand_chacha::ChaCha8Rng;

use crate::kit::capacities::Capacities;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;
use annealing::AnnealingState;
use detours::detours;
use path_dag::{Detours, PathDags};

/// Wormhole scatter of any kind, each message in one transfer, under any ports and routing. Declines where channels share
/// a resource other than in opposite pairs, where a receiver can be reached only by relays, and what takes more than some
/// hundred megabytes.
///
/// An attempt looks for schedules from the goal on. A message that is out takes a random free place; where there is none,
/// it takes the place where those in its way weigh least, which are then out. An exchange that loses weight is kept with
/// odds that fall as the search goes on, and some messages change places at random with it. The weight of a message is
/// the number of channels and ports it takes, and one more. What is kept has its place at the beginning, and takes it again
/// where it is free at the end.
///
/// Free steps are found for 64 steps at once on all shortest paths at once: a move takes time in proportion to the
/// channels on them. Memory: see [`PathDags`] and [`occupancy::Occupancy`].
///
/// **Source**: routing and wavelength assignment, by partial colourings (Blöchliger and Zufferey, *A graph coloring
/// heuristic using partial solutions and a reactive tabu scheme*, 2008) that are annealed (Kirkpatrick, Gelatt and Vecchi,
/// 1983) instead of made tabu.
pub(crate) const PATH_COLOURING: Method = Method {
    name: "path-colouring",
    about: "wormhole scatter in direct transfers: messages take places and put others out until all have one",
    find,
    evaluations_per_delivery: MOVES,
    is_random: true,
};

/// Moves for each message at one number of steps, in an attempt of the first round; those of later rounds make more.
const MOVES: u64 = 512;

/// The same where the search begins with what is kept: it is near its end, or better begun anew.
const KEPT_MOVES: u64 = 256;

/// Moves for each message where [`WORK`] allows fewer.
const LEAST_MOVES: u64 = 8;

/// Channels looked at on shortest paths, 64 steps of each together, that are enough for the moves at one number of steps.
const WORK: u64 = 1 << 26;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    if !problem.messages().is_scatter() || problem.model().switching != Switching::Wormhole {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(problem.topology()).ok_or(MethodError::Unsupported)?;
    let task = SchedulingTask::new(problem)?;
    let capacities = Capacities::new(&task);
    let mut ways = PathDags::new(&task, &capacities, &Detours::new())?;
    let resources = problem.topology().resource_count() as u64;
    let goal =
        request.goal.max(u32::try_from(ways.channel_uses().div_ceil(resources)).map_err(|_| MethodError::TooLarge)?);
    let has_spare_channels = ways.channel_uses() < u64::from(goal) * resources;
    let mut longer = match problem.model().routing {
        Routing::Any if has_spare_channels => detours(&task, &ways, goal, request)?,
        _ => Detours::new(),
    };
    longer.extend(kept_detours(&task, &ways, request.fixed));
    if !longer.is_empty() {
        ways = PathDags::new(&task, &capacities, &longer)?;
    }
    let first = goal.max(ways.forced_steps(&capacities));
    let colouring = PathColouring { capacities, ways, first, request };
    request.best_attempt(|rng, context| colouring.attempt(rng, context)).map(|log| log.schedule())
}

/// The kept paths that are longer than they must be.
fn kept_detours(task: &SchedulingTask<'_>, ways: &PathDags, kept: Option<FixedTransfers<'_>>) -> Detours {
    let transfers = kept.into_iter().flat_map(FixedTransfers::transfers);
    let detours = transfers.filter_map(|(_, Transfer { message, path })| {
        let ends = (task.topology().tail(*path.first()?), task.topology().head(*path.last()?));
        let is_longer = path.len() > ways.distance(message.number()) as usize;
        (is_longer && ends == ways.ends(message.number())).then(|| (ways.pair(message.number()), path.to_vec()))
    });
    detours.collect()
}

/// What all attempts share.
struct PathColouring<'a> {
    capacities: Capacities,
    ways: PathDags,
    /// The steps to begin with.
    first: u32,
    request: &'a MethodRequest<'a>,
}

impl PathColouring<'_> {
    /// One schedule: at the first number of steps, or at a few more each time as long as messages are left out.
    fn attempt(&self, rng: &mut ChaCha8Rng, context: &AttemptContext<'_>) -> Result<TransferLog, MethodError> {
        let last = self.request.below.saturating_sub(1).min(self.first.saturating_mul(2).saturating_add(64));
        let messages = self.ways.message_count() as u64;
        let mut steps = self.first;
        context.check(steps)?;
        let mut search = AnnealingState::new(&self.ways, &self.capacities, last)?;
        if let Some(kept) = self.request.fixed {
            search.keep(kept, steps);
        }
        loop {
            let left = search.run(steps, self.moves(steps), rng, context)?;
            tracing::trace!(steps, left);
            if left == 0 {
                return search.log();
            }
            if steps == last {
                return Err(MethodError::NoShorter);
            }
            // As many as they would take, if all were as dense as now.
            let more = left as u64 * u64::from(steps) / messages;
            steps = steps.saturating_add(more.max(1) as u32).min(last);
        }
    }

    /// Moves to make at a number of steps.
    fn moves(&self, steps: u32) -> u64 {
        let messages = self.ways.message_count() as u64;
        let arcs = self.ways.arc_count() as u64 / messages.max(1) + 1;
        let most = WORK / (arcs * u64::from(steps.div_ceil(occupancy::WORD)));
        let moves = if self.request.fixed.is_some() { KEPT_MOVES } else { MOVES };
        (moves * messages)
            .min(most)
            .max(LEAST_MOVES * messages)
            .saturating_mul(self.request.attempts.start.saturating_add(1))
    }
}

#[cfg(test)]
mod tests;
