//! The way to a schedule of one phase.

use lockstep_evolve::{MAX_DELIVERIES, SearchSpace, Umda, UmdaOptions, candidate_paths};
use lockstep_paths::PathTable;
use lockstep_schedule::{Budget, NotFound, Problem, Schedule, StopReason};

use crate::checkpoint::{CheckpointError, Identity};
use crate::engine::Engine;
use crate::event::{Event, Search};
use crate::journey::{Found, Journey};
use crate::planner::{PlanError, PlanOptions};

/// Of the budget of a phase, a construction that a search may follow gets one part in so many.
const CONSTRUCTION_SHARE: u32 = 4;

/// The most restarts of such a construction; past them a search finds more.
const MAX_RESTARTS: u64 = 256;

/// The most pairs of terminals whose paths are prepared for a search.
const MAX_SEARCHED_PAIRS: usize = 1 << 16;

/// One phase, and what may be spent on it.
pub(crate) struct Quest<'a> {
    pub(crate) problem: Problem<'a>,
    pub(crate) options: PlanOptions,
    /// Steps that no schedule can beat.
    pub(crate) floor: u32,
    /// The most steps, if somebody set a limit.
    pub(crate) ceiling: Option<u32>,
    pub(crate) budget: Budget,
    pub(crate) identity: &'a Identity,
}

impl Quest<'_> {
    /// Adds a schedule of this phase to those that are done. `draft` is one that exists already, `search` the state of the
    /// search in which the journey was interrupted.
    pub(crate) fn run(
        &self,
        journey: &mut Journey,
        draft: Option<Found>,
        search: Option<Vec<u8>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        let engine = self.options.engine;
        if search.is_none() {
            journey.begin_phase(self.goal());
            self.begin(journey, draft, observe)?;
        } else if journey.low < self.goal() || self.next_level(journey).is_none_or(|(steps, _)| steps != journey.level)
        {
            let what = "the search is not where its results lead".to_owned();
            return Err(CheckpointError::Inconsistent { what }.into());
        }
        if engine.includes(Engine::Umda) && self.next_level(journey).is_some() {
            match self.search(journey, search, observe) {
                Err(PlanError::NotFound(reason)) if journey.best.is_some() => tracing::info!(%reason, "search ended"),
                ended => ended?,
            }
        }
        let found = journey.best.take().expect("engines that find nothing say why");
        match (self.ceiling, found.step_count()) {
            (Some(steps), reached) if steps < reached => Err(NotFound::TooLong { steps, reached }.into()),
            _ => {
                journey.done.push(found);
                Ok(())
            }
        }
    }

    /// Everything that comes before a search.
    fn begin(
        &self,
        journey: &mut Journey,
        draft: Option<Found>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), NotFound> {
        let engine = self.options.engine;
        if let Some(draft) = draft {
            journey.offer(draft, observe);
        } else if engine == Engine::Analytic {
            journey.note(self.budget.stop_after(0));
            let why = "the network has no structure that it knows; use --engine auto".to_owned();
            return Err(NotFound::Unsupported { engine: engine.name(), why });
        }
        if engine.includes(Engine::Construct) && !self.is_reached(journey) {
            match self.construct(journey, observe) {
                Err(reason) if engine == Engine::Construct => return Err(reason),
                Err(reason) => tracing::info!(%reason, "no construction"),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    fn is_reached(&self, journey: &Journey) -> bool {
        journey.best.as_ref().is_some_and(|best| best.step_count() <= self.goal())
    }

    /// A schedule of so many steps is good enough.
    fn goal(&self) -> u32 {
        self.ceiling.unwrap_or(self.floor)
    }

    fn construct(&self, journey: &mut Journey, observe: &mut dyn FnMut(Event<'_>)) -> Result<(), NotFound> {
        let transfers = self.problem.messages().delivery_count();
        let (share, restarts) = match self.options.engine {
            Engine::Construct => (1, u64::MAX),
            _ => (CONSTRUCTION_SHARE, MAX_RESTARTS),
        };
        let restarts = match self.budget.evaluation_limit() {
            u64::MAX => restarts,
            evaluations => (evaluations / u64::from(share) / transfers).clamp(1, restarts),
        };
        let budget = part_of_time(&self.budget, share).with_evaluations(restarts);
        let found = lockstep_construct::shortest(&self.problem, self.goal(), self.options.seed, &budget)?;
        if found.schedule.step_count() as u32 > self.goal() {
            journey.note(budget.stop_after(0));
        }
        let found = Found::by(Engine::Construct, Some(found.method.name), found.schedule);
        tracing::info!(steps = found.step_count(), restarts, "construction");
        journey.offer(found, observe);
        Ok(())
    }

    /// Searches at one number of steps after the other, until none is left between what is found and what is not.
    fn search(
        &self,
        journey: &mut Journey,
        mut resumed: Option<Vec<u8>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), PlanError> {
        self.go_on(journey)?;
        let table = self.paths()?;
        let mut unfound = None;
        while let Some((steps, is_last)) = self.next_level(journey) {
            journey.level = steps;
            self.go_on(journey)?;
            let result = match SearchSpace::new(self.problem, &table, steps) {
                Ok(space) => {
                    let budget = self.share(journey.spent, is_last);
                    self.search_space(&space, &budget, journey, resumed.take(), observe)?
                }
                Err(reason) => Err(reason),
            };
            match result {
                Ok(schedule) => {
                    tracing::info!(steps, "search found a schedule");
                    journey.offer(Found::by(Engine::Umda, None, schedule), observe);
                }
                Err(reason) => {
                    tracing::info!(%reason, "search");
                    if self.budget.stop_after(0).is_some() || matches!(reason, NotFound::Unsupported { .. }) {
                        return Err(reason.into());
                    }
                    journey.low = steps.saturating_add(1);
                    unfound = Some(reason);
                }
            }
        }
        match unfound {
            Some(reason) if journey.best.is_none() => Err(reason.into()),
            _ => Ok(()),
        }
    }

    /// Whether there is something left to search with.
    fn go_on(&self, journey: &mut Journey) -> Result<(), NotFound> {
        let Some(reason) = self.budget.stop_after(journey.spent) else { return Ok(()) };
        journey.note(Some(reason));
        Err(NotFound::Stopped { steps: journey.level, reason })
    }

    /// The number of steps to search at, and whether it is the last one: the goal first, then half way to the best
    /// schedule; without one, ever farther from the goal.
    fn next_level(&self, journey: &Journey) -> Option<(u32, bool)> {
        let low = journey.low;
        let best = journey.best.as_ref().map(Found::step_count);
        match self.ceiling.or(best.map(|steps| steps.saturating_sub(1))) {
            Some(top) if top < low => None,
            _ if self.is_reached(journey) => None,
            top if low == self.goal() => Some((low, top == Some(low))),
            Some(top) => Some((low + (top - low) / 2, top == low)),
            None => {
                let distance = low - self.goal() - 1;
                Some((self.goal().saturating_add(distance.saturating_mul(2).max(1)), false))
            }
        }
    }

    /// Searches at one number of steps.
    fn search_space(
        &self,
        space: &SearchSpace<'_>,
        budget: &Budget,
        journey: &mut Journey,
        resumed: Option<Vec<u8>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Result<Schedule, NotFound>, CheckpointError> {
        let options = UmdaOptions::directed(self.options.seed);
        let mut umda = match resumed {
            Some(bytes) => Umda::resume(space, options, &bytes)
                .map_err(|error| CheckpointError::Inconsistent { what: error.to_string() })?,
            None => Umda::new(space, options),
        };
        let (identity, limit) = (self.identity, budget.evaluation_limit());
        let result = umda.run(budget, |umda| observe(Event::Search(Search { umda, identity, journey, limit })));
        if let Err(NotFound::Stopped { reason: StopReason::Deadline | StopReason::Cancelled, .. }) = result {
            if self.budget.stop_after(0).is_some() {
                observe(Event::Stopped(Search { umda: &umda, identity, journey, limit }));
            }
            journey.note(budget.stop_after(0));
        }
        journey.spent = journey.spent.saturating_add(umda.evaluations());
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

    /// The paths that a search chooses from.
    fn paths(&self) -> Result<PathTable, NotFound> {
        let unsupported = |why: String| NotFound::Unsupported { engine: Engine::Umda.name(), why };
        let (deliveries, terminals) =
            (self.problem.messages().delivery_count(), self.problem.topology().terminal_count());
        if deliveries > MAX_DELIVERIES || terminals * terminals > MAX_SEARCHED_PAIRS {
            return Err(unsupported(format!(
                "{deliveries} deliveries among {terminals} terminals are too many to search; use --engine construct"
            )));
        }
        candidate_paths(&self.problem).map_err(|error| unsupported(error.to_string()))
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
fn part_of_time(budget: &Budget, parts: u32) -> Budget {
    match budget.time_left() {
        Some(time) => budget.clone().within(time / parts),
        None => budget.clone(),
    }
}
