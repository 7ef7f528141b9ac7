//! The portfolio search for a schedule of one distribution: all methods alternate in rounds.

use lockstep_paths::{PathTable, TableError};
use lockstep_schedule::{Budget, NotFound, Problem, Schedule};

use crate::kit::bus_paths::bus_paths;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::method::METHODS;

/// The name of this engine.
pub(crate) const ENGINE: &str = "construct";

/// A schedule and the method that found it.
#[derive(Clone, Debug)]
pub struct MethodSchedule {
    /// The method.
    pub method: &'static Method,
    /// The schedule.
    pub schedule: Schedule,
}

/// The state of a portfolio search: the methods that may still find something, and the best schedule.
pub(crate) struct Portfolio<'a> {
    problem: &'a Problem<'a>,
    fixed: Option<FixedTransfers<'a>>,
    methods: Vec<MethodState>,
    best: Option<MethodSchedule>,
    /// Number of evaluations so far.
    evaluations: u64,
    /// The paths of a network with buses; without them, no method runs.
    bus_paths: Result<Option<PathTable>, TableError>,
    /// The reason for the error that [`into_best`](Self::into_best) returns without a schedule.
    failure: &'static str,
}

/// A method that may still find something.
struct MethodState {
    method: &'static Method,
    /// Number of attempts made.
    attempts: u64,
}

/// Number of attempts in a further round, per attempt made before.
const GROWTH: u64 = 3;

/// Number of attempts after which a method without any schedule is given up.
const MAX_FAILED_ATTEMPTS: u64 = 64;

const NO_SCHEDULE: &str = "no attempt led to a schedule; report the network and the collective";
const TOO_LARGE: &str = "the schedule has 2^32 channel uses or more, or the table of terminals and messages takes more than \
                         4 GiB; choose a smaller network or fewer messages";

impl<'a> Portfolio<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>) -> Self {
        Self {
            problem,
            fixed: None,
            methods: initial_states(METHODS),
            best: None,
            evaluations: 0,
            bus_paths: bus_paths(problem),
            failure: NO_SCHEDULE,
        }
    }

    /// Uses only these methods from now on, and begins every schedule with the fixed transfers.
    pub(crate) fn restrict_to(&mut self, methods: &'static [Method], fixed: FixedTransfers<'a>) {
        self.fixed = Some(fixed);
        self.methods = initial_states(methods);
    }

    /// Returns the number of steps of the best schedule.
    pub(crate) fn best_steps(&self) -> Option<u32> {
        self.best.as_ref().map(|best| best.schedule.step_count() as u32)
    }

    /// Returns true if the goal is reached, the budget ended, or no attempts remain.
    pub(crate) fn is_over(&self, goal: u32, budget: &Budget) -> bool {
        self.best_steps().is_some_and(|steps| steps <= goal)
            || !self.methods.iter().any(|state| self.affordable_attempts(state, budget) > 0)
            || is_stopped(budget)
    }

    /// Runs one round: each method makes some more attempts. `observe` gets each method that supports the problem, its
    /// number of attempts, and the number of steps if it is a new best.
    pub(crate) fn round(
        &mut self,
        goal: u32,
        seed: u64,
        budget: &Budget,
        observe: &mut dyn FnMut(&'static Method, u64, Option<u32>),
    ) {
        for mut state in std::mem::take(&mut self.methods) {
            let below = self.best_steps().unwrap_or(u32::MAX);
            let more = (state.attempts * GROWTH).max(1).min(self.affordable_attempts(&state, budget));
            if more == 0 || self.best.is_some() && (below <= goal || is_stopped(budget)) {
                self.methods.push(state);
                continue;
            }
            let method = state.method;
            let attempts = state.attempts..state.attempts.saturating_add(more);
            state.attempts = attempts.end;
            let Self { problem, fixed, .. } = *self;
            let Ok(bus_paths) = self.bus_paths.as_ref().map(Option::as_ref) else { continue };
            let request = MethodRequest { problem, goal, below, seed, attempts, budget, fixed, bus_paths };
            let result = (method.find)(&request);
            let steps = result.as_ref().map(Schedule::step_count);
            tracing::debug!(method = method.name, attempts = more, below, ?steps);
            if !matches!(result, Err(MethodError::Unsupported)) {
                self.evaluations =
                    self.evaluations.saturating_add(self.evaluations_per_attempt(method).saturating_mul(more));
                observe(method, more, steps.ok().map(|steps| steps as u32).filter(|&steps| steps < below));
            }
            let is_hopeless = match result {
                Ok(schedule) if schedule.step_count() < below as usize => {
                    self.best = Some(MethodSchedule { method, schedule });
                    false
                }
                Ok(_) | Err(MethodError::NoShorter | MethodError::Stopped(_)) => {
                    self.best.is_none() && state.attempts >= MAX_FAILED_ATTEMPTS
                }
                Err(MethodError::Unsupported) => true,
                Err(MethodError::TooLarge) => {
                    self.failure = TOO_LARGE;
                    true
                }
            };
            if method.is_random && !is_hopeless {
                self.methods.push(state);
            }
        }
    }

    /// Returns the number of attempts within the evaluation limit; at least one while there is no schedule.
    fn affordable_attempts(&self, state: &MethodState, budget: &Budget) -> u64 {
        let limit = budget.evaluation_limit();
        let left = limit.saturating_sub(self.evaluations);
        let affordable = if limit == u64::MAX { u64::MAX } else { left / self.evaluations_per_attempt(state.method) };
        affordable.max(u64::from(self.best.is_none()))
    }

    fn evaluations_per_attempt(&self, method: &Method) -> u64 {
        method.evaluations_per_delivery.saturating_mul(self.problem.messages().delivery_count()).max(1)
    }

    /// Returns the best schedule.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`], if no method found a schedule.
    pub(crate) fn into_best(self) -> Result<MethodSchedule, NotFound> {
        let why = self.bus_paths.map_or_else(|error| error.to_string(), |_| self.failure.to_owned());
        self.best.ok_or(NotFound::Unsupported { engine: ENGINE, why })
    }
}

fn initial_states(methods: &'static [Method]) -> Vec<MethodState> {
    methods.iter().map(|method| MethodState { method, attempts: 0 }).collect()
}

fn is_stopped(budget: &Budget) -> bool {
    budget.clone().with_evaluations(u64::MAX).stop_after(0).is_some()
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    const HOPELESS: &[Method] = &[Method {
        name: "hopeless",
        about: "never finds a schedule",
        evaluations_per_delivery: 1,
        is_random: true,
        find: |_| Err(MethodError::NoShorter),
    }];

    /// Without a limit, a search whose methods find nothing ends.
    #[test]
    fn a_method_without_a_schedule_is_given_up() {
        let ring: Topology = "ring:4".parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
        let mut portfolio = Portfolio::new(&problem);
        portfolio.methods = initial_states(HOPELESS);
        let (mut attempts, budget) = (0, Budget::unlimited());
        while !portfolio.is_over(1, &budget) {
            portfolio.round(1, 1, &budget, &mut |_, more, _| attempts += more);
            assert!(attempts < 1_000, "{attempts} attempts");
        }
        assert!(attempts >= MAX_FAILED_ATTEMPTS, "{attempts} attempts");
        let error = portfolio.into_best().unwrap_err().to_string();
        assert!(error.contains(NO_SCHEDULE), "{error}");
    }
}
