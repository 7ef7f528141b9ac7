//! The portfolio: every method that fits, in rounds of more and more attempts.

use lockstep_schedule::{Budget, DistributePhase, NotFound, Problem, Schedule};
use tracing::instrument;

use crate::kit::request::Method;
use crate::method::METHODS;
use crate::portfolio::{Found, Hunt};

/// Every method. The cheapest and most promising methods come first.
pub fn methods() -> &'static [Method] {
    METHODS
}

/// The first schedule of at most `goal` steps that a method finds, else the shortest of all.
///
/// The methods that fit take turns: each makes one attempt, then more and more. Attempts are made in parallel on the
/// current rayon pool; the result depends only on the problem, `goal`, `seed` and the number of evaluations, unless time
/// or cancellation ends the search. One evaluation is one transfer placed or moved, about: an attempt takes as many for each
/// delivery as its method [says](Method::effort), and the first schedule is free. Without any limit it goes on for ever where
/// `goal` is out of reach. However early the budget ends, the first schedule is brought to its end.
///
/// `problem` distributes its messages; turn a collecting phase round first ([`DistributePhase`]). `observe` sees each method
/// that fits, how many attempts it made, and the steps reached if they are fewer than before.
///
/// # Errors
///
/// [`NotFound::Unsupported`], if the schedule has 2^32 channel uses or more, terminals and messages take more than
/// 4 GiB, or every path found crosses a shared resource twice.
#[instrument(level = "debug", skip_all, fields(network = problem.topology().name(), goal, seed))]
pub fn shortest(
    problem: &Problem<'_>,
    goal: u32,
    seed: u64,
    budget: &Budget,
    mut observe: impl FnMut(&'static Method, u64, Option<u32>),
) -> Result<Found, NotFound> {
    let mut hunt = Hunt::new(problem);
    loop {
        hunt.round(goal, seed, budget, &mut observe);
        if hunt.is_over(goal, budget) {
            return hunt.found();
        }
    }
}

/// A schedule of at most `steps` steps, of any collective; `steps` may be `u32::MAX`.
///
/// Collecting phases are built on the reversed network and read backwards; phases that follow each other take turns.
/// Else as [`shortest()`].
///
/// # Errors
///
/// [`NotFound::TooLong`] says the fewest steps reached, if all evaluations are spent; [`NotFound::Stopped`], if time or
/// cancellation came first; else as [`shortest()`].
pub fn schedule(problem: &Problem<'_>, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    let phases = DistributePhase::all(problem);
    let problems: Vec<Problem> = phases.iter().map(|phase| phase.problem(problem)).collect();
    let mut hunts: Vec<Hunt> = problems.iter().map(Hunt::new).collect();
    // Of several phases each is to be as short as can be.
    let goal = if hunts.len() == 1 { steps } else { 1 };
    loop {
        for hunt in &mut hunts {
            hunt.round(goal, seed, budget, &mut |_, _, _| {});
        }
        let reached = hunts.iter().map(Hunt::reached).try_fold(0, |sum: u32, steps| Some(sum.saturating_add(steps?)));
        let is_over = hunts.iter().all(|hunt| hunt.is_over(goal, budget));
        match (reached, budget.clone().with_evaluations(u64::MAX).stop_after(0)) {
            (Some(reached), _) if reached <= steps => break,
            // One has found nothing and says why.
            (None, _) if is_over => break,
            (Some(_), Some(reason)) if is_over => return Err(NotFound::Stopped { steps, reason }),
            (Some(reached), None) if is_over => return Err(NotFound::TooLong { steps, reached }),
            _ => {}
        }
    }
    let mut schedule = Schedule::new();
    for (phase, hunt) in phases.iter().zip(hunts) {
        schedule.append(&phase.in_time(hunt.found()?.schedule));
    }
    Ok(schedule)
}
