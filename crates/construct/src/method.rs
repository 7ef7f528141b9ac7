//! What a method is asked, and what it answers.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_schedule::{Budget, Problem, Schedule, StopReason, Transfer};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::log::Log;

/// A way to schedules of one kind of problem, on any network.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Method {
    /// Its short name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Evaluations that an attempt takes for each delivery, about: transfers placed or moved.
    pub effort: u64,
    /// Whether another attempt can end elsewhere.
    pub(crate) is_random: bool,
    pub(crate) find: Find,
}

/// The shortest schedule of all attempts of the request, or the first of no more steps than its goal.
pub(crate) type Find = fn(&Request<'_>) -> Result<Schedule, Miss>;

/// What a method is asked: a schedule that distributes messages.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    /// A distribution: no phase collects.
    pub(crate) problem: &'a Problem<'a>,
    /// Fewer steps are of no more use.
    pub(crate) goal: u32,
    /// Only fewer steps are of use; `u32::MAX` as long as there is no schedule at all.
    pub(crate) below: u32,
    pub(crate) seed: u64,
    /// The attempts to make, each with a random stream of its own.
    pub(crate) attempts: Range<u64>,
    /// Its deadline and cancellation count; its evaluations are for the engine.
    pub(crate) budget: &'a Budget,
    /// What the schedule begins with; `None` where it begins with nothing.
    pub(crate) kept: Option<Kept<'a>>,
}

/// Transfers that are made already, in steps that have none twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a> {
    pub(crate) schedule: &'a Schedule,
    /// Whether some may be given up where that saves steps.
    pub(crate) may_move: bool,
}

impl<'a> Kept<'a> {
    /// The transfers with their steps.
    pub(crate) fn transfers(self) -> impl Iterator<Item = (u32, Transfer<'a>)> {
        (0..)
            .zip(self.schedule.steps())
            .flat_map(|(step, (_, transfers))| transfers.iter().map(move |made| (step, made)))
    }
}

/// Why a method has no schedule for a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Miss {
    /// It does not serve such problems.
    Unfit,
    /// No attempt ended in few enough steps.
    NoShorter,
    /// The budget is over.
    Stopped(StopReason),
    /// The schedule has more transfers or channel uses than can be written, or takes too much memory.
    TooLarge,
    /// Every path found crosses a resource twice.
    Crossed,
}

impl Request<'_> {
    /// The best of all attempts, made in parallel on the current rayon pool; of equals the first. Those behind the first
    /// one that reaches the goal are given up.
    pub(crate) fn best_of(
        &self,
        attempt: impl Fn(&mut ChaCha8Rng, &Poll<'_>) -> Result<Log, Miss> + Sync,
    ) -> Result<Log, Miss> {
        let reached = AtomicU64::new(u64::MAX);
        let made = self.attempts.clone().into_par_iter().map(|number| {
            if reached.load(Ordering::Relaxed) < number {
                return Err(Miss::NoShorter);
            }
            let is_needed = self.below == u32::MAX && number == self.attempts.start;
            let log = attempt(&mut self.stream(number), &Poll { request: self, number, reached: &reached, is_needed })?;
            if log.step_count() <= self.goal {
                reached.fetch_min(number, Ordering::Relaxed);
            }
            Ok(log)
        });
        let best = made.reduce_with(|first, second| self.better(first, second)).unwrap_or(Err(Miss::NoShorter))?;
        if best.step_count() < self.below { Ok(best) } else { Err(Miss::NoShorter) }
    }

    /// The shorter one, but not below the goal; of equals the first.
    fn better(&self, first: Result<Log, Miss>, second: Result<Log, Miss>) -> Result<Log, Miss> {
        let steps = |log: &Log| log.step_count().max(self.goal);
        match (&first, &second) {
            (Ok(one), Ok(other)) if steps(other) < steps(one) => second,
            (Err(_), Ok(_)) => second,
            _ => first,
        }
    }

    /// The random stream of one attempt.
    pub(crate) fn stream(&self, attempt: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([self.seed, attempt]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }

    /// Why to stop, or `None` to go on.
    pub(crate) fn stop(&self) -> Option<StopReason> {
        self.budget.clone().with_evaluations(u64::MAX).stop_after(0)
    }
}

#[cfg(test)]
impl<'a> Request<'a> {
    /// One attempt at any number of steps, with seed 1.
    pub(crate) fn first(problem: &'a Problem<'a>, budget: &'a Budget) -> Self {
        Self { problem, goal: 1, below: u32::MAX, seed: 1, attempts: 0..1, budget, kept: None }
    }
}

/// When to stop the building of a schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll<'a> {
    request: &'a Request<'a>,
    /// The number of the attempt.
    number: u64,
    /// The first attempt that has reached the goal.
    reached: &'a AtomicU64,
    /// Whether there is no schedule but the one that is being built: it is brought to its end, in a hurry at last.
    is_needed: bool,
}

impl Poll<'_> {
    /// Steps allowed.
    pub(crate) fn goal(&self) -> u32 {
        self.request.goal
    }

    /// Only fewer steps are of use.
    pub(crate) fn below(&self) -> u32 {
        self.request.below
    }

    /// Whether to go on at this number of steps, with more to come.
    pub(crate) fn check(&self, steps: u32) -> Result<(), Miss> {
        if steps >= self.request.below || self.reached.load(Ordering::Relaxed) < self.number {
            return Err(Miss::NoShorter);
        }
        match self.request.stop() {
            Some(reason) if !self.is_needed => Err(Miss::Stopped(reason)),
            _ => Ok(()),
        }
    }

    /// Whether the budget is over and only a schedule is wanted, whatever its length.
    pub(crate) fn is_hurried(&self) -> bool {
        self.is_needed && self.request.stop().is_some()
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, MessageId};
    use lockstep_topology::{ChannelId, NodeId, Topology};
    use rand::RngExt;

    use super::*;

    /// A log of so many steps.
    fn log(steps: u32, channel: u32) -> Log {
        let mut log = Log::default();
        log.push(MessageId::new(0), steps - 1, &[ChannelId::new(channel)]).unwrap();
        log
    }

    #[test]
    fn the_first_attempt_that_reaches_the_goal_wins() {
        let ring: Topology = "ring:4".parse().unwrap();
        let broadcast = Collective::broadcast(NodeId::new(0));
        let problem = Problem::new(&ring, &broadcast, CommunicationModel::wormhole()).unwrap();
        let budget = Budget::unlimited();
        for seed in 0..50 {
            let request = Request { goal: 4, seed, attempts: 0..64, ..Request::first(&problem, &budget) };
            let draw = |rng: &mut ChaCha8Rng| log(rng.random_range(1..40), rng.random_range(0..8));
            let each: Vec<Log> = (0..64).map(|number| draw(&mut request.stream(number))).collect();
            let first = each.iter().find(|log| log.step_count() <= 4);
            let expected = first.or(each.iter().min_by_key(|log| log.step_count())).unwrap();
            let best = request.best_of(|rng, _| Ok(draw(rng))).unwrap();
            assert_eq!(best.schedule(), expected.schedule());
        }
    }
}
