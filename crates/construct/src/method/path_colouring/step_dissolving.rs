//! The best schedule with fewer steps: the messages of the last step look for places in the others.

use lockstep_model::Slots;
use lockstep_schedule::{Schedule, Switching};
use rand_chacha::ChaCha8Rng;

use super::annealing::{AnnealingState, FROM_COLOURING};
use super::path_dag::{Detours, PathDags};
use super::{MIN_MOVES, is_too_large};
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::transfer_log::TransferLog;

/// Step dissolving: fewer steps for the best wormhole scatter that another method has found.
///
/// The messages of the last step lose their places. Each takes a free step and a shortest path, or displaces other messages,
/// as in [path colouring](super::PATH_COLOURING). This repeats while all messages find places. A message that the schedule relays,
/// or sends along a longer path, also loses its place at the beginning.
///
/// Not supported: the problems that path colouring does not support, and fixed transfers. Time per move and memory are those of
/// path colouring.
///
/// # Source
///
/// As for path colouring.
pub(crate) const STEP_DISSOLVING: Method = Method {
    name: "step-dissolving",
    about: "scatter with one transfer per message: the last step of the best schedule is dissolved by annealing",
    find,
    evaluations_per_delivery: 4,
    is_random: true,
    parts: &[],
};

/// Number of moves per message of a step, in an attempt of the first round; later rounds make more.
const MOVES: u64 = 512;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    let is_scatter = problem.messages().is_scatter() && problem.model().switching == Switching::Wormhole;
    if !is_scatter || request.fixed.is_some() {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(problem.topology()).ok_or(MethodError::Unsupported)?;
    let task = request.task()?;
    let slots = task.slots();
    if is_too_large(&task, MIN_MOVES)? {
        return Err(MethodError::Unsupported);
    }
    // Without a known schedule, the first attempt would have no limit of evaluations.
    let best = request.best.filter(|_| request.below < u32::MAX).ok_or(MethodError::NoShorter)?;
    let dags = PathDags::new(&task, &slots, &Detours::new())?;
    let effort = request.attempts.start.saturating_add(1);
    let start = Start { best, dags: &dags, slots: &slots, effort };
    request.best_attempt(|rng, context| start.attempt(rng, context)).map(TransferLog::into_schedule)
}

/// The facts that all attempts share.
#[derive(Clone, Copy)]
struct Start<'a> {
    best: &'a Schedule,
    dags: &'a PathDags,
    slots: &'a Slots,
    effort: u64,
}

impl Start<'_> {
    fn attempt(self, rng: &mut ChaCha8Rng, context: &AttemptContext<'_>) -> Result<TransferLog, MethodError> {
        let first = context.goal().max(self.dags.least_steps(self.slots)).max(1);
        let mut steps = self.best.step_count() as u32;
        let mut state = AnnealingState::new(self.dags, self.slots, steps)?;
        state.place(
            self.best
                .steps()
                .flat_map(|(step, transfers)| transfers.iter().map(move |transfer| (step as u32, transfer))),
        );
        let messages = self.dags.message_count() as u64;
        let mut shorter = Err(MethodError::NoShorter);
        while steps > first {
            steps -= 1;
            state.unplace_from(steps);
            let moves = (MOVES * messages).div_ceil(steps.into()).saturating_mul(self.effort);
            let left = state.run(steps, moves, FROM_COLOURING, rng, context);
            tracing::trace!(steps, ?left, "dissolved");
            match left {
                Ok(0) => shorter = state.log(),
                Ok(_) => break,
                Err(reason) => return shorter.or(Err(reason)),
            }
        }
        shorter
    }
}
