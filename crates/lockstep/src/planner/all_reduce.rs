//! All-reduces as one problem: partial sums and results share steps.

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::LowerBound;
use lockstep_construct::{ConstructEngine, all_reduce};
use lockstep_schedule::{
    Budget, Effort, Engine, EngineRequest, FoundSchedule, Part, Pattern, Problem, Schedule, StopReason, verify,
};

use super::budget_share::part_of_time;
use super::event::Event;
use super::plan_state::PhaseSchedule;
use super::registry::RegisteredEngine;

/// The search for an all-reduce as a whole.
pub(super) const WHOLE: Part =
    Part { owner: "planner", name: "whole", about: "an all-reduce whose phases share steps" };

/// The [first look](first_look).
pub(super) const FIRST_LOOK: Part =
    Part { owner: "planner", name: "first-look", about: "a small all-reduce is planned as a whole before its phases" };

/// The second use of the exact rules in a long pass.
pub(super) const EXACT_AGAIN: Part = Part {
    owner: "planner",
    name: "exact-again",
    about: "the exact rules for an all-reduce a second time, with more work",
};

/// The evaluations of one attempt at a whole all-reduce, per delivery.
const ATTEMPT: u64 = 32;

/// A pass of this number of evaluations or more applies the exact rules again, with more work.
const LONG_PASS: u64 = 1 << 24;

/// Literals that a solver assigns in the time of an evaluation.
const LITERALS_PER_EVALUATION: u64 = 8;

/// The bounds of the whole all-reduce get this part of the remaining time.
const BOUND_SHARE: u32 = 4;

/// Returns the best lower bound of an all-reduce, up to `enough` steps.
pub(crate) fn bound_of_all_reduce(
    problem: &Problem<'_>,
    enough: u32,
    (cost, budget): (Cost, &Budget),
    observe: &mut dyn FnMut(Event<'_>),
) -> LowerBound {
    let mut search = BoundSearch::without(problem, budget);
    raise_whole(&mut search, enough, (cost, budget), observe);
    search.best().clone()
}

/// Applies the rules up to this cost to a whole all-reduce, up to `enough` steps. A long pass applies the exact rules twice, the
/// second time with its share of the evaluations.
pub(super) fn raise_whole(
    search: &mut BoundSearch<'_>,
    enough: u32,
    (cost, budget): (Cost, &Budget),
    observe: &mut dyn FnMut(Event<'_>),
) {
    let budget = part_of_time(budget, BOUND_SHARE);
    let mut observe = |rule, bound: Option<&LowerBound>| {
        observe(Event::Bound { rule, steps: bound.map(|bound| bound.steps) });
    };
    search.raise(cost, enough, &budget, &mut observe);
    let evaluations = budget.evaluation_limit();
    if cost == Cost::Exact && budget.uses(EXACT_AGAIN) && (LONG_PASS..u64::MAX).contains(&evaluations) {
        let work = evaluations.saturating_mul(LITERALS_PER_EVALUATION) / u64::from(BOUND_SHARE);
        search.raise_exact(work, enough, &budget, &mut observe);
    }
}

/// The evaluations of the first look at a whole all-reduce, before its phases. A number that does not depend on the budget.
pub(super) const FIRST_LOOK_EVALUATIONS: u64 = 1 << 16;

/// Returns a shorter schedule of a whole all-reduce, before its phases are planned and after bounds of it by rules of little
/// cost, which are the goal unless a number of `steps` is. There is none if the problem is large: then the phases often have
/// optimal schedules at once.
pub(super) fn first_look(
    request: &EngineRequest<'_>,
    steps: Option<u32>,
    search: &mut BoundSearch<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Option<PhaseSchedule> {
    let budget = request.budget;
    if request.problem.messages().delivery_count() > FIRST_LOOK_EVALUATIONS / ATTEMPT || !budget.uses(FIRST_LOOK) {
        return None;
    }
    search.raise(Cost::Searches, u32::MAX, budget, |rule, bound| {
        observe(Event::Bound { rule, steps: bound.map(|bound| bound.steps) });
    });
    let bound = search.best().steps;
    let limit = budget.clone().with_evaluations(budget.evaluation_limit().min(FIRST_LOOK_EVALUATIONS));
    let found = all_reduce(&EngineRequest { goal: steps.unwrap_or(bound), budget: &limit, ..*request })?;
    verified(&request.problem, found, observe)
}

/// Returns true if the problem is also planned as a whole, after its phases: it is an all-reduce, `engines` contains
/// [`ConstructEngine`], and the budget does not leave this out.
pub(super) fn is_planned_whole(problem: &Problem<'_>, engines: &[RegisteredEngine<'_>], budget: &Budget) -> bool {
    let is_construct = |known: &RegisteredEngine<'_>| known.engine.name() == ConstructEngine.name();
    problem.collective().pattern() == Pattern::ReduceBroadcast && budget.uses(WHOLE) && engines.iter().any(is_construct)
}

/// Returns a shorter all-reduce, and why the search was stopped before it reached the goal. There is none if the problem is not
/// planned as a whole.
pub(super) fn shorter_all_reduce(
    request: &EngineRequest<'_>,
    engines: &[RegisteredEngine<'_>],
    observe: &mut dyn FnMut(Event<'_>),
) -> (Option<PhaseSchedule>, Option<StopReason>) {
    let EngineRequest { ref problem, budget, .. } = *request;
    let is_reached = |schedule: &Schedule| schedule.step_count() as u32 <= request.goal;
    if !is_planned_whole(problem, engines, budget) || request.best.is_some_and(is_reached) {
        return (None, None);
    }
    let found = all_reduce(request);
    let is_reached = found.as_ref().is_some_and(|found| is_reached(&found.schedule));
    let stopped = budget.interruption().filter(|_| !is_reached);
    (found.and_then(|found| verified(problem, found, observe)), stopped)
}

/// Returns a schedule that the verifier accepts.
fn verified(problem: &Problem<'_>, found: FoundSchedule, observe: &mut dyn FnMut(Event<'_>)) -> Option<PhaseSchedule> {
    let (engine, steps) = (ConstructEngine.name(), found.schedule.step_count() as u32);
    match verify(problem, &found.schedule) {
        Ok(verification) => {
            let (method, effort) = (found.method, Effort { attempts: 1, evaluations: 0 });
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
