//! Restarts: the same rule with other random streams.

use lockstep_schedule::{Budget, NotFound, Problem, Schedule, StopReason};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use tracing::instrument;

use crate::log::Log;
use crate::scatter::Scatter;
use crate::spread::Spread;
use crate::stock::Stock;
use crate::task::Task;

/// The name of this engine.
const ENGINE: &str = "construct";

/// The most schedules built at a time, whatever the number of threads.
const BATCH: u64 = 16;

/// Schedules that may fail on buses before the network is given up.
const PATIENCE: u64 = 64;

/// The most bytes that say who holds what: 4 GiB, for each thread.
const MAX_STOCK_BYTES: u64 = 4 << 30;

/// Why a schedule is not built to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The budget says so.
    Stopped(StopReason),
    /// It would be no shorter than the best.
    NoShorter,
    /// It has more transfers or channel uses than a schedule can hold.
    TooLarge,
    /// Every path found crosses a resource twice.
    Crossed,
}

/// When to stop the building of a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll<'a> {
    budget: &'a Budget,
    /// Steps of the best schedule so far.
    best: u32,
    /// Steps allowed.
    pub(crate) aim: u32,
}

impl Poll<'_> {
    /// Whether to go on at this number of steps, with more to come.
    pub(crate) fn check(&self, steps: u32) -> Result<(), Halt> {
        if steps >= self.best {
            return Err(Halt::NoShorter);
        }
        // Evaluations are counted by whole batches.
        match self.budget.stop_after(0) {
            Some(reason) if reason != StopReason::Evaluations => Err(Halt::Stopped(reason)),
            _ => Ok(()),
        }
    }
}

/// The rule for one phase.
#[derive(Debug)]
enum Rule<'a> {
    Scatter(Scatter<'a>),
    Spread(Spread<'a>),
}

impl<'a> Rule<'a> {
    fn new(task: &'a Task<'a>) -> Result<Self, NotFound> {
        // Every delivery takes a channel, so what is certain to be too large is refused before anything is allocated.
        if task.messages().delivery_count() > u64::from(u32::MAX) {
            return Err(unsupported(TOO_LARGE));
        }
        if task.messages().is_scatter() {
            return Ok(Self::Scatter(Scatter::new(task)));
        }
        let bytes = Stock::bytes(task);
        if bytes > MAX_STOCK_BYTES {
            let (terminals, messages) = (task.topology().terminal_count(), task.messages().len());
            return Err(unsupported(&format!(
                "who of {terminals} terminals holds which of {messages} messages takes {bytes} bytes, more than \
                 {MAX_STOCK_BYTES}; choose fewer messages"
            )));
        }
        Ok(Self::Spread(Spread::new(task)))
    }

    fn build(&self, mut rng: ChaCha8Rng, poll: &Poll<'_>) -> Result<Log, Halt> {
        match self {
            Self::Scatter(scatter) => scatter.build(&mut rng, poll),
            Self::Spread(spread) => spread.build(&mut rng, poll),
        }
    }
}

/// A schedule of at most `steps` steps, by randomised list scheduling; with `u32::MAX` the first that is built.
///
/// Messages of one receiver are placed one after the other, those with the longest way first: each takes the earliest
/// steps that those before it have left free along any of its shortest paths. Messages of several receivers are spread
/// step by step: every terminal fetches the rarest message it can get, from its neighbours where messages are many, else
/// from the nearest terminals that free channels lead from. Collecting phases are built on the reversed network and read
/// backwards. Where [any path](lockstep_schedule::Routing::Any) is allowed, detours are taken when no shortest path is
/// left. Ties are broken at random, and schedules are built from other random streams until one is short enough.
///
/// One evaluation is one whole schedule built. They are built in parallel on the current rayon pool; the result depends
/// only on the problem, `steps`, `seed` and the number of evaluations, unless time or cancellation ends the search.
/// Without any limit it goes on for ever where `steps` are too few.
///
/// A schedule takes time in proportion to the channels on all shortest paths of each message, times the 128-step blocks
/// in which these are crowded; or, where messages have several receivers, to the deliveries times the messages over 64,
/// and to searches of the network for what neighbours do not have. Memory: the transfers; a bit for each resource and
/// step, or two for each terminal and message; and distances from all sources, up to 1 GiB.
///
/// # Errors
///
/// [`NotFound::TooLong`] says the fewest steps reached, if all evaluations are spent; [`NotFound::Stopped`], if time or
/// cancellation came first. [`NotFound::Unsupported`], if the schedule has 2^32 channel uses or more, terminals and
/// messages take more than 4 GiB, or every path found crosses a shared resource twice.
///
/// **Source**: first-fit colouring of paths, the longest first, on all shortest paths and 128 colours at once (list
/// scheduling: Graham, *Bounds on multiprocessing timing anomalies*, 1969); rarest first: Cohen, *Incentives build
/// robustness in `BitTorrent`*, 2003.
#[instrument(level = "debug", skip_all, fields(network = problem.topology().name(), steps, seed))]
pub fn schedule(problem: &Problem<'_>, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    let tasks: Vec<Task> = problem.collective().phases().iter().map(|&phase| Task::new(problem, phase)).collect();
    let rules: Vec<Rule> = tasks.iter().map(Rule::new).collect::<Result<_, _>>()?;
    let mut best: Vec<Option<Log>> = vec![None; tasks.len()];
    let (mut evaluations, mut batch) = (0, 1);
    loop {
        if let Some(reason) = budget.stop_after(evaluations) {
            return Err(match total_steps(&best) {
                Some(reached) if reason == StopReason::Evaluations => NotFound::TooLong { steps, reached },
                _ => NotFound::Stopped { steps, reason },
            });
        }
        let batch_end = evaluations.saturating_add(batch).min(budget.evaluation_limit());
        for (phase, (rule, best)) in rules.iter().zip(&mut best).enumerate() {
            let poll = Poll { budget, best: best.as_ref().map_or(u32::MAX, Log::step_count), aim: steps };
            let built = (evaluations..batch_end)
                .into_par_iter()
                .map(|restart| rule.build(stream(seed, restart, phase as u64), &poll))
                .reduce_with(shorter);
            match built {
                Some(Ok(log)) if log.step_count() < poll.best => *best = Some(log),
                Some(Err(Halt::TooLarge)) => return Err(unsupported(TOO_LARGE)),
                Some(Err(Halt::Crossed)) if best.is_none() && batch_end >= PATIENCE.min(budget.evaluation_limit()) => {
                    return Err(unsupported(CROSSED));
                }
                _ => {}
            }
        }
        (evaluations, batch) = (batch_end, (2 * batch).min(BATCH));
        let reached = total_steps(&best);
        tracing::debug!(evaluations, reached);
        if reached.is_some_and(|reached| reached <= steps) {
            return write(&tasks, &best);
        }
    }
}

const TOO_LARGE: &str = "the schedule has 2^32 channel uses or more; choose a smaller network";
const CROSSED: &str = "no path was found that crosses every shared resource once; share fewer channels";

fn unsupported(why: &str) -> NotFound {
    NotFound::Unsupported { engine: ENGINE, why: why.to_owned() }
}

/// The random stream of one phase of one schedule.
fn stream(seed: u64, restart: u64, phase: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (part, number) in key.chunks_exact_mut(8).zip([seed, restart, phase]) {
        part.copy_from_slice(&number.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// The shorter one; of equals the first.
fn shorter(first: Result<Log, Halt>, second: Result<Log, Halt>) -> Result<Log, Halt> {
    match (&first, &second) {
        (Ok(one), Ok(other)) if other.step_count() < one.step_count() => second,
        (Err(_), Ok(_)) => second,
        _ => first,
    }
}

/// The steps of all phases together, once each has a schedule.
fn total_steps(best: &[Option<Log>]) -> Option<u32> {
    best.iter()
        .map(|log| log.as_ref().map(Log::step_count))
        .try_fold(0, |sum: u32, steps| Some(sum.saturating_add(steps?)))
}

/// The schedules of all phases, one behind the other.
fn write(tasks: &[Task<'_>], best: &[Option<Log>]) -> Result<Schedule, NotFound> {
    let channel_uses: usize = best.iter().flatten().map(Log::channel_use_count).sum();
    if u32::try_from(channel_uses).is_err() {
        return Err(unsupported(TOO_LARGE));
    }
    let mut phases = tasks.iter().zip(best.iter().flatten()).map(|(task, log)| task.schedule(log));
    let mut schedule = phases.next().unwrap_or_default();
    phases.for_each(|phase| schedule.append(&phase));
    Ok(schedule)
}
