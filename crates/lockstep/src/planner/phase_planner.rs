//! The plan of one phase: engines and lower bounds in turn.

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{
    Budget, EngineEvent, EngineRequest, FoundSchedule, NotFound, Problem, SearchProgress, StopReason, verify,
};

use super::budget_share::{part_of_time, share};
use super::checkpoint::{self, CheckpointError, Identity, SavedSearch};
use super::error::PlanError;
use super::event::{Ending, Event};
use super::limits::{MAX_CHANNEL_USES, check_size};
use super::plan_state::{PhaseSchedule, PlanState};
use super::registry::{EngineStage, RegisteredEngine};

/// The portfolio gets this part of the budget if a search may follow, and so do the expensive bounds of the time.
const SHARE: u32 = 4;

/// The part of the portfolio's budget that it gets before the expensive bounds.
const FIRST_LOOK: u32 = 8;

/// The largest number of evaluations of a portfolio before a search, if the budget has no limit.
const MAX_PORTFOLIO: u64 = 1 << 24;

/// Plans one phase: runs bounds and engines, the cheapest first, until the schedule meets the bound or the budget ends.
pub(super) struct PhasePlanner<'a> {
    pub(super) problem: Problem<'a>,
    /// The engines to run, ascending by stage.
    pub(super) engines: &'a [RegisteredEngine<'a>],
    pub(super) seed: u64,
    /// The best lower bound so far.
    pub(super) bound: LowerBound,
    /// The maximum number of steps, if there is one.
    pub(super) ceiling: Option<u32>,
    pub(super) budget: Budget,
    pub(super) identity: &'a Identity,
    /// Why the last engine without success found no schedule.
    pub(super) failure: Option<PlanError>,
    /// Whether a search has spent its evaluations.
    pub(super) is_spent: bool,
}

impl<'a> PhasePlanner<'a> {
    /// Adds a schedule of this phase to the finished phases. `resumed` is the search in which the work was interrupted.
    pub(super) fn run(
        mut self,
        state: &mut PlanState,
        bound_search: BoundSearch<'_>,
        resumed: Option<&SavedSearch>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        if resumed.is_none() {
            state.best = None;
            self.run_before_search(state, bound_search, observe)?;
            state.push_bound(&self.bound);
        }
        self.run_searches(state, resumed, observe)?;
        let Some(best) = state.best.take() else {
            return Err(self.failure.expect("an engine without a schedule has a reason"));
        };
        let reached = best.step_count();
        observe(Event::Ended(match self.budget.stop_after(0) {
            _ if reached <= self.bound.steps => Ending::BoundReached,
            _ if reached <= self.goal() => Ending::StepsReached,
            Some(reason) => Ending::Budget(reason),
            None if self.is_spent => Ending::Budget(StopReason::Evaluations),
            None => Ending::Exhausted,
        }));
        match self.ceiling {
            Some(steps) if steps < reached => Err(NotFound::TooLong { steps, reached }.into()),
            _ => {
                state.done.push(best);
                Ok(())
            }
        }
    }

    /// Runs everything before the searches: bounds and engines in turn.
    fn run_before_search(
        &mut self,
        state: &mut PlanState,
        mut bound_search: BoundSearch<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        observe(Event::Bound { rule: self.bound.rule, steps: Some(self.bound.steps) });
        self.raise_bound(&mut bound_search, Cost::Linear, state, observe);
        let unlimited = self.budget.clone().with_evaluations(u64::MAX);
        self.run_stage(EngineStage::Construction, &unlimited, state, observe)?;
        self.fail_after_last(EngineStage::Construction, state)?;
        if !self.is_reached(state) && self.has(EngineStage::Portfolio) {
            self.raise_bound(&mut bound_search, Cost::Searches, state, observe);
            self.check_channel_uses()?;
            self.run_stage(EngineStage::Portfolio, &self.portfolio_budget(FIRST_LOOK), state, observe)?;
            self.fail_after_last(EngineStage::Portfolio, state)?;
        }
        self.raise_bound(&mut bound_search, Cost::Expensive, state, observe);
        self.run_stage(EngineStage::Portfolio, &self.portfolio_budget(1), state, observe)
    }

    /// Runs the searches, from the resumed one on.
    fn run_searches(
        &mut self,
        state: &mut PlanState,
        resumed: Option<&SavedSearch>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let engines = self.stage(EngineStage::Search);
        let (first, mut resume) = match resumed {
            None => (0, None),
            Some(search) => {
                let place = engines.iter().position(|known| known.engine.name() == search.engine);
                let Some(place) = place.filter(|_| !self.is_reached(state)) else {
                    return Err(inconsistent("its search is not one that runs").into());
                };
                (place, Some(search.state.as_slice()))
            }
        };
        for (place, known) in engines.iter().enumerate().skip(first) {
            let budget = share(&self.budget, engines.len(), engines.len() - place);
            self.run_engine(known, &budget, resume.take(), state, observe)?;
        }
        Ok(())
    }

    /// Runs the engines of one stage on the same budget.
    fn run_stage(
        &mut self,
        among: EngineStage,
        budget: &Budget,
        state: &mut PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        self.stage(among).iter().try_for_each(|known| self.run_engine(known, budget, None, state, observe))
    }

    /// Runs one engine, unless the schedule is already good enough. Keeps its schedule if it is shorter and valid.
    fn run_engine(
        &mut self,
        known: &RegisteredEngine<'_>,
        budget: &Budget,
        resume: Option<&[u8]>,
        state: &mut PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        if self.is_reached(state) {
            return Ok(());
        }
        let engine = known.engine.name();
        let below = self.ceiling.map_or(u32::MAX, |steps| steps.saturating_add(1)).min(state.reached());
        let (problem, goal, seed) = (self.problem, self.goal(), self.seed);
        let request = EngineRequest { problem, goal, below, seed, budget, resume };
        let identity = self.identity;
        let mut is_spent = false;
        let found = known.engine.find(&request, &mut |event| match event {
            EngineEvent::Tried { method, effort, steps } => observe(Event::Tried { engine, method, effort, steps }),
            EngineEvent::Progress(progress) => {
                let checkpoint = || checkpoint::write(identity, state, engine, (progress.checkpoint)());
                observe(Event::Search(SearchProgress { checkpoint: &checkpoint, ..progress }));
            }
            EngineEvent::Stopped { reason, progress } => {
                if let Some(progress) = progress.filter(|_| self.budget.stop_after(0).is_some()) {
                    let checkpoint = || checkpoint::write(identity, state, engine, (progress.checkpoint)());
                    observe(Event::Stopped(SearchProgress { checkpoint: &checkpoint, ..progress }));
                }
                state.note_stop(reason);
                is_spent |= reason == StopReason::Evaluations;
            }
            _ => {}
        });
        self.is_spent |= is_spent;
        match found {
            Ok(found) => self.offer(engine, found, state, observe),
            Err(NotFound::Resume { why }) => return Err(inconsistent(&why).into()),
            Err(reason) => {
                tracing::info!(engine, %reason, "no schedule");
                self.failure = Some(reason.into());
            }
        }
        Ok(())
    }

    /// Keeps a schedule of this phase if it is shorter than those before, and valid.
    fn offer(&mut self, engine: &str, found: FoundSchedule, state: &mut PlanState, observe: &mut dyn FnMut(Event<'_>)) {
        let steps = found.schedule.step_count() as u32;
        if steps >= state.reached() {
            return;
        }
        match verify(&self.problem, &found.schedule) {
            Ok(verification) => {
                observe(Event::Found { engine, steps });
                state.best = Some(PhaseSchedule::new(engine, found, verification));
            }
            Err(violation) => {
                tracing::error!(engine, method = found.method, %violation, "schedule refused");
                self.failure = Some(PlanError::Refused { engine: engine.to_owned(), violation: Box::new(violation) });
            }
        }
    }

    /// Returns the budget of one run of each engine of the portfolio: one part of `parts`, or less if a search may
    /// follow.
    fn portfolio_budget(&self, parts: u32) -> Budget {
        let is_followed =
            self.stage(EngineStage::Search).iter().any(|known| known.engine.supports(&self.problem).is_ok());
        let engines = self.stage(EngineStage::Portfolio).len().max(1) as u32;
        let parts = if is_followed { SHARE * parts } else { parts } * engines;
        let evaluations = match self.budget.evaluation_limit() {
            u64::MAX if is_followed => MAX_PORTFOLIO,
            u64::MAX => u64::MAX,
            evaluations => evaluations / u64::from(parts),
        };
        part_of_time(&self.budget, parts).with_evaluations(evaluations)
    }

    /// Computes the lower bounds up to this cost that can still exceed the best schedule.
    fn raise_bound(
        &mut self,
        bound_search: &mut BoundSearch<'_>,
        cost: Cost,
        state: &PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) {
        let budget = if cost == Cost::Expensive { part_of_time(&self.budget, SHARE) } else { Budget::unlimited() };
        bound_search.raise(cost, state.reached(), &budget, |rule, bound| {
            observe(Event::Bound { rule, steps: bound.map(|bound| bound.steps) });
        });
        self.bound = bound_search.best().clone();
        tracing::info!(steps = self.bound.steps, rule = %self.bound.rule, "lower bound");
    }

    /// Fails if there is no schedule after this stage, and no engine in a later one.
    fn fail_after_last(&mut self, finished: EngineStage, state: &PlanState) -> Result<(), PlanError> {
        let is_last = self.engines.last().is_none_or(|known| known.stage <= finished);
        match self.failure.take_if(|_| is_last && state.best.is_none()) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Refuses a phase whose schedule would not fit into memory.
    fn check_channel_uses(&self) -> Result<(), PlanError> {
        let bound = lockstep_bounds::by_rule(&self.problem, Rule::DistanceSum);
        match bound.map(|bound| bound.certificate) {
            Some(Certificate::DistanceSum { channel_uses, .. }) => {
                check_size("channel uses", channel_uses, MAX_CHANNEL_USES)
            }
            _ => Ok(()),
        }
    }

    fn is_reached(&self, state: &PlanState) -> bool {
        state.best.is_some() && state.reached() <= self.goal()
    }

    /// Returns a schedule of this number of steps is good enough.
    fn goal(&self) -> u32 {
        self.ceiling.unwrap_or(self.bound.steps)
    }

    fn has(&self, stage: EngineStage) -> bool {
        !self.stage(stage).is_empty()
    }

    /// Returns the engines of one stage.
    fn stage(&self, stage: EngineStage) -> &'a [RegisteredEngine<'a>] {
        let start = self.engines.partition_point(|known| known.stage < stage);
        let end = self.engines.partition_point(|known| known.stage <= stage);
        &self.engines[start..end]
    }
}

fn inconsistent(what: &str) -> CheckpointError {
    CheckpointError::Inconsistent { what: what.to_owned() }
}
