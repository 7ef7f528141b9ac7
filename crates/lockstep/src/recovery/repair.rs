//! The repair of a schedule, phase by phase.

use std::ops::Range;

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_construct::{repair, survivors};
use lockstep_schedule::{Budget, DistributePhase, NotFound, Problem, Schedule, phase_steps};

use super::replan::{Changes, Repaired};
use crate::plan::{CutShort, Plan};
use crate::planner::Engine;
use crate::planner::Event;
use crate::planner::Found;
use crate::planner::part_of_time;
use crate::planner::{PlanError, share};

/// The name of the repair among the methods of its engine.
const METHOD: &str = "repair";

/// Of what may be spent, the repair gets one part in so many, with the bounds.
const SHARE: u32 = 4;

/// Evaluations for each delivery before the dear bounds are asked: some attempts of the methods that place everything once.
const FIRST_LOOK: u64 = 16;

/// What is to be repaired, and what may be spent on it.
pub(super) struct ScheduleRepair<'a> {
    /// The problem that the schedule solves.
    pub(super) before: &'a Problem<'a>,
    /// The problem that it is to solve.
    pub(super) problem: &'a Problem<'a>,
    pub(super) seed: u64,
    pub(super) budget: &'a Budget,
}

impl ScheduleRepair<'_> {
    /// The plan of the repaired schedule; `None` if some phase of it cannot be repaired.
    pub(super) fn mend(
        &self,
        schedule: &Schedule,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<(Plan, Repaired)>, PlanError> {
        let (old_phases, phases) = (DistributePhase::all(self.before), DistributePhase::all(self.problem));
        let (mut whole, mut bounds, mut changes) = (Schedule::new(), Vec::new(), Changes::default());
        let old_steps = phase_steps(self.before, schedule);
        let mut cut_short = None;
        for (place, (old_phase, phase)) in old_phases.iter().zip(&phases).enumerate() {
            let (old_problem, problem) = (old_phase.problem(self.before), phase.problem(self.problem));
            let part = old_phase.to_distribution(part(schedule, old_steps[place].clone()));
            let budget = part_of_time(&share(self.budget, phases.len(), phases.len() - place), SHARE);
            let mut bound_search = BoundSearch::new(&problem);
            match self.mend_phase(&old_problem, &part, &problem, &mut bound_search, &budget, observe) {
                Ok((repaired, of_phase)) => {
                    let stopped = budget.clone().with_evaluations(u64::MAX).stop_after(0);
                    if repaired.step_count() as u32 > bound_search.best().steps {
                        cut_short = stopped.and_then(CutShort::by).or(cut_short);
                    }
                    whole.append(&phase.from_distribution(repaired));
                    bounds.push(bound_search.best().clone());
                    changes = changes.and(of_phase);
                }
                Err(reason) => {
                    tracing::info!(%reason, "no repair");
                    return Ok(None);
                }
            }
        }
        let found = Found::by(Engine::Construct, Some(METHOD), whole);
        let bound = lockstep_bounds::of_phases(&phases, bounds);
        let plan = Plan::judged(self.problem, found, bound, self.seed, cut_short)?;
        let repaired = Repaired { steps: plan.step_count(), changes };
        observe(Event::Repaired(repaired));
        Ok(Some((plan, repaired)))
    }

    /// The repaired schedule of one phase, which distributes its messages.
    fn mend_phase(
        &self,
        before: &Problem<'_>,
        schedule: &Schedule,
        problem: &Problem<'_>,
        bound_search: &mut BoundSearch<'_>,
        budget: &Budget,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Schedule, Changes), NotFound> {
        let kept = survivors(before, schedule, problem)?;
        let attempt = |goal, evaluations, observe: &mut dyn FnMut(Event<'_>)| {
            let budget = budget.clone().with_evaluations(evaluations);
            repair(problem, &kept, goal, self.seed, &budget, |method, attempts, steps| {
                observe(Event::Tried { engine: Engine::Construct, method: Some(method.name), attempts, steps });
            })
        };
        let most = budget.evaluation_limit() / u64::from(SHARE);
        raise_bound(bound_search, Cost::Searches, u32::MAX, budget, observe);
        let first_look = FIRST_LOOK.saturating_mul(problem.messages().delivery_count());
        let mut repaired = attempt(bound_search.best().steps, first_look.min(most), observe)?;
        raise_bound(bound_search, Cost::Expensive, repaired.schedule.step_count() as u32, budget, observe);
        if repaired.schedule.step_count() as u32 > bound_search.best().steps {
            repaired = attempt(bound_search.best().steps, most, observe)?;
        }
        let left = kept.schedule().transfer_count();
        let changes = Changes {
            kept: left - repaired.moved,
            lost: schedule.transfer_count() - left,
            moved: repaired.moved,
            added: repaired.added,
        };
        Ok((repaired.schedule, changes))
    }
}

impl Changes {
    fn and(self, other: Self) -> Self {
        Self {
            kept: self.kept + other.kept,
            lost: self.lost + other.lost,
            moved: self.moved + other.moved,
            added: self.added + other.added,
        }
    }
}

/// Asks the rules up to this cost, as long as they can say more than `enough`.
fn raise_bound(
    bound_search: &mut BoundSearch<'_>,
    cost: Cost,
    enough: u32,
    budget: &Budget,
    observe: &mut dyn FnMut(Event<'_>),
) {
    let unlimited = Budget::unlimited();
    bound_search.raise(cost, enough, if cost == Cost::Expensive { budget } else { &unlimited }, |rule, bound| {
        observe(Event::Bound { rule, steps: bound.map(|bound| bound.steps) });
    });
}

/// The given steps of a schedule.
fn part(schedule: &Schedule, steps: Range<usize>) -> Schedule {
    let mut part = Schedule::new();
    for step in steps {
        part.begin_step();
        schedule.step(step).iter().for_each(|transfer| part.push(transfer.message, transfer.path));
    }
    part
}
