//! The request that a method gets, and the state of one attempt.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_paths::PathTable;
use lockstep_schedule::{Budget, Part, Problem, Schedule, StopReason};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::fixed_transfers::FixedTransfers;
use super::method_error::MethodError;
use super::task::SchedulingTask;
use super::transfer_log::TransferLog;

/// A request for a schedule that distributes messages.
#[derive(Clone, Debug)]
pub(crate) struct MethodRequest<'a> {
    /// A problem without a collecting phase.
    pub(crate) problem: &'a Problem<'a>,
    /// The number of steps at which a method may stop: fewer steps are of no further use.
    pub(crate) goal: u32,
    /// Only schedules with fewer steps are of use; `u32::MAX` while there is no schedule.
    pub(crate) below: u32,
    /// The best schedule so far, if it is known.
    pub(crate) best: Option<&'a Schedule>,
    pub(crate) seed: u64,
    /// The numbers of the attempts to make. Each has its own random stream.
    pub(crate) attempts: Range<u64>,
    /// The portfolio counts the evaluations of all attempts. Here, they only end an attempt that alone takes more than all.
    pub(crate) budget: &'a Budget,
    /// True for a schedule of any length with little work, see [`Portfolio`](crate::portfolio::Portfolio).
    pub(crate) is_quick: bool,
    /// The transfers that the schedule begins with, if any.
    pub(crate) fixed: Option<FixedTransfers<'a>>,
    /// The paths of a network with buses, see [`SchedulingTask::bus_paths`].
    pub(crate) bus_paths: Option<&'a PathTable>,
    /// The work of all attempts.
    pub(crate) work: WorkCounter,
}

/// The work of attempts, which run in parallel. Clones share their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkCounter(Arc<AtomicU64>);

/// Units of work per evaluation. A unit is a visit of an entry of a table, which takes some nanoseconds.
const UNITS_PER_EVALUATION: u64 = 128;

impl WorkCounter {
    /// Adds units of work. Takes tens of nanoseconds, so an inner loop counts by itself first.
    pub(crate) fn add(&self, units: u64) {
        self.0.fetch_add(units, Ordering::Relaxed);
    }

    /// Returns the number of evaluations; `None` if nothing was counted.
    pub(crate) fn evaluations(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed))
            .filter(|&units| units > 0)
            .map(|units| units.div_ceil(UNITS_PER_EVALUATION))
    }
}

impl<'a> MethodRequest<'a> {
    /// Returns the view of the problem, with the paths of a network with buses and the time limit.
    ///
    /// # Errors
    ///
    /// As [`SchedulingTask::new`].
    pub(crate) fn task(&self) -> Result<SchedulingTask<'a>, MethodError> {
        Ok(SchedulingTask::new(self.problem)?.with_bus_paths(self.bus_paths).within(self.budget))
    }

    /// Returns true if a part of a method is not left out.
    pub(crate) fn uses(&self, part: Part) -> bool {
        self.budget.uses(part)
    }

    /// Returns the best result of all attempts, which run in parallel on the current rayon pool; ties go to the earlier
    /// attempt. Once an attempt reaches the goal, later attempts stop.
    pub(crate) fn best_attempt(
        &self,
        attempt: impl Fn(&mut ChaCha8Rng, &AttemptContext<'_>) -> Result<TransferLog, MethodError> + Sync,
    ) -> Result<TransferLog, MethodError> {
        let reached = AtomicU64::new(u64::MAX);
        let results = self.attempts.clone().into_par_iter().map(|number| {
            if reached.load(Ordering::Relaxed) < number {
                return Err(MethodError::NoShorter);
            }
            self.check_time()?;
            let is_needed = !self.has_schedule() && number == self.attempts.start;
            let context =
                AttemptContext { request: self, number, reached: &reached, is_needed, spent: &AtomicU64::new(0) };
            let log = attempt(&mut self.attempt_rng(number), &context)?;
            if log.step_count() <= self.goal {
                reached.fetch_min(number, Ordering::Relaxed);
            }
            Ok(log)
        });
        let best =
            results.reduce_with(|first, second| self.better(first, second)).unwrap_or(Err(MethodError::NoShorter))?;
        if best.step_count() < self.below { Ok(best) } else { Err(MethodError::NoShorter) }
    }

    /// Returns the shorter result, where all lengths up to the goal count as equal; ties go to the first.
    fn better(
        &self,
        first: Result<TransferLog, MethodError>,
        second: Result<TransferLog, MethodError>,
    ) -> Result<TransferLog, MethodError> {
        let steps = |log: &TransferLog| log.step_count().max(self.goal);
        match (&first, &second) {
            (Ok(one), Ok(other)) if steps(other) < steps(one) => second,
            (Err(_), Ok(_)) => second,
            _ => first,
        }
    }

    /// Checks whether the work shall continue.
    ///
    /// # Errors
    ///
    /// [`MethodError::Stopped`], if the time is over or the search is cancelled.
    pub(crate) fn check_time(&self) -> Result<(), MethodError> {
        self.budget.interruption().map_or(Ok(()), |reason| Err(MethodError::Stopped(reason)))
    }

    /// Returns true if a schedule is known. Longer ones may still be of use: then `below` is `u32::MAX`.
    pub(crate) fn has_schedule(&self) -> bool {
        self.below < u32::MAX || self.best.is_some()
    }

    /// Returns the random stream of one attempt.
    pub(crate) fn attempt_rng(&self, attempt: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([self.seed, attempt]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}

#[cfg(test)]
impl<'a> MethodRequest<'a> {
    /// Returns a request for one attempt of any length, with seed 1.
    pub(crate) fn first(problem: &'a Problem<'a>, budget: &'a Budget) -> Self {
        Self {
            problem,
            goal: 1,
            below: u32::MAX,
            best: None,
            seed: 1,
            attempts: 0..1,
            budget,
            is_quick: false,
            fixed: None,
            bus_paths: None,
            work: WorkCounter::default(),
        }
    }
}

/// The limits of one attempt: its goal, and the conditions that end it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptContext<'a> {
    request: &'a MethodRequest<'a>,
    /// The number of this attempt.
    number: u64,
    /// The lowest number of an attempt that reached the goal.
    reached: &'a AtomicU64,
    /// Whether no other schedule exists. Then the number of evaluations does not end the attempt.
    is_needed: bool,
    /// Units of work of this attempt, see [`WorkCounter`].
    spent: &'a AtomicU64,
}

impl AttemptContext<'_> {
    /// Returns the number of this attempt, from 0.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns true if a part of a method is not left out.
    pub(crate) fn uses(&self, part: Part) -> bool {
        self.request.uses(part)
    }

    /// Returns the number of steps aimed at.
    pub(crate) fn goal(&self) -> u32 {
        self.request.goal
    }

    /// Only schedules with fewer steps are of use.
    pub(crate) fn below(&self) -> u32 {
        self.request.below
    }

    /// Checks whether an attempt that has `steps` steps so far shall continue. It also ends if it takes more evaluations than
    /// the budget has.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if the result cannot be of use; [`MethodError::Stopped`], if the budget ended.
    pub(crate) fn check(&self, steps: u32) -> Result<(), MethodError> {
        if steps >= self.request.below || self.reached.load(Ordering::Relaxed) < self.number {
            return Err(MethodError::NoShorter);
        }
        self.request.check_time()?;
        let spent = self.spent.load(Ordering::Relaxed) / UNITS_PER_EVALUATION;
        if !self.is_needed && spent > self.request.budget.evaluation_limit() {
            return Err(MethodError::Stopped(StopReason::Evaluations));
        }
        Ok(())
    }

    /// Checks whether a schedule may be completed with little work after the deadline, as long as a
    /// [first result](Budget::for_first_result) may take.
    ///
    /// Only the first attempt may, so that the time before the deadline is not lost.
    ///
    /// # Errors
    ///
    /// [`MethodError::Stopped`].
    pub(crate) fn check_completion(&self) -> Result<(), MethodError> {
        let first = self.request.budget.for_first_result();
        let budget = if self.is_needed { &first } else { self.request.budget };
        budget.interruption().map_or(Ok(()), |reason| Err(MethodError::Stopped(reason)))
    }

    /// Checks whether work that every schedule of this attempt needs may go on: until the end of its
    /// [completion](Self::check_completion) in the first attempt, otherwise as [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// Those of both.
    pub(crate) fn check_preparation(&self) -> Result<(), MethodError> {
        if self.is_needed { self.check_completion() } else { self.check(0) }
    }

    /// Counts units of work, see [`WorkCounter`].
    pub(crate) fn count(&self, units: u64) {
        self.spent.fetch_add(units, Ordering::Relaxed);
        self.request.work.add(units);
    }

    /// Returns true if a schedule of any length will do.
    pub(crate) fn is_quick(&self) -> bool {
        self.request.is_quick
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, MessageId};
    use lockstep_topology::{ChannelId, NodeId, Topology};
    use rand::RngExt;

    use super::*;

    /// A log of `steps` steps.
    fn log(steps: u32, channel: u32) -> TransferLog {
        let mut log = TransferLog::default();
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
            let request = MethodRequest { goal: 4, seed, attempts: 0..64, ..MethodRequest::first(&problem, &budget) };
            let draw = |rng: &mut ChaCha8Rng| log(rng.random_range(1..40), rng.random_range(0..8));
            let each: Vec<TransferLog> = (0..64).map(|number| draw(&mut request.attempt_rng(number))).collect();
            let first = each.iter().find(|log| log.step_count() <= 4);
            let expected = first.or(each.iter().min_by_key(|log| log.step_count())).unwrap();
            let best = request.best_attempt(|rng, _| Ok(draw(rng))).unwrap();
            assert_eq!(best.into_schedule(), expected.clone().into_schedule());
        }
    }
}
