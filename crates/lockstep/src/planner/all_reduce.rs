//! All-reduces as one problem: partial sums and results share steps.

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::LowerBound;
use lockstep_construct::{ConstructEngine, all_reduce};
use lockstep_schedule::{Budget, Effort, Engine, FoundSchedule, Pattern, Problem, Schedule, StopReason, verify};

use super::budget_share::part_of_time;
use super::event::Event;
use super::plan_state::PhaseSchedule;
use super::registry::RegisteredEngine;

/// The work on the whole all-reduce gets this part of the budget.
const SHARE: u32 = 4;

/// Returns the best lower bound of a problem from that of its phases. An all-reduce may have a better one as a whole, which
/// is searched up to `enough` steps.
pub(crate) fn bound_of_whole(
    problem: &Problem<'_>,
    of_phases: LowerBound,
    enough: u32,
    budget: &Budget,
    observe: &mut dyn FnMut(Event<'_>),
) -> LowerBound {
    if problem.collective().pattern() != Pattern::ReduceBroadcast {
        return of_phases;
    }
    let mut search = BoundSearch::new(problem);
    search.offer(of_phases);
    search.raise(Cost::Expensive, enough, &part_of_time(budget, SHARE), |rule, bound| {
        observe(Event::Bound { rule, steps: bound.map(|bound| bound.steps) });
    });
    search.best().clone()
}

/// Returns an all-reduce in fewer steps than `start`, and why the search was stopped before it reached the goal. There is
/// none if the collective is no all-reduce, or if `engines` does not contain [`ConstructEngine`].
pub(super) fn shorter_all_reduce(
    problem: &Problem<'_>,
    engines: &[RegisteredEngine<'_>],
    start: Option<&Schedule>,
    goal: u32,
    seed: u64,
    budget: &Budget,
    observe: &mut dyn FnMut(Event<'_>),
) -> (Option<PhaseSchedule>, Option<StopReason>) {
    let engine = ConstructEngine.name();
    let is_chosen = engines.iter().any(|known| known.engine.name() == engine);
    let is_reached = start.is_some_and(|start| start.step_count() as u32 <= goal);
    if problem.collective().pattern() != Pattern::ReduceBroadcast || !is_chosen || is_reached {
        return (None, None);
    }
    let budget = part_of_time(budget, SHARE).with_evaluations(budget.evaluation_limit() / u64::from(SHARE));
    let found = all_reduce(problem, start, goal, seed, &budget);
    let is_reached = found.as_ref().is_some_and(|found| found.schedule.step_count() as u32 <= goal);
    let stopped = budget.with_evaluations(u64::MAX).stop_after(0).filter(|_| !is_reached);
    (found.and_then(|found| verified(problem, found, observe)), stopped)
}

/// Returns a schedule that the verifier accepts.
fn verified(problem: &Problem<'_>, found: FoundSchedule, observe: &mut dyn FnMut(Event<'_>)) -> Option<PhaseSchedule> {
    let (engine, steps) = (ConstructEngine.name(), found.schedule.step_count() as u32);
    match verify(problem, &found.schedule) {
        Ok(verification) => {
            let (method, effort) = (found.method.as_deref(), Effort { attempts: 1, evaluations: 0 });
            observe(Event::Tried { engine, method, effort, steps: Some(steps) });
            observe(Event::Found { engine, steps });
            Some(PhaseSchedule::new(engine, found, verification))
        }
        Err(violation) => {
            tracing::error!(engine, method = found.method, %violation, "schedule refused");
            None
        }
    }
}
