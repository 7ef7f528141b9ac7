//! The way to a schedule of one phase.

use lockstep_analytic::Construction;
use lockstep_bounds::{BoundSearch, Cost};
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_evolve::{Algorithm, Evolution, HgsaOptions, MAX_DELIVERIES, SearchSpace, UmdaOptions, candidate_paths};
use lockstep_paths::PathTable;
use lockstep_schedule::{Budget, NotFound, Problem, Schedule, StopReason, verify};

use super::checkpoint::{CheckpointError, Identity};
use super::engine::Engine;
use super::event::{Ending, Event, Search};
use super::plan_state::{Found, PlanState};
use super::planner::{MAX_CHANNEL_USES, PlanError, PlanOptions, check_size};

/// Of what a phase may spend, the constructions that a search may follow get one part in so many, and so do the dear
/// bounds of its time.
const SHARE: u32 = 4;

/// Of what the constructions may spend, the part before the dear bounds: one part in so many.
const FIRST_LOOK: u32 = 8;

/// The most evaluations of constructions that a search without end may follow.
const MAX_CONSTRUCTION: u64 = 1 << 24;

/// The most pairs of terminals whose paths are prepared for a search.
const MAX_SEARCHED_PAIRS: usize = 1 << 16;

/// One phase, and what may be spent on it. Engines and rules take turns, so that neither does what the other one makes
/// superfluous.
pub(crate) struct PhasePlanner<'a> {
    pub(crate) problem: Problem<'a>,
    pub(crate) options: PlanOptions,
    /// Steps that no schedule can beat; raised on the way.
    pub(crate) bound: LowerBound,
    /// The most steps, if somebody set a limit.
    pub(crate) ceiling: Option<u32>,
    pub(crate) budget: Budget,
    pub(crate) identity: &'a Identity,
}

impl PhasePlanner<'_> {
    /// Adds a schedule of this phase to those that are done. `bound_search` is for the bounds; `search` is the state of the
    /// search in which the state was interrupted.
    pub(crate) fn run(
        mut self,
        state: &mut PlanState,
        bound_search: BoundSearch<'_>,
        search: Option<Vec<u8>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let engine = self.options.engine;
        if search.is_none() {
            state.begin_phase();
            self.begin(state, bound_search, observe)?;
        } else if state.low < self.goal() || self.next_level(state).is_none_or(|(steps, _)| steps != state.level) {
            let what = "the search is not where its results lead".to_owned();
            return Err(CheckpointError::Inconsistent { what }.into());
        }
        if let Some(searcher) = engine.search()
            && self.next_level(state).is_some()
        {
            match self.search(searcher, state, search, observe) {
                Err(PlanError::NotFound(reason)) if state.best.is_some() => tracing::info!(%reason, "search ended"),
                ended => ended?,
            }
        }
        observe(Event::Ended(match self.budget.stop_after(state.spent) {
            _ if state.reached() <= self.bound.steps => Ending::BoundReached,
            _ if self.is_reached(state) => Ending::StepsReached,
            Some(reason) => Ending::Budget(reason),
            None => Ending::Exhausted,
        }));
        let found = state.best.take().expect("engines that find nothing say why");
        match (self.ceiling, found.step_count()) {
            (Some(steps), reached) if steps < reached => Err(NotFound::TooLong { steps, reached }.into()),
            _ => {
                state.done.push(found);
                Ok(())
            }
        }
    }

    /// Everything that comes before a search: constructions and bounds by turns, each as dear as the others leave it
    /// worth while.
    fn begin(
        &mut self,
        state: &mut PlanState,
        mut bound_search: BoundSearch<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let engine = self.options.engine;
        let constructs = engine.includes(Engine::Construct);
        observe(Event::Bound { rule: self.bound.rule, steps: Some(self.bound.steps) });
        self.raise_bound(&mut bound_search, Cost::Linear, state, observe);
        if engine.includes(Engine::Analytic) {
            self.recognise(state, observe);
        }
        if engine == Engine::Analytic && state.best.is_none() {
            state.note(self.budget.stop_after(0));
            let why = "the network has no structure that it knows; use --engine auto".to_owned();
            return Err(NotFound::Unsupported { engine: engine.name(), why }.into());
        }
        if !self.is_reached(state) && constructs {
            self.raise_bound(&mut bound_search, Cost::Searches, state, observe);
            self.check_channel_uses()?;
            self.construct(FIRST_LOOK, state, observe)?;
        }
        self.raise_bound(&mut bound_search, Cost::Expensive, state, observe);
        if !self.is_reached(state) && constructs {
            self.construct(1, state, observe)?;
        }
        state.begin_search(&self.bound, self.goal());
        Ok(())
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

    /// Asks the rules up to this cost, as long as they can say more than the best schedule does.
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

    /// What the constructions for known structures make of the phase, if the judge accepts it.
    fn recognise(&self, state: &mut PlanState, observe: &mut dyn FnMut(Event<'_>)) {
        let (problem, engine) = (&self.problem, Engine::Analytic);
        // They do not search.
        let budget = self.budget.clone().with_evaluations(u64::MAX);
        let see = |construction: &'static Construction, steps| {
            observe(Event::Tried { engine, method: Some(construction.name), attempts: 1, steps: Some(steps) });
        };
        let Some((construction, schedule)) = lockstep_analytic::shortest(problem, self.goal(), &budget, see) else {
            return;
        };
        match verify(problem, &schedule) {
            Ok(verification) => {
                let found = Found::by(engine, Some(construction.name), schedule);
                state.offer(Found { verification: Some(verification), ..found }, observe);
            }
            Err(violation) => tracing::error!(construction = construction.name, %violation, "refused"),
        }
    }

    /// What the general constructions find in so many parts of what they may spend.
    fn construct(
        &self,
        parts: u32,
        state: &mut PlanState,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let parts = if self.may_search() { SHARE * parts } else { parts };
        let evaluations = match self.budget.evaluation_limit() {
            u64::MAX if self.may_search() => MAX_CONSTRUCTION,
            u64::MAX => u64::MAX,
            evaluations => evaluations / u64::from(parts),
        };
        let budget = part_of_time(&self.budget, parts).with_evaluations(evaluations);
        let found = lockstep_construct::shortest(
            &self.problem,
            self.goal(),
            self.options.seed,
            &budget,
            |method, attempts, steps| {
                observe(Event::Tried { engine: Engine::Construct, method: Some(method.name), attempts, steps });
            },
        );
        let found = match found {
            Err(reason) if self.options.engine != Engine::Construct => {
                tracing::info!(%reason, "no construction");
                return Ok(());
            }
            found => found?,
        };
        if found.schedule.step_count() as u32 > self.goal() {
            state.note(budget.clone().with_evaluations(u64::MAX).stop_after(0));
        }
        state.offer(Found::by(Engine::Construct, Some(found.method.name), found.schedule), observe);
        Ok(())
    }

    fn is_reached(&self, state: &PlanState) -> bool {
        state.reached() <= self.goal()
    }

    /// A schedule of so many steps is good enough.
    fn goal(&self) -> u32 {
        self.ceiling.unwrap_or(self.bound.steps)
    }

    /// Searches at one number of steps after the other, until none is left between what is found and what is not.
    fn search(
        &self,
        searcher: Engine,
        state: &mut PlanState,
        mut resumed: Option<Vec<u8>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        self.go_on(state)?;
        let table = self.paths(searcher)?;
        let mut unfound = None;
        let mut before = state.spent;
        let mut tried = |state: &PlanState, steps, observe: &mut dyn FnMut(Event<'_>)| {
            let attempts = state.spent - std::mem::replace(&mut before, state.spent);
            observe(Event::Tried { engine: searcher, method: None, attempts, steps });
        };
        while let Some((steps, is_last)) = self.next_level(state) {
            state.level = steps;
            self.go_on(state)?;
            let result = match SearchSpace::new(self.problem, &table, steps) {
                Ok(space) => {
                    let budget = self.share(state.spent, is_last);
                    let (seed, resumed) = (self.options.seed, resumed.take());
                    if searcher == Engine::Hgsa {
                        self.evolve(HgsaOptions::directed(seed), &space, &budget, state, resumed, observe)?
                    } else {
                        self.evolve(UmdaOptions::directed(seed), &space, &budget, state, resumed, observe)?
                    }
                }
                Err(reason) => Err(reason),
            };
            match result.map_err(|reason| reason_of(searcher, reason)) {
                Ok(schedule) => {
                    tracing::info!(steps, "search found a schedule");
                    tried(state, Some(steps), observe);
                    state.offer(Found::by(searcher, None, schedule), observe);
                }
                Err(reason) => {
                    tracing::info!(%reason, "search");
                    tried(state, None, observe);
                    if self.budget.stop_after(0).is_some() || matches!(reason, NotFound::Unsupported { .. }) {
                        return Err(reason.into());
                    }
                    state.low = steps.saturating_add(1);
                    unfound = Some(reason);
                }
            }
        }
        match unfound {
            Some(reason) if state.best.is_none() => Err(reason.into()),
            _ => Ok(()),
        }
    }

    /// Whether there is something left to search with.
    fn go_on(&self, state: &mut PlanState) -> Result<(), NotFound> {
        let Some(reason) = self.budget.stop_after(state.spent) else { return Ok(()) };
        state.note(Some(reason));
        Err(NotFound::Stopped { steps: state.level, reason })
    }

    /// The number of steps to search at, and whether it is the last one: the goal first, then half way to the best
    /// schedule; without one, ever farther from the goal.
    fn next_level(&self, state: &PlanState) -> Option<(u32, bool)> {
        let low = state.low;
        let best = state.best.as_ref().map(Found::step_count);
        match self.ceiling.or(best.map(|steps| steps.saturating_sub(1))) {
            Some(top) if top < low => None,
            _ if self.is_reached(state) => None,
            top if low == self.goal() => Some((low, top == Some(low))),
            Some(top) => Some((low + (top - low) / 2, top == low)),
            None => {
                let distance = low - self.goal() - 1;
                Some((self.goal().saturating_add(distance.saturating_mul(2).max(1)), false))
            }
        }
    }

    /// Searches at one number of steps.
    fn evolve<A: Algorithm>(
        &self,
        algorithm: A,
        space: &SearchSpace<'_>,
        budget: &Budget,
        state: &mut PlanState,
        resumed: Option<Vec<u8>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Result<Schedule, NotFound>, CheckpointError> {
        let mut search = match resumed {
            Some(bytes) => Evolution::resume(space, algorithm, &bytes)
                .map_err(|error| CheckpointError::Inconsistent { what: error.to_string() })?,
            None => Evolution::new(space, algorithm),
        };
        let (identity, limit) = (self.identity, budget.evaluation_limit());
        let result = search.run(budget, |search| {
            observe(Event::Search(Search { progress: search, identity, state, limit }));
        });
        if let Err(NotFound::Stopped { reason: StopReason::Deadline | StopReason::Cancelled, .. }) = result {
            if self.budget.stop_after(0).is_some() {
                observe(Event::Stopped(Search { progress: &search, identity, state, limit }));
            }
            state.note(budget.stop_after(0));
        }
        state.spent = state.spent.saturating_add(search.evaluations());
        Ok(result)
    }

    /// What the next search may spend: half of what is left, the last one all of it.
    fn share(&self, spent: u64, is_last: bool) -> Budget {
        if is_last {
            return self.budget.clone().with_evaluations(left(&self.budget, spent));
        }
        let evaluations = match left(&self.budget, spent) {
            u64::MAX => u64::MAX,
            left => left.div_ceil(2),
        };
        part_of_time(&self.budget, 2).with_evaluations(evaluations)
    }

    /// Whether a search may follow the constructions.
    fn may_search(&self) -> bool {
        self.options.engine.search().is_some() && self.is_searchable()
    }

    /// Whether the paths of a search fit into memory.
    fn is_searchable(&self) -> bool {
        let terminals = self.problem.topology().terminal_count();
        self.problem.messages().delivery_count() <= MAX_DELIVERIES && terminals * terminals <= MAX_SEARCHED_PAIRS
    }

    /// The paths that a search chooses from.
    fn paths(&self, searcher: Engine) -> Result<PathTable, NotFound> {
        let unsupported = |why: String| NotFound::Unsupported { engine: searcher.name(), why };
        if !self.is_searchable() {
            let (deliveries, terminals) =
                (self.problem.messages().delivery_count(), self.problem.topology().terminal_count());
            return Err(unsupported(format!(
                "{deliveries} deliveries among {terminals} terminals are too many to search; use --engine construct"
            )));
        }
        candidate_paths(&self.problem).map_err(|error| unsupported(error.to_string()))
    }
}

/// The same reason; where the search space has declined, its searcher has.
fn reason_of(searcher: Engine, reason: NotFound) -> NotFound {
    match reason {
        NotFound::Unsupported { why, .. } => NotFound::Unsupported { engine: searcher.name(), why },
        reason => reason,
    }
}

/// The evaluations that are left of a budget.
fn left(budget: &Budget, spent: u64) -> u64 {
    match budget.evaluation_limit() {
        u64::MAX => u64::MAX,
        limit => limit.saturating_sub(spent),
    }
}

/// The same budget, with one part in so many of the time that is left.
pub(crate) fn part_of_time(budget: &Budget, parts: u32) -> Budget {
    match budget.time_left() {
        Some(time) => budget.clone().within(time / parts),
        None => budget.clone(),
    }
}
