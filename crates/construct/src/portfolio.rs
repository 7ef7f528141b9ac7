//! The way to a schedule of one distribution.

use lockstep_schedule::{Budget, NotFound, Problem, Schedule};

use crate::kit::request::{Kept, Method, Miss, Request};
use crate::method::METHODS;

/// The name of this engine.
pub(crate) const ENGINE: &str = "construct";

/// A schedule, and what found it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The method.
    pub method: &'static Method,
    /// What it found.
    pub schedule: Schedule,
}

/// All methods, in rounds.
pub(crate) struct Hunt<'a> {
    problem: &'a Problem<'a>,
    kept: Option<Kept<'a>>,
    turns: Vec<Turn>,
    best: Option<Found>,
    /// Evaluations so far.
    spent: u64,
    /// Why there is no schedule, as long as there is none.
    why: &'static str,
}

/// A method that may still find something.
struct Turn {
    method: &'static Method,
    /// How many it has made.
    attempts: u64,
}

/// Attempts of further rounds, for each made before.
const GROWTH: u64 = 3;

/// Attempts that may fail on buses before the network is given up.
const PATIENCE: u64 = 64;

const TOO_LARGE: &str = "the schedule has 2^32 channel uses or more, or who holds what takes more than 4 GiB; choose a \
                         smaller network or fewer messages";
const CROSSED: &str = "no path was found that crosses every shared resource once; share fewer channels";

impl<'a> Hunt<'a> {
    pub(crate) fn new(problem: &'a Problem<'a>) -> Self {
        Self { problem, kept: None, turns: turns(METHODS), best: None, spent: 0, why: CROSSED }
    }

    /// Asks these methods from now on, to go on from what is kept.
    pub(crate) fn turn_to(&mut self, methods: &'static [Method], kept: Kept<'a>) {
        self.kept = Some(kept);
        self.turns = turns(methods);
    }

    /// The steps reached.
    pub(crate) fn reached(&self) -> Option<u32> {
        self.best.as_ref().map(|found| found.schedule.step_count() as u32)
    }

    /// Whether no further round is of use, or none is left to be made.
    pub(crate) fn is_over(&self, goal: u32, budget: &Budget) -> bool {
        self.reached().is_some_and(|steps| steps <= goal)
            || !self.turns.iter().any(|turn| self.affords(turn, budget) > 0)
            || is_stopped(budget)
    }

    /// Each method in turn makes some more attempts.
    pub(crate) fn round(
        &mut self,
        goal: u32,
        seed: u64,
        budget: &Budget,
        observe: &mut dyn FnMut(&'static Method, u64, Option<u32>),
    ) {
        for mut turn in std::mem::take(&mut self.turns) {
            let below = self.reached().unwrap_or(u32::MAX);
            let more = (turn.attempts * GROWTH).max(1).min(self.affords(&turn, budget));
            if more == 0 || self.best.is_some() && (below <= goal || is_stopped(budget)) {
                self.turns.push(turn);
                continue;
            }
            let method = turn.method;
            let attempts = turn.attempts..turn.attempts.saturating_add(more);
            turn.attempts = attempts.end;
            let request = Request { problem: self.problem, goal, below, seed, attempts, budget, kept: self.kept };
            let answer = (method.find)(&request);
            let steps = answer.as_ref().map(Schedule::step_count);
            tracing::debug!(method = method.name, attempts = more, below, ?steps);
            if !matches!(answer, Err(Miss::Unfit)) {
                self.spent = self.spent.saturating_add(self.price(method).saturating_mul(more));
                observe(method, more, steps.ok().map(|steps| steps as u32).filter(|&steps| steps < below));
            }
            let is_hopeless = match answer {
                Ok(schedule) if schedule.step_count() < below as usize => {
                    self.best = Some(Found { method, schedule });
                    false
                }
                Ok(_) | Err(Miss::NoShorter | Miss::Stopped(_)) => false,
                Err(Miss::Unfit) => true,
                Err(Miss::TooLarge) => {
                    self.why = TOO_LARGE;
                    true
                }
                Err(Miss::Crossed) => turn.attempts >= PATIENCE,
            };
            if method.is_random && !is_hopeless {
                self.turns.push(turn);
            }
        }
    }

    /// The attempts that a method may still make; the first schedule is free.
    fn affords(&self, turn: &Turn, budget: &Budget) -> u64 {
        let left = budget.evaluation_limit().saturating_sub(self.spent);
        let affordable = if budget.evaluation_limit() == u64::MAX { u64::MAX } else { left / self.price(turn.method) };
        affordable.max(u64::from(self.best.is_none()))
    }

    /// The evaluations of an attempt.
    fn price(&self, method: &Method) -> u64 {
        method.effort.saturating_mul(self.problem.messages().delivery_count()).max(1)
    }

    pub(crate) fn found(self) -> Result<Found, NotFound> {
        let why = self.why.to_owned();
        self.best.ok_or(NotFound::Unsupported { engine: ENGINE, why })
    }
}

fn turns(methods: &'static [Method]) -> Vec<Turn> {
    methods.iter().map(|method| Turn { method, attempts: 0 }).collect()
}

fn is_stopped(budget: &Budget) -> bool {
    budget.clone().with_evaluations(u64::MAX).stop_after(0).is_some()
}
