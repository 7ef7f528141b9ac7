//! The repair of a schedule after faults, phase by phase.

use std::ops::Range;

use lockstep_bounds::{BoundSearch, Cost, of_phase};
use lockstep_certificate::LowerBound;
use lockstep_construct::{ConstructEngine, repair, survivors};
use lockstep_schedule::{Budget, DistributePhase, Engine, NotFound, Problem, Schedule, verify};

use crate::plan::{Changes, CutShort, Origin, Plan, Repaired};
use crate::planner::{Event, PlanError, bound_of_all_reduce, part_of_time, share};

/// The name of the repair among the methods of its engine.
const METHOD: &str = "repair";

/// The repair and its bounds get this part of the budget; the fresh plan gets the budget itself.
const SHARE: u32 = 4;

/// Evaluations per delivery before the expensive bounds: some attempts of the methods that place each delivery once.
const FIRST_LOOK: u64 = 16;

/// The repair of a schedule for a problem with fewer nodes and channels.
pub(super) struct ScheduleRepair<'a> {
    /// The problem that the schedule solves.
    pub(super) before: &'a Problem<'a>,
    /// The problem after the faults.
    pub(super) problem: &'a Problem<'a>,
    pub(super) seed: u64,
    pub(super) budget: &'a Budget,
}

impl ScheduleRepair<'_> {
    /// Returns the plan of the repaired schedule, or `None` if some phase of it cannot be repaired. An all-reduce can be
    /// repaired if some step ends its reduction and begins its distribution, or if the faults affect no transfer.
    pub(super) fn run(
        &self,
        schedule: &Schedule,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<(Plan, Repaired)>, PlanError> {
        let (old_phases, phases) = (DistributePhase::all(self.before), DistributePhase::all(self.problem));
        let (mut whole, mut bounds, mut changes) = (Schedule::new(), Vec::new(), Changes::default());
        let Some(parts) = parts(self.before, &old_phases, schedule) else {
            if verify(self.problem, schedule).is_ok() {
                return self.keep(&phases, schedule, observe).map(Some);
            }
            tracing::info!("no repair of an all-reduce whose reduction and distribution overlap");
            return Ok(None);
        };
        let mut cut_short = None;
        for (place, ((old_phase, phase), part)) in old_phases.iter().zip(&phases).zip(parts).enumerate() {
            let (old_problem, problem) = (old_phase.problem(self.before), phase.problem(self.problem));
            let budget = part_of_time(&share(self.budget, phases.len(), phases.len() - place), SHARE);
            let mut bound_search = BoundSearch::new(&problem);
            match self.repair_phase(&old_problem, &part, &problem, &mut bound_search, &budget, observe) {
                Ok((repaired, of_phase)) => {
                    let stopped = budget.interruption();
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
        self.plan(&phases, bounds, whole, changes, cut_short, observe).map(Some)
    }

    /// Returns the plan of a schedule that the faults do not affect.
    fn keep(
        &self,
        phases: &[DistributePhase<'_>],
        schedule: &Schedule,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Plan, Repaired), PlanError> {
        let mut bound = |phase: &DistributePhase<'_>| {
            let problem = phase.problem(self.problem);
            let mut search = BoundSearch::new(&problem);
            raise_bound(&mut search, Cost::Searches, u32::MAX, self.budget, observe);
            search.best().clone()
        };
        let bounds = if let [phase] = phases { vec![bound(phase)] } else { Vec::new() };
        let changes = Changes { kept: schedule.transfer_count(), ..Changes::default() };
        self.plan(phases, bounds, schedule.clone(), changes, None, observe)
    }

    /// Returns the verified plan of a schedule of all phases. The bounds of the phases of an all-reduce are no bounds of the whole.
    fn plan(
        &self,
        phases: &[DistributePhase<'_>],
        mut bounds: Vec<LowerBound>,
        schedule: Schedule,
        changes: Changes,
        cut_short: Option<CutShort>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Plan, Repaired), PlanError> {
        let bound = if let ([phase], Some(bound)) = (phases, bounds.pop()) {
            of_phase(phase, bound)
        } else {
            let enough = schedule.step_count() as u32;
            bound_of_all_reduce(self.problem, enough, (Cost::Expensive, self.budget), observe)
        };
        let engine = ConstructEngine.name();
        let origin = Origin::new(engine, Some(METHOD), self.seed, cut_short);
        let plan = Plan::verified(self.problem, schedule, None, (bound, false), origin)
            .map_err(|refusal| PlanError::refused(engine, refusal))?;
        let repaired = Repaired { steps: plan.step_count(), changes };
        observe(Event::Repaired(repaired));
        Ok((plan, repaired))
    }

    /// Repairs the schedule of one phase, which distributes its messages.
    fn repair_phase(
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
            repair(problem, &kept, goal, self.seed, &budget, |method, effort, steps| {
                let engine = ConstructEngine.name();
                observe(Event::Tried { engine, method: Some(method.name), effort, steps });
            })
        };
        let most = budget.evaluation_limit() / u64::from(SHARE);
        raise_bound(bound_search, Cost::Searches, u32::MAX, budget, observe);
        let first_look = FIRST_LOOK.saturating_mul(problem.messages().delivery_count());
        let mut repaired = attempt(bound_search.best().steps, first_look.min(most), observe)?;
        raise_bound(bound_search, Cost::Expensive, repaired.schedule.step_count() as u32, budget, observe);
        if repaired.schedule.step_count() as u32 > bound_search.best().steps {
            // A deadline or an interrupt can end the longer attempt before its first schedule.
            repaired = attempt(bound_search.best().steps, most, observe).unwrap_or(repaired);
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

/// Computes the lower bounds up to this cost that can exceed `enough`.
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

/// Returns the schedules of the phases as distributions; `None` for an all-reduce without a step between its phases.
fn parts(problem: &Problem<'_>, phases: &[DistributePhase<'_>], schedule: &Schedule) -> Option<Vec<Schedule>> {
    let [reduction, distribution] = phases else {
        return Some(phases.iter().map(|phase| phase.to_distribution(schedule.clone())).collect());
    };
    let distribute = problem.collective().distributing();
    let collect = distribute.reversed();
    let [reduce, distribute] = [&collect, &distribute].map(|collective| {
        Problem::new(problem.topology(), collective, problem.model()).expect("an all-reduce contains both")
    });
    // Once a reduction is complete, it stays complete.
    let steps: Vec<usize> = (0..=schedule.step_count()).collect();
    let end = steps.partition_point(|&end| verify(&reduce, &part(schedule, 0..end)).is_err());
    let rest = part(schedule, end..schedule.step_count());
    let is_separate = verify(&distribute, &rest).is_ok();
    is_separate.then(|| vec![reduction.to_distribution(part(schedule, 0..end)), distribution.to_distribution(rest)])
}

/// Returns the given steps of a schedule.
fn part(schedule: &Schedule, steps: Range<usize>) -> Schedule {
    let mut part = Schedule::new();
    for step in steps {
        part.begin_step();
        schedule.step(step).iter().for_each(|transfer| part.push(transfer.message, transfer.path));
    }
    part
}
