//! The plan of one phase: engines and lower bounds in turn.

use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{
    Budget, Checkpoint, End, EngineEvent, EngineRequest, FoundSchedule, NotFound, Outcome, Problem, SearchProgress,
    StopReason, Unverified, Violation, verify, verify_within,
};

use super::budget_share::part_of_time;
use super::checkpoint::{self, CheckpointError, LazyIdentity, SavedSearch};
use super::error::PlanError;
use super::event::{Ending, Event};
use super::limits::{CHANNEL_USES, MAX_CHANNEL_USES, check_size};
use super::plan_state::{PhaseSchedule, PlanState};
use super::registry::{EngineStage, RegisteredEngine};
use super::rounds::Rounds;

/// The part of the time that the expensive bounds get.
const BOUND_SHARE: u32 = 4;

/// The largest number of evaluations before the expensive bounds.
const MAX_EVALUATIONS_BEFORE_BOUNDS: u64 = 1 << 19;

/// Plans one phase: runs bounds and engines, the cheapest first, until the schedule meets the bound or the budget ends.
pub(super) struct PhasePlanner<'a> {
    pub(super) problem: Problem<'a>,
    /// The engines to run, ascending by stage.
    pub(super) engines: &'a [RegisteredEngine<'a>],
    pub(super) seed: u64,
    /// A schedule to start from.
    pub(super) known: Option<PhaseSchedule>,
    /// The best lower bound so far.
    pub(super) bound: LowerBound,
    /// The maximum number of steps, if there is one.
    pub(super) ceiling: Option<u32>,
    pub(super) budget: Budget,
    /// The cost of the most expensive bounds.
    pub(super) bounds: Cost,
    pub(super) identity: &'a LazyIdentity<'a>,
    /// Why the last engine without success found no schedule.
    pub(super) failure: Option<PlanError>,
    /// Whether the evaluations are spent.
    pub(super) is_spent: bool,
}

/// The lower bounds of a phase that are still to be computed.
struct OpenBounds<'s, 'p> {
    search: &'s mut BoundSearch<'p>,
    /// Whether the bound is final.
    is_final: bool,
}

/// Why a schedule that an engine has found does not count.
enum Refusal {
    /// The time for its verification is over.
    Unfinished(StopReason),
    /// It breaks a rule.
    Invalid { engine: String, violation: Box<Violation> },
}

impl Refusal {
    /// Returns the error of a plan without another schedule. Records that the time is over.
    fn noted(self, state: &mut PlanState) -> PlanError {
        match self {
            Self::Unfinished(reason) => {
                state.note_stop(reason);
                NotFound::Unfinished { reason }.into()
            }
            Self::Invalid { engine, violation } => PlanError::Refused { engine, violation },
        }
    }
}

impl<'a> PhasePlanner<'a> {
    /// Adds a schedule of this phase to the finished phases. `resumed` is the search in which the work was interrupted.
    pub(super) fn run(
        mut self,
        state: &mut PlanState,
        search: &mut BoundSearch<'_>,
        resumed: Option<SavedSearch>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let mut bounds = OpenBounds { search, is_final: resumed.is_some() };
        if resumed.is_none() {
            state.best = self.known.take();
            self.run_constructions(state, &mut bounds, observe)?;
        }
        self.run_rounds(state, &mut bounds, resumed, observe)?;
        let Some(best) = state.best.take() else {
            let failure = self.failure.expect("an engine without a schedule has a reason");
            // A search says for how many steps it looked.
            let is_of_search = matches!(failure, PlanError::NotFound(NotFound::Stopped { .. }));
            let stopped = self.budget.interruption().filter(|_| !is_of_search);
            return Err(stopped.map_or(failure, |reason| NotFound::Unfinished { reason }.into()));
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

    /// Runs the engines that do not search, and the bounds that cost less than a portfolio. The expensive bounds come after
    /// the first rounds of the portfolio, which often meets a cheap bound sooner.
    fn run_constructions(
        &mut self,
        state: &mut PlanState,
        bounds: &mut OpenBounds<'_, '_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        observe(Event::Bound { rule: self.bound.rule, steps: Some(self.bound.steps) });
        self.raise_bound(bounds, Cost::Linear, state, observe);
        let (constructions, others) = self.stages();
        for known in constructions {
            self.run_engine(known, None, state, observe)?;
        }
        if let Some(failure) = self.failure.take_if(|_| others.is_empty() && state.best.is_none()) {
            return Err(failure);
        }
        if !self.is_reached(state) {
            self.raise_bound(bounds, Cost::Searches, state, observe);
            if others.iter().any(|known| known.stage == EngineStage::Portfolio) {
                self.check_channel_uses()?;
            }
        }
        Ok(())
    }

    /// Runs the portfolio and the searches in rounds with more and more evaluations, from the resumed search on. The
    /// searches begin after the expensive bounds, which begin after a portfolio with the same work.
    fn run_rounds(
        &mut self,
        state: &mut PlanState,
        bounds: &mut OpenBounds<'_, '_>,
        resumed: Option<SavedSearch>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let (_, engines) = self.stages();
        let mut rounds = Rounds::new(engines);
        let mut first = 0;
        if let Some(SavedSearch { engine, state: search, rounds: saved }) = resumed {
            rounds = saved.unwrap_or(rounds);
            let place = engines.iter().position(|known| known.engine.name() == engine);
            first =
                place.filter(|_| rounds.is_of(engines) && !self.is_reached(state)).ok_or_else(inconsistent_search)?;
            rounds.of(first).state = Some(search);
        }
        let before_bounds = self.evaluations_before_bounds();
        loop {
            for (place, known) in engines.iter().enumerate().skip(std::mem::take(&mut first)) {
                if known.stage == EngineStage::Search {
                    if !bounds.is_final && rounds.portfolio_may_spend(before_bounds) {
                        continue;
                    }
                    self.finish_bound(bounds, state, observe);
                }
                if rounds.may_run(place) {
                    self.run_engine(known, Some((&mut rounds, place)), state, observe)?;
                }
                if self.is_over(state) {
                    self.finish_bound(bounds, state, observe);
                    return Ok(());
                }
            }
            if !rounds.portfolio_may_spend(before_bounds) {
                self.finish_bound(bounds, state, observe);
                if self.is_over(state) || rounds.are_over() {
                    return Ok(());
                }
            }
            rounds.advance();
        }
    }

    /// Runs one engine, unless the schedule is already good enough. Keeps its schedule if it is shorter and valid.
    fn run_engine(
        &mut self,
        known: &RegisteredEngine<'_>,
        mut rounds: Option<(&mut Rounds, usize)>,
        state: &mut PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        if self.is_reached(state) {
            return Ok(());
        }
        let engine = known.engine.name();
        let below = self.ceiling.map_or(u32::MAX, |steps| steps.saturating_add(1)).min(state.reached());
        let (pause_after, resume, others) = match &mut rounds {
            Some((rounds, place)) => {
                (rounds.pause_after(*place), rounds.of(*place).state.take(), rounds.spent_by_others(*place))
            }
            None => (u64::MAX, None, 0),
        };
        let evaluations = match self.budget.evaluation_limit() {
            limit if limit == u64::MAX || rounds.is_none() => u64::MAX,
            limit => limit.saturating_sub(others),
        };
        let budget = self.budget.clone().with_evaluations(evaluations);
        let (problem, goal, seed) = (self.problem, self.goal(), self.seed);
        let best = state.best.as_ref().map(|best| &best.schedule);
        let request =
            EngineRequest { problem, goal, below, best, seed, budget: &budget, pause_after, resume: resume.as_deref() };
        let identity = self.identity;
        let at_start = rounds.as_ref().map(|(rounds, _)| &**rounds);
        let checkpoint =
            |state: &PlanState, search: &[u8]| checkpoint::write(identity, state, engine, search, at_start);
        let (mut early, mut refusal) = (None, None);
        let Outcome { found, work, end } = known.engine.find(&request, &mut |event| match event {
            EngineEvent::Tried { method, effort, steps } => observe(Event::Tried { engine, method, effort, steps }),
            EngineEvent::Progress(progress) => {
                let checkpoint = || checkpoint(state, &progress.checkpoint.write());
                observe(Event::Search(SearchProgress { checkpoint: Checkpoint(&checkpoint), ..progress }));
            }
            EngineEvent::Found(found) if (found.schedule.step_count() as u32) < state.reached() => {
                match self.verified(engine, found) {
                    Ok(found) => {
                        observe(Event::Found { engine, steps: found.step_count() });
                        early = Some(found);
                    }
                    Err(error) => refusal = Some(error),
                }
            }
            _ => {}
        });
        if let End::Interrupted { reason, state: search } = &end {
            // After a bound that was cut short, the whole plan may take another way.
            if let Some(search) = search.as_ref().filter(|_| state.cut_short.is_none()) {
                observe(Event::Stopped(Checkpoint(&|| checkpoint(state, search))));
            }
            state.note_stop(*reason);
            self.is_spent |= *reason == StopReason::Evaluations;
        }
        if let Some((rounds, place)) = rounds {
            rounds.record(place, work, end);
        }
        state.best = early.or(state.best.take());
        match found {
            Ok(found) => self.offer(engine, found, state, observe),
            Err(NotFound::Resume { why }) => return Err(inconsistent(&why).into()),
            Err(reason) => {
                tracing::info!(engine, %reason, "no schedule");
                self.failure = Some(reason.into());
            }
        }
        if let Some(refusal) = refusal {
            self.failure = Some(refusal.noted(state));
        }
        Ok(())
    }

    /// Keeps a schedule of this phase if it is shorter than those before, and valid.
    fn offer(&mut self, engine: &str, found: FoundSchedule, state: &mut PlanState, observe: &mut dyn FnMut(Event<'_>)) {
        let steps = found.schedule.step_count() as u32;
        if steps >= state.reached() {
            return;
        }
        match self.verified(engine, found) {
            Ok(found) => {
                observe(Event::Found { engine, steps });
                state.best = Some(found);
            }
            Err(refusal) => self.failure = Some(refusal.noted(state)),
        }
    }

    /// Verifies a schedule of this phase.
    fn verified(&self, engine: &str, found: FoundSchedule) -> Result<PhaseSchedule, Refusal> {
        // A schedule that was found in time may be verified a little later. A cancelled search keeps its schedule.
        let verified = match verify_within(&self.problem, &found.schedule, &self.budget.for_first_result()) {
            Err(Unverified::Stopped(StopReason::Cancelled)) => {
                verify(&self.problem, &found.schedule).map_err(Unverified::Invalid)
            }
            verified => verified,
        };
        match verified {
            Ok(verification) => Ok(PhaseSchedule::new(engine, found, verification)),
            Err(Unverified::Stopped(reason)) => Err(Refusal::Unfinished(reason)),
            Err(Unverified::Invalid(violation)) => {
                tracing::error!(engine, method = found.method, %violation, "schedule refused");
                Err(Refusal::Invalid { engine: engine.to_owned(), violation: Box::new(violation) })
            }
        }
    }

    /// Computes the expensive bounds, and stores the final bound of the phase.
    fn finish_bound(
        &mut self,
        bounds: &mut OpenBounds<'_, '_>,
        state: &mut PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) {
        if !std::mem::replace(&mut bounds.is_final, true) {
            self.raise_bound(bounds, self.bounds, state, observe);
            state.push_bound(&self.bound);
        }
    }

    /// Computes the lower bounds up to this cost that can still exceed the best schedule.
    fn raise_bound(
        &mut self,
        bounds: &mut OpenBounds<'_, '_>,
        cost: Cost,
        state: &mut PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) {
        let budget =
            if cost >= Cost::Expensive { part_of_time(&self.budget, BOUND_SHARE) } else { self.budget.clone() };
        bounds.search.raise(cost, state.reached(), &budget, |rule, bound| {
            observe(Event::Bound { rule, steps: bound.map(|bound| bound.steps) });
        });
        self.bound = bounds.search.best().clone();
        let stopped = budget.interruption().filter(|_| self.bound.steps < state.reached());
        if let Some(reason) = stopped {
            state.note_stop(reason);
        }
        tracing::info!(steps = self.bound.steps, rule = %self.bound.rule, "lower bound");
    }

    /// Returns the number of evaluations that take as long as the expensive bounds: searches of the network from each
    /// terminal.
    fn evaluations_before_bounds(&self) -> u64 {
        let topology = self.problem.topology();
        let visits = (topology.node_count() + topology.channel_count()) as u64;
        visits.saturating_mul(topology.terminal_count() as u64).min(MAX_EVALUATIONS_BEFORE_BOUNDS)
    }

    /// Refuses a phase whose schedule would not fit into memory.
    fn check_channel_uses(&self) -> Result<(), PlanError> {
        let longest = (self.problem.topology().node_count() as u64).saturating_sub(1);
        if self.problem.messages().delivery_count().saturating_mul(longest) <= MAX_CHANNEL_USES {
            return Ok(());
        }
        let bound = lockstep_bounds::by_rule(&self.problem, Rule::DistanceSum);
        match bound.map(|bound| bound.certificate) {
            Some(Certificate::DistanceSum { channel_uses, .. }) => {
                check_size(CHANNEL_USES, channel_uses, MAX_CHANNEL_USES)
            }
            _ => Ok(()),
        }
    }

    fn is_reached(&self, state: &PlanState) -> bool {
        state.best.is_some() && state.reached() <= self.goal()
    }

    /// Returns the number of steps of a schedule that is good enough.
    fn goal(&self) -> u32 {
        self.ceiling.unwrap_or(self.bound.steps)
    }

    /// Returns true if no engine can improve the plan of this phase any more: it is good enough, or the budget ended.
    fn is_over(&self, state: &mut PlanState) -> bool {
        if self.is_reached(state) || self.is_spent {
            return true;
        }
        let stopped = self.budget.stop_after(0);
        if let Some(reason) = stopped {
            state.note_stop(reason);
        }
        stopped.is_some()
    }

    /// Returns the engines that do not search, and those that run in rounds.
    fn stages(&self) -> (&'a [RegisteredEngine<'a>], &'a [RegisteredEngine<'a>]) {
        self.engines.split_at(self.engines.partition_point(|known| known.stage == EngineStage::Construction))
    }
}

fn inconsistent_search() -> CheckpointError {
    inconsistent("its search is not one that runs")
}

fn inconsistent(what: &str) -> CheckpointError {
    CheckpointError::Inconsistent { what: what.to_owned() }
}
