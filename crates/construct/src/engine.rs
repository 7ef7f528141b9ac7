//! The portfolio: every method that fits, in rounds of more and more attempts.

use lockstep_schedule::{Budget, Distribution, NotFound, Problem, Schedule};
use tracing::instrument;

use crate::method::{Method, Miss, Request};
use crate::{
    arborescences, colouring, first_fit, flooding, layered, relayed, scatter_flow, spread, symmetric, telephone,
};

/// The name of this engine.
const ENGINE: &str = "construct";

/// Every method, those that cost least and promise most first.
pub fn methods() -> &'static [Method] {
    const METHODS: &[Method] = &[
        flooding::FLOODING,
        scatter_flow::SCATTER_FLOW,
        layered::LAYERED_FLOW,
        telephone::TELEPHONE,
        arborescences::ARBORESCENCES,
        spread::RAREST_FIRST,
        first_fit::FIRST_FIT,
        relayed::BALANCED_ROUTES,
        colouring::PATH_COLOURING,
        symmetric::SYMMETRIC,
    ];
    METHODS
}

/// Attempts of the first rounds; each further round has so many times those of all before it together.
const GROWTH: u64 = 3;

/// A schedule, and what found it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The method.
    pub method: &'static Method,
    /// What it found.
    pub schedule: Schedule,
}

/// The first schedule of at most `goal` steps that a method finds, else the shortest of all.
///
/// The methods that fit take turns: each makes one attempt, then more and more. Attempts are made in parallel on the
/// current rayon pool; the result depends only on the problem, `goal`, `seed` and the number of evaluations, unless time
/// or cancellation ends the search. One evaluation is one attempt of every method. Without any limit it goes on for ever
/// where `goal` is out of reach. However early the budget ends, the first schedule is brought to its end.
///
/// `problem` distributes its messages; turn a collecting phase round first ([`Distribution`]). `observe` sees each method
/// that fits, how many attempts it made, and the steps reached if they are fewer than before.
///
/// # Errors
///
/// [`NotFound::Unsupported`], if the schedule has 2^32 channel uses or more, terminals and messages take more than
/// 4 GiB, or every path found crosses a shared resource twice.
#[instrument(level = "debug", skip_all, fields(network = problem.topology().name(), goal, seed))]
pub fn shortest(
    problem: &Problem<'_>,
    goal: u32,
    seed: u64,
    budget: &Budget,
    mut observe: impl FnMut(&'static Method, u64, Option<u32>),
) -> Result<Found, NotFound> {
    let mut hunt = Hunt::new(problem);
    loop {
        hunt.round(goal, seed, budget, &mut observe)?;
        if hunt.is_over(goal, budget) {
            return hunt.found();
        }
    }
}

/// A schedule of at most `steps` steps, of any collective; `steps` may be `u32::MAX`.
///
/// Collecting phases are built on the reversed network and read backwards; phases that follow each other take turns.
/// Else as [`shortest`].
///
/// # Errors
///
/// [`NotFound::TooLong`] says the fewest steps reached, if all evaluations are spent; [`NotFound::Stopped`], if time or
/// cancellation came first; else as [`shortest`].
pub fn schedule(problem: &Problem<'_>, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    let phases = Distribution::all(problem);
    let problems: Vec<Problem> = phases.iter().map(|phase| phase.problem(problem)).collect();
    let mut hunts: Vec<Hunt> = problems.iter().map(Hunt::new).collect();
    // Of several phases each is to be as short as can be.
    let goal = if hunts.len() == 1 { steps } else { 1 };
    loop {
        for hunt in &mut hunts {
            hunt.round(goal, seed, budget, &mut |_, _, _| {})?;
        }
        let reached = hunts.iter().map(Hunt::reached).try_fold(0, |sum: u32, steps| Some(sum.saturating_add(steps?)));
        if reached.is_some_and(|reached| reached <= steps) {
            break;
        }
        if hunts.iter().all(|hunt| hunt.is_over(goal, budget)) {
            let reached = reached.ok_or_else(|| unsupported(CROSSED))?;
            return Err(match budget.clone().with_evaluations(u64::MAX).stop_after(0) {
                Some(reason) => NotFound::Stopped { steps, reason },
                None => NotFound::TooLong { steps, reached },
            });
        }
    }
    let mut schedule = Schedule::new();
    for (phase, hunt) in phases.iter().zip(hunts) {
        schedule.append(&phase.in_time(hunt.found()?.schedule));
    }
    Ok(schedule)
}

/// The way to a schedule of one distribution.
struct Hunt<'a> {
    problem: &'a Problem<'a>,
    /// The methods that may still find something.
    methods: Vec<&'static Method>,
    best: Option<Found>,
    /// Attempts of each method so far.
    attempts: u64,
}

impl<'a> Hunt<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        Self { problem, methods: methods().iter().collect(), best: None, attempts: 0 }
    }

    /// The steps reached.
    fn reached(&self) -> Option<u32> {
        self.best.as_ref().map(|found| found.schedule.step_count() as u32)
    }

    fn is_over(&self, goal: u32, budget: &Budget) -> bool {
        self.methods.is_empty()
            || self.reached().is_some_and(|steps| steps <= goal)
            || budget.stop_after(self.attempts).is_some()
    }

    /// Each method in turn makes some more attempts.
    fn round(
        &mut self,
        goal: u32,
        seed: u64,
        budget: &Budget,
        observe: &mut dyn FnMut(&'static Method, u64, Option<u32>),
    ) -> Result<(), NotFound> {
        let more = (self.attempts * GROWTH).clamp(1, budget.evaluation_limit().saturating_sub(self.attempts).max(1));
        let attempts = self.attempts..self.attempts.saturating_add(more);
        self.attempts = attempts.end;
        for method in std::mem::take(&mut self.methods) {
            let below = self.reached().unwrap_or(u32::MAX);
            let is_stopped = budget.clone().with_evaluations(u64::MAX).stop_after(0).is_some();
            if self.best.is_some() && (below <= goal || is_stopped) {
                self.methods.push(method);
                continue;
            }
            let request = Request { problem: self.problem, goal, below, seed, attempts: attempts.clone(), budget };
            let answer = (method.find)(&request);
            let steps = answer.as_ref().map(Schedule::step_count);
            tracing::debug!(method = method.name, attempts = more, below, ?steps);
            if !matches!(answer, Err(Miss::Unfit)) {
                observe(method, more, steps.ok().map(|steps| steps as u32).filter(|&steps| steps < below));
            }
            match answer {
                Ok(schedule) if schedule.step_count() < below as usize => self.best = Some(Found { method, schedule }),
                Err(Miss::TooLarge) if self.best.is_none() => return Err(unsupported(TOO_LARGE)),
                Err(Miss::Unfit | Miss::TooLarge) => continue,
                Err(Miss::Crossed) if attempts.end >= PATIENCE => continue,
                Ok(_) | Err(Miss::NoShorter | Miss::Stopped(_) | Miss::Crossed) => {}
            }
            if method.is_random {
                self.methods.push(method);
            }
        }
        Ok(())
    }

    fn found(self) -> Result<Found, NotFound> {
        self.best.ok_or_else(|| unsupported(CROSSED))
    }
}

/// Attempts that may fail on buses before the network is given up.
const PATIENCE: u64 = 64;

const TOO_LARGE: &str = "the schedule has 2^32 channel uses or more, or who holds what takes more than 4 GiB; choose a \
                         smaller network or fewer messages";
const CROSSED: &str = "no path was found that crosses every shared resource once; share fewer channels";

fn unsupported(why: &str) -> NotFound {
    NotFound::Unsupported { engine: ENGINE, why: why.to_owned() }
}
