//! The portfolio search for a schedule of one distribution: all methods alternate in rounds.

use std::ops::Range;

use lockstep_paths::{PathTable, TableError};
use lockstep_schedule::{
    Budget, Effort, End, EngineRequest, FoundSchedule, NotFound, Outcome, Problem, Schedule, StopReason,
};

use crate::kit::bus_paths::bus_paths;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::{ENGINE, Method};
use crate::kit::method_error::MethodError;
use crate::kit::request::{MethodRequest, WorkCounter};
use crate::method::METHODS;
use crate::method::first_fit::FIRST_FIT;
use crate::method::rarest_first::RAREST_FIRST;

/// The state of a portfolio search: the methods that may still find something, and the best schedule.
///
/// With a time limit, the search begins with a quick schedule of any length, so that a large problem has one in time. It
/// counts if no method finds a shorter one. The methods do not know it, so they do the same work under every limit. At the
/// deadline, a first attempt may [complete](crate::kit::request::AttemptContext::check_completion) its schedule. Without
/// any schedule, the work may go on [a little longer](lockstep_schedule::FIRST_RESULT_GRACE).
pub(crate) struct Portfolio<'a> {
    request: EngineRequest<'a>,
    fixed: Option<FixedTransfers<'a>>,
    methods: Vec<MethodState>,
    best: Option<FoundSchedule>,
    /// The quick schedule, until [`quick`](Self::quick) returns it.
    quick: Option<FoundSchedule>,
    /// Number of steps of the quick schedule; `u32::MAX` without one.
    quick_steps: u32,
    /// Whether the search for a quick schedule has ended.
    is_quick_done: bool,
    /// Only schedules with fewer steps are of use; `u32::MAX` while there is no schedule.
    below: u32,
    /// Number of evaluations so far.
    evaluations: u64,
    /// Whether the next attempt exceeds the limit of evaluations.
    is_spent: bool,
    /// Whether an attempt took more than all evaluations of the budget.
    is_cut: bool,
    /// The paths of a network with buses; without them, no method runs.
    bus_paths: Result<Option<PathTable>, TableError>,
    /// The reason for the error that [`into_best`](Self::into_best) returns without a schedule.
    failure: &'static str,
}

/// The attempts of a method so far.
struct MethodState {
    method: &'static Method,
    /// Number of attempts made.
    attempts: u64,
    /// Number of evaluations so far.
    spent: u64,
    /// Evaluations per attempt: an estimate first, and then the average of the last attempts.
    price: u64,
    /// Whether the method has nothing left to try.
    is_over: bool,
    /// Number of rounds since it found a shorter schedule.
    idle: u64,
}

impl MethodState {
    /// Returns the weight of its share of the evaluations.
    fn weight(&self) -> u64 {
        (MAX_WEIGHT / self.idle.saturating_add(1)).max(1)
    }
}

/// Number of attempts in a further round, per attempt made before.
const GROWTH: u64 = 3;

/// The weight of a method that has just found a shorter schedule. After `n` rounds without one, it is divided by `n + 1`.
const MAX_WEIGHT: u64 = 64;

/// Number of attempts after which a method without any schedule is given up.
const MAX_FAILED_ATTEMPTS: u64 = 64;

/// The maximum estimate of one attempt: the methods limit their work.
const MAX_ESTIMATE: u64 = 1 << 21;

const NO_SCHEDULE: &str = "no attempt led to a schedule; report the network and the collective";
const ALL_LEFT_OUT: &str = "all methods are left out";
const TOO_LARGE: &str = "the schedule has 2^32 channel uses or more, or the table of terminals and messages takes more than \
                         4 GiB; choose a smaller network or fewer messages";

impl<'a> Portfolio<'a> {
    /// Returns a search with the methods that the budget does not [leave out](Budget::without).
    pub(crate) fn new(request: EngineRequest<'a>) -> Self {
        let problem = &request.problem;
        let mut methods = initial_states(problem, METHODS);
        methods.retain(|state| request.budget.uses(state.method.part()));
        let failure = if methods.is_empty() { ALL_LEFT_OUT } else { NO_SCHEDULE };
        Self {
            fixed: None,
            methods,
            best: None,
            quick: None,
            quick_steps: u32::MAX,
            is_quick_done: false,
            below: u32::MAX,
            evaluations: 0,
            is_spent: false,
            is_cut: false,
            bus_paths: bus_paths(problem),
            failure,
            request,
        }
    }

    /// Uses only these methods from now on, and begins every schedule with the fixed transfers.
    pub(crate) fn restrict_to(&mut self, methods: &'static [Method], fixed: FixedTransfers<'a>) {
        self.fixed = Some(fixed);
        self.methods = initial_states(&self.request.problem, methods);
        self.failure = NO_SCHEDULE;
    }

    /// Returns the number of steps of the best schedule.
    pub(crate) fn best_steps(&self) -> Option<u32> {
        let best = self.best.as_ref().map_or(u32::MAX, |best| best.schedule.step_count() as u32);
        Some(best.min(self.quick_steps)).filter(|&steps| steps < u32::MAX)
    }

    /// Returns the fewest steps of a known schedule; `u32::MAX` without one.
    fn reached(&self) -> u32 {
        self.best_steps().unwrap_or(u32::MAX).min(self.below)
    }

    /// Returns true if a known schedule reaches the goal.
    fn is_reached(&self) -> bool {
        self.reached() < u32::MAX && self.reached() <= self.request.goal
    }

    /// Returns true if a schedule is known.
    fn has_schedule(&self) -> bool {
        self.reached() < u32::MAX || self.request.best.is_some()
    }

    /// Returns the limits of an attempt: without a schedule, it may end later.
    fn budget_of_attempt(&self) -> Budget {
        let budget = self.request.budget;
        if self.has_schedule() { budget.clone() } else { budget.for_first_result() }
    }

    /// Returns true if the goal is reached, the budget ended, or no attempts remain before the pause.
    pub(crate) fn is_over(&self) -> bool {
        self.is_reached()
            || self.is_spent
            || !self.methods.iter().any(|state| self.shared_attempts(state) > 0)
            || self.budget_of_attempt().interruption().is_some()
    }

    /// Runs one round: each method makes some more attempts. `observe` gets each method that supports the problem, its
    /// effort, and the number of steps if it is a new best.
    pub(crate) fn round(&mut self, observe: &mut dyn FnMut(&'static Method, Effort, Option<u32>)) {
        self.begin(observe);
        for place in 0..self.methods.len() {
            let attempts = self.methods[place].attempts;
            let planned = (attempts * GROWTH).max(1);
            let more = planned.min(self.shared_attempts(&self.methods[place]));
            let budget = self.budget_of_attempt();
            if more == 0 || self.is_reached() || budget.interruption().is_some() {
                continue;
            }
            // To skip only this method would change what a larger budget does next.
            let allowed =
                more.min(self.affordable_attempts(&self.methods[place], self.request.budget.evaluation_limit()));
            self.is_spent = allowed < more;
            if allowed > 0 {
                self.run_method(place, allowed, &budget, observe);
            }
            if self.is_spent {
                return;
            }
        }
    }

    /// Returns the quick schedule, if the search begins with one. It then counts as known, and is no longer the best one.
    pub(crate) fn quick(
        &mut self,
        observe: &mut dyn FnMut(&'static Method, Effort, Option<u32>),
    ) -> Option<FoundSchedule> {
        self.begin(observe);
        self.quick.take()
    }

    /// Makes the quick schedule, once, if there is a time limit and no schedule.
    pub(crate) fn begin(&mut self, observe: &mut dyn FnMut(&'static Method, Effort, Option<u32>)) {
        if std::mem::replace(&mut self.is_quick_done, true) {
            return;
        }
        let budget = self.budget_of_attempt();
        let method = if self.request.problem.messages().is_scatter() { &FIRST_FIT } else { &RAREST_FIRST };
        let is_needed = !self.has_schedule()
            && budget.uses(method.part())
            && budget.time_left().is_some()
            && budget.interruption().is_none();
        let work = WorkCounter::default();
        let result = is_needed.then(|| {
            let request = self.method_request(0..1, &budget, &work)?;
            (method.find)(&MethodRequest { is_quick: true, ..request }).ok()
        });
        self.quick = result.flatten().map(|schedule| FoundSchedule { schedule, method: Some(method.name) });
        self.quick_steps = self.quick.as_ref().map_or(u32::MAX, |quick| quick.schedule.step_count() as u32);
        if let Some(steps) = self.best_steps() {
            observe(method, Effort { attempts: 1, evaluations: work.evaluations().unwrap_or(0) }, Some(steps));
        }
    }

    /// Returns a request for some attempts; `None` if the paths of a network with buses are missing.
    fn method_request<'r>(
        &'r self,
        attempts: Range<u64>,
        budget: &'r Budget,
        work: &WorkCounter,
    ) -> Option<MethodRequest<'r>> {
        let Self { fixed, below, request: EngineRequest { ref problem, goal, seed, best, .. }, .. } = *self;
        let bus_paths = self.bus_paths.as_ref().ok()?.as_ref();
        let best = self.best.as_ref().map(|best| &best.schedule).or(best);
        let (is_quick, work) = (false, work.clone());
        Some(MethodRequest { problem, goal, below, best, seed, attempts, budget, is_quick, fixed, bus_paths, work })
    }

    /// Lets a method make some more attempts.
    fn run_method(
        &mut self,
        place: usize,
        more: u64,
        budget: &Budget,
        observe: &mut dyn FnMut(&'static Method, Effort, Option<u32>),
    ) {
        let (below, reached) = (self.below, self.reached());
        let MethodState { method, attempts, price, .. } = self.methods[place];
        let attempts = attempts..attempts.saturating_add(more);
        let end = attempts.end;
        let work = WorkCounter::default();
        let Some(request) = self.method_request(attempts, budget, &work) else {
            self.methods[place].is_over = true;
            return;
        };
        let result = (method.find)(&request);
        let steps = result.as_ref().map(Schedule::step_count);
        tracing::debug!(method = method.name, attempts = more, below, ?steps, work = work.evaluations());
        let state = &mut self.methods[place];
        state.attempts = end;
        if !matches!(result, Err(MethodError::Unsupported)) {
            let spent = work.evaluations().unwrap_or(price.saturating_mul(more));
            state.price = (spent / more).max(1);
            state.spent = state.spent.saturating_add(spent);
            self.evaluations = self.evaluations.saturating_add(spent);
            let effort = Effort { attempts: more, evaluations: spent };
            observe(method, effort, steps.ok().map(|steps| steps as u32).filter(|&steps| steps < reached));
        }
        let is_shorter = result.as_ref().is_ok_and(|schedule| schedule.step_count() < below as usize);
        state.idle = if is_shorter { 0 } else { state.idle.saturating_add(1) };
        let is_hopeless = match result {
            Ok(schedule) if is_shorter => {
                self.below = schedule.step_count() as u32;
                self.best = Some(FoundSchedule { schedule, method: Some(method.name) });
                false
            }
            // Each further attempt takes as many.
            Err(MethodError::Stopped(StopReason::Evaluations)) => {
                self.is_cut = true;
                true
            }
            Ok(_) | Err(MethodError::NoShorter | MethodError::Stopped(_)) => {
                below == u32::MAX && end >= MAX_FAILED_ATTEMPTS
            }
            Err(MethodError::Unsupported) => true,
            Err(MethodError::TooLarge) => {
                self.failure = TOO_LARGE;
                true
            }
        };
        self.methods[place].is_over = !method.is_random || is_hopeless;
    }

    /// Returns the number of attempts within the method's share of the evaluations before the pause. A method that has been idle
    /// gets less than others.
    fn shared_attempts(&self, state: &MethodState) -> u64 {
        let pause_after = self.request.pause_after;
        let weights: u64 = self.methods.iter().filter(|state| !state.is_over).map(MethodState::weight).sum();
        let share = match pause_after {
            u64::MAX => pause_after,
            _ => (u128::from(pause_after) * u128::from(state.weight()) / u128::from(weights.max(1))) as u64,
        };
        let left = share.saturating_sub(state.spent) / state.price;
        let least = u64::from(self.below == u32::MAX && !state.is_over);
        self.affordable_attempts(state, pause_after).min(left.max(least))
    }

    /// Returns the number of attempts within a limit of evaluations; at least one while there is no schedule.
    fn affordable_attempts(&self, state: &MethodState, limit: u64) -> u64 {
        if state.is_over {
            return 0;
        }
        let left = limit.saturating_sub(self.evaluations);
        let affordable = if limit == u64::MAX { u64::MAX } else { left / state.price };
        affordable.max(u64::from(self.below == u32::MAX))
    }

    /// Returns the state from which [`restore`](Self::restore) continues: the evaluations, the steps of the best
    /// schedule, and five numbers per method, as 64-bit numbers in little-endian order.
    pub(crate) fn save(&self) -> Vec<u8> {
        let of_method =
            |state: &MethodState| [state.attempts, state.spent, state.price, u64::from(state.is_over), state.idle];
        let numbers = [self.evaluations, u64::from(self.below)].into_iter();
        numbers.chain(self.methods.iter().flat_map(of_method)).flat_map(u64::to_le_bytes).collect()
    }

    /// Continues from a state of [`save`](Self::save).
    ///
    /// # Errors
    ///
    /// [`NotFound::Resume`], if the state is not one of all methods.
    pub(crate) fn restore(&mut self, state: &[u8]) -> Result<(), NotFound> {
        let numbers: Vec<u64> = state.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        let refused = || NotFound::Resume { why: "the portfolio has other methods".to_owned() };
        let Some(([evaluations, best], methods)) = numbers.split_first_chunk() else { return Err(refused()) };
        let (methods, rest) = methods.as_chunks();
        if methods.len() != self.methods.len() || !rest.is_empty() || !state.len().is_multiple_of(size_of::<u64>()) {
            return Err(refused());
        }
        self.evaluations = *evaluations;
        self.below = self.request.below.min(u32::try_from(*best).map_err(|_| refused())?);
        for (state, &[attempts, spent, price, is_over, idle]) in self.methods.iter_mut().zip(methods) {
            (state.attempts, state.spent, state.price, state.idle) = (attempts, spent, price.max(1), idle);
            state.is_over = is_over != 0;
        }
        Ok(())
    }

    /// Returns the outcome of a search that [is over](Self::is_over).
    pub(crate) fn outcome(self) -> Outcome {
        let EngineRequest { goal, budget, .. } = self.request;
        let is_spent = self.is_spent || self.is_cut;
        let reason = budget.interruption().or(Some(StopReason::Evaluations).filter(|_| is_spent));
        let is_reached = self.best_steps().is_some_and(|steps| steps <= goal);
        let has_more = self.methods.iter().any(|state| !state.is_over);
        let end = match reason {
            _ if is_reached => End::Exhausted,
            Some(reason) => End::Interrupted { reason, state: None },
            None if has_more => End::Paused(self.save()),
            None => End::Exhausted,
        };
        Outcome { work: self.evaluations, found: self.into_best(), end }
    }

    /// Returns the best schedule.
    ///
    /// # Errors
    ///
    /// [`NotFound::TooLong`], if there was a schedule before and none is shorter; [`NotFound::Unfinished`], if the time was
    /// over before any was complete; [`NotFound::Unsupported`], if no method found a schedule.
    pub(crate) fn into_best(self) -> Result<FoundSchedule, NotFound> {
        let why = self.bus_paths.map_or_else(|error| error.to_string(), |_| self.failure.to_owned());
        let known = self.request.best.map_or(u32::MAX, |start| start.step_count() as u32).min(self.quick_steps);
        let found = self.best.into_iter().chain(self.quick);
        found.min_by_key(|found| found.schedule.step_count()).ok_or_else(|| match self.below.min(known) {
            u32::MAX => match self.request.budget.interruption() {
                Some(reason) => NotFound::Unfinished { reason },
                None => NotFound::Unsupported { engine: ENGINE, why },
            },
            reached => NotFound::TooLong { steps: reached.saturating_sub(1), reached },
        })
    }
}

fn initial_states(problem: &Problem<'_>, methods: &'static [Method]) -> Vec<MethodState> {
    let deliveries = problem.messages().delivery_count();
    let state = |method: &'static Method| {
        let price = method.evaluations_per_delivery.saturating_mul(deliveries).clamp(1, MAX_ESTIMATE);
        MethodState { method, attempts: 0, spent: 0, price, is_over: false, idle: 0 }
    };
    methods.iter().map(state).collect()
}

#[cfg(test)]
mod tests;
