//! One pass of a planner: all phases of a problem one after the other, and an all-reduce as a whole.

use lockstep_bounds::Cost;
use lockstep_certificate::LowerBound;
use lockstep_schedule::{Budget, DistributePhase, EngineRequest, Phase, Problem, Schedule, StopReason};

use super::all_reduce::{first_look, is_planned_whole, shorter_all_reduce};
use super::bounds::Bounds;
use super::budget_share::share;
use super::checkpoint::{CheckpointError, LazyIdentity, SavedSearch};
use super::error::PlanError;
use super::event::{Ending, Event};
use super::mirror::Mirror;
use super::options::PlanOptions;
use super::phase_planner::PhasePlanner;
use super::plan_state::{PhaseSchedule, PlanState};
use super::registry::RegisteredEngine;
use crate::plan::CutShort;

/// What a pass is given beside the bounds.
pub(super) struct Pass<'p> {
    pub(super) problem: &'p Problem<'p>,
    pub(super) phases: &'p [DistributePhase<'p>],
    /// The problem of each phase.
    pub(super) problems: &'p [Problem<'p>],
    /// If there is one, the second phase begins with the image of the first.
    pub(super) mirror: Option<&'p Mirror<'p>>,
    pub(super) engines: &'p [RegisteredEngine<'p>],
    pub(super) options: PlanOptions<'p>,
    /// The seed of its random choices.
    pub(super) seed: u64,
    pub(super) budget: Budget,
    /// The cost of the most expensive lower bounds.
    pub(super) bounds: Cost,
    /// True if a small all-reduce is planned as a whole before its phases, too.
    pub(super) looks_first: bool,
    /// The identity of its checkpoints.
    pub(super) identity: LazyIdentity<'p>,
}

/// What a pass has found.
pub(super) struct Found {
    /// The shortest schedule of all phases.
    pub(super) schedule: PhaseSchedule,
    /// Why some search was stopped before its evaluations were spent.
    pub(super) cut_short: Option<CutShort>,
    /// A bound of one phase that exceeds the steps of its schedule.
    pub(super) exceeded: Option<(LowerBound, u32)>,
}

impl Found {
    pub(super) fn step_count(&self) -> u32 {
        self.schedule.step_count()
    }

    /// Returns the schedule of this pass, or of those before if it is as short, with what is known of either.
    pub(super) fn or_shorter(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        let cut_short = self.cut_short.or(before.cut_short);
        let exceeded = before.exceeded.or(self.exceeded);
        let schedule =
            if before.schedule.step_count() <= self.schedule.step_count() { before.schedule } else { self.schedule };
        Self { schedule, cut_short, exceeded }
    }
}

impl Pass<'_> {
    /// Plans all phases from `resumed` on. `known` is the shortest schedule of earlier passes.
    pub(super) fn run(
        &self,
        known: Option<&PhaseSchedule>,
        resumed: Option<(PlanState, SavedSearch)>,
        bounds: &mut Bounds<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Found, PlanError> {
        let &Self { problem, phases, problems, engines, options, seed, ref budget, ref identity, .. } = self;
        let (mut state, mut resumed) = resumed.map_or_else(Default::default, |(state, search)| (state, Some(search)));
        self.offer_resumed(&state, resumed.is_some(), bounds)?;
        let of_whole =
            bounds.of_whole.as_mut().filter(|_| self.looks_first && is_planned_whole(problem, engines, budget));
        let looked = of_whole.and_then(|of_whole| {
            let best = known.map(|known| &known.schedule);
            let request = EngineRequest { best, ..EngineRequest::new(*problem, 0, seed, budget) };
            first_look(&request, options.steps, of_whole, observe)
        });
        let first = looked.or_else(|| known.cloned());
        let goal = options.steps.unwrap_or(0);
        if let Some(first) = &first {
            // Phases one after the other cannot be shorter than their bounds together.
            let enough = first.step_count();
            let of_whole = bounds.best_steps();
            if enough <= goal.max(of_whole).max(bounds.of_phases_together(enough, budget)) {
                return Ok(self.run_whole(first, bounds, observe));
            }
        }
        let parts = phases.len() + usize::from(is_planned_whole(problem, engines, budget));
        let evaluations = budget.evaluation_limit() / parts as u64;
        for (place, &of_phase) in problems.iter().enumerate().skip(state.done.len()) {
            observe(Event::Part { place, count: parts, evaluations, reached: None });
            let reached: u32 = state.done.iter().map(PhaseSchedule::step_count).sum();
            let to_come: u32 = bounds.of_phases[place + 1..].iter().map(|later| later.best().steps).sum();
            let search = &mut bounds.of_phases[place];
            let phase_planner = PhasePlanner {
                problem: of_phase,
                engines,
                // The phases may be the same problem twice.
                seed: seed ^ place as u64,
                known: state.done.last().and_then(|before| self.mirror?.image(place, before)),
                bound: search.best().clone(),
                ceiling: options.steps.map(|steps| steps.saturating_sub(reached.saturating_add(to_come))),
                // If the passes grow, the time ends the last one. Equal parts of the time would depend on the limit.
                budget: share(budget, parts, if parts > phases.len() { 1 } else { parts - place }),
                identity,
                // The exact bound of an all-reduce is that of the whole.
                bounds: if phases.len() == 1 { self.bounds } else { self.bounds.min(Cost::Expensive) },
                failure: None,
                is_spent: false,
            };
            if let Err(error) = phase_planner.run(&mut state, search, resumed.take(), observe) {
                // The steps that two phases need may still suffice without a barrier.
                observe(Event::Part { place: parts - 1, count: parts, evaluations, reached: None });
                return match (error, self.shorter(None, parts, bounds, observe).0) {
                    (PlanError::NotFound(_), Some(schedule)) => {
                        Ok(Found { schedule, cut_short: state.cut_short, exceeded: None })
                    }
                    (error, _) => Err(error),
                };
            }
        }
        if let ([first, second], Some(mirror)) = (&mut state.done[..], self.mirror)
            && second.step_count() < first.step_count()
            && let Some(image) = mirror.image(0, second)
        {
            *first = image;
        }
        let exceeded = exceeded(&state)?;
        let cut_short = state.cut_short;
        let joined = joined(problem, phases, state.done, options);
        let shortest = first.filter(|first| first.step_count() < joined.step_count()).unwrap_or(joined);
        let reached = shortest.step_count();
        if parts > phases.len() {
            observe(Event::Part { place: phases.len(), count: parts, evaluations, reached: Some(reached) });
        }
        let (shorter, stopped) = self.shorter(Some(&shortest.schedule), parts, bounds, observe);
        let cut_short = stopped.and_then(CutShort::by).or(cut_short);
        Ok(Found { schedule: shorter.unwrap_or(shortest), cut_short, exceeded })
    }

    /// Plans an all-reduce as a whole only, from the first schedule on.
    fn run_whole(&self, first: &PhaseSchedule, bounds: &mut Bounds<'_>, observe: &mut dyn FnMut(Event<'_>)) -> Found {
        let evaluations = self.budget.evaluation_limit();
        observe(Event::Part { place: 0, count: 1, evaluations, reached: Some(first.step_count()) });
        let (shorter, stopped) = self.shorter(Some(&first.schedule), 1, bounds, observe);
        let schedule = shorter.unwrap_or_else(|| first.clone());
        let reached = schedule.step_count();
        observe(Event::Ended(match stopped {
            _ if reached <= bounds.best_steps() => Ending::BoundReached,
            _ if self.options.steps.is_some_and(|steps| reached <= steps) => Ending::StepsReached,
            Some(reason) => Ending::Budget(reason),
            None => Ending::Exhausted,
        }));
        Found { schedule, cut_short: stopped.and_then(CutShort::by), exceeded: None }
    }

    /// Returns an all-reduce in fewer steps than `start`, and why the search for it was stopped. Its bound comes first. The
    /// search gets one of `parts` of the evaluations.
    fn shorter(
        &self,
        start: Option<&Schedule>,
        parts: usize,
        bounds: &mut Bounds<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> (Option<PhaseSchedule>, Option<StopReason>) {
        let reached = start.map_or(u32::MAX, |start| start.step_count() as u32);
        bounds.raise_whole(reached, (self.bounds, &self.budget), observe);
        let goal = self.options.steps.unwrap_or(bounds.best_steps());
        // The search gets all remaining time.
        let budget = share(&self.budget, parts, 1);
        let request = EngineRequest { best: start, ..EngineRequest::new(*self.problem, goal, self.seed, &budget) };
        shorter_all_reduce(&request, self.engines, observe)
    }

    /// Offers the bounds of the phases that a checkpoint contains, after their check.
    fn offer_resumed(
        &self,
        state: &PlanState,
        is_searching: bool,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), CheckpointError> {
        let resumed = state.bounds().map_err(|error| inconsistent(error.to_string()))?;
        let count = state.done.len() + usize::from(is_searching);
        if is_searching && state.done.len() >= self.problems.len() || resumed.len() != count {
            return Err(inconsistent("it has other phases than the collective".to_owned()));
        }
        for ((bound, problem), search) in resumed.into_iter().zip(self.problems).zip(&mut bounds.of_phases) {
            bound.check(problem).map_err(|error| inconsistent(error.to_string()))?;
            search.offer(bound);
        }
        Ok(())
    }
}

/// Returns the schedule of all phases, under the name of the last engine in the registry's order. The report of the
/// verifier is kept only if the schedule is the verified one.
pub(super) fn joined(
    problem: &Problem<'_>,
    phases: &[DistributePhase<'_>],
    mut done: Vec<PhaseSchedule>,
    options: PlanOptions<'_>,
) -> PhaseSchedule {
    if done.len() == 1 && problem.collective().phases() == [Phase::Distribute] {
        return done.remove(0);
    }
    let last = done.iter().max_by_key(|phase| options.engines.position(&phase.engine));
    let last = last.expect("a collective has a phase");
    let (engine, method) = (last.engine.clone(), last.method.clone());
    let mut schedule = Schedule::new();
    for (phase, planned) in phases.iter().zip(done) {
        schedule.append(&phase.from_distribution(planned.schedule));
    }
    PhaseSchedule { engine, method, schedule, verification: None }
}

/// Returns the first bound of a phase that exceeds the steps of its schedule, and these steps.
pub(super) fn exceeded(state: &PlanState) -> Result<Option<(LowerBound, u32)>, CheckpointError> {
    let bounds = state.bounds().map_err(|error| inconsistent(error.to_string()))?;
    let mut phases = bounds.into_iter().zip(&state.done).map(|(bound, phase)| (bound, phase.step_count()));
    Ok(phases.find(|(bound, steps)| *steps < bound.steps))
}

fn inconsistent(what: String) -> CheckpointError {
    CheckpointError::Inconsistent { what }
}
