//! Budgets and errors of engines.

use std::fmt;
use std::sync::Arc;
#[cfg(feature = "fault-injection")]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::part::Part;

/// The time after a deadline in which the first result may still be completed.
///
/// A limit of some milliseconds would otherwise end most searches just before their first result. With the time for
/// verification and output, a command ends within 0.3 s of its limit, which few people notice.
pub const FIRST_RESULT_GRACE: Duration = Duration::from_millis(200);

/// The limits of a search: evaluations, time and cancellation, and the parts that are left out.
///
/// A number of evaluations gives the same result on every machine. A deadline does not, so results must report it.
/// Clones share their cancellation.
///
/// ```
/// use std::time::Duration;
///
/// use lockstep_schedule::Budget;
///
/// let budget = Budget::evaluations(1_000_000).within(Duration::from_secs(30));
/// assert_eq!(budget.evaluation_limit(), 1_000_000);
/// let other_thread = budget.clone();
/// other_thread.cancel();
/// assert!(budget.stop_after(0).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    evaluations: u64,
    deadline: Option<Instant>,
    /// The time that [`for_first_result`](Self::for_first_result) adds.
    grace: Duration,
    cancelled: Arc<AtomicBool>,
    /// The parts that are left out.
    left_out: Arc<[Part]>,
    #[cfg(feature = "fault-injection")]
    clock: CheckClock,
}

/// A clock that counts checks instead of time, for tests.
#[cfg(feature = "fault-injection")]
#[derive(Clone, Debug, Default)]
struct CheckClock {
    /// Number of checks so far. Clones share it.
    checks: Arc<AtomicU64>,
    /// The check that cancels the budget; 0 for none.
    cancelled_at: u64,
    /// The first check after the deadline; `None` without a deadline.
    deadline: Option<u64>,
    /// The checks that [`Budget::for_first_result`] adds.
    grace: u64,
}

impl Budget {
    /// Returns a budget that ends only by cancellation.
    pub fn unlimited() -> Self {
        Self::evaluations(u64::MAX)
    }

    /// Returns a budget of at most `evaluations`. Each engine documents its unit of one evaluation.
    pub fn evaluations(evaluations: u64) -> Self {
        Self {
            evaluations,
            deadline: None,
            grace: FIRST_RESULT_GRACE,
            cancelled: Arc::default(),
            left_out: Arc::default(),
            #[cfg(feature = "fault-injection")]
            clock: CheckClock::default(),
        }
    }

    /// Returns a budget that ends after this time, counted from now.
    pub fn time(limit: Duration) -> Self {
        Self::unlimited().within(limit)
    }

    /// Returns a budget that ends after this number of seconds, counted from now.
    pub fn seconds(seconds: u64) -> Self {
        Self::time(Duration::from_secs(seconds))
    }

    /// Returns the same budget with a deadline after this time, unless its own deadline is earlier.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        // A deadline beyond the range of the clock is no deadline.
        let new = Instant::now().checked_add(limit);
        self.deadline = [self.deadline, new].into_iter().flatten().min();
        self
    }

    /// Returns the same deadline and cancellation with another number of evaluations.
    #[must_use]
    pub fn with_evaluations(mut self, evaluations: u64) -> Self {
        self.evaluations = evaluations;
        self
    }

    /// Returns the same budget for a search without these parts, and without those that it leaves out already.
    #[must_use]
    pub fn without(mut self, parts: &[Part]) -> Self {
        if !parts.is_empty() {
            self.left_out = self.left_out.iter().chain(parts).copied().collect();
        }
        self
    }

    /// Returns true if a part is not [left out](Self::without).
    pub fn uses(&self, part: Part) -> bool {
        !self.left_out.contains(&part)
    }

    /// Returns the parts that are [left out](Self::without).
    pub fn left_out(&self) -> &[Part] {
        &self.left_out
    }

    /// Returns the budget for work without any result so far: its deadline is later by [`FIRST_RESULT_GRACE`]. A
    /// cancellation is not delayed.
    ///
    /// So a small time limit does the same work as a larger one, in the same order, and ends earlier.
    #[must_use]
    pub fn for_first_result(&self) -> Self {
        let mut first = self.clone();
        first.deadline = self.deadline.map(|deadline| deadline.checked_add(self.grace).unwrap_or(deadline));
        first.grace = Duration::ZERO;
        #[cfg(feature = "fault-injection")]
        {
            let CheckClock { deadline, grace, .. } = &mut first.clock;
            *deadline = deadline.map(|check| check.saturating_add(std::mem::take(grace)));
        }
        first
    }

    /// Returns the budget for work that adds to a result: [`for_first_result`](Self::for_first_result) no longer delays its
    /// deadline.
    #[must_use]
    pub fn for_addition(mut self) -> Self {
        self.grace = Duration::ZERO;
        #[cfg(feature = "fault-injection")]
        {
            self.clock.grace = 0;
        }
        self
    }

    /// Returns the number of evaluations allowed.
    pub fn evaluation_limit(&self) -> u64 {
        self.evaluations
    }

    /// Returns the time until the deadline, zero when it is past, or `None` without one.
    pub fn time_left(&self) -> Option<Duration> {
        #[cfg(feature = "fault-injection")]
        if let Some(deadline) = self.clock.deadline {
            let left = deadline.saturating_sub(self.clock.checks.load(Ordering::Relaxed));
            // A check stands for an hour, so that no share of the time ends by the real clock.
            return Some(Duration::from_hours(left.min(u64::from(u32::MAX))));
        }
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Requests every engine that uses this budget or a clone of it to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The same budget, which is cancelled at its check with this number, from 1: the number of calls of
    /// [`interruption`](Self::interruption) and [`stop_after`](Self::stop_after) of this budget and its clones. Only for
    /// tests, with the feature `fault-injection`.
    #[cfg(feature = "fault-injection")]
    #[must_use]
    pub fn cancelled_at_check(mut self, check: u64) -> Self {
        self.clock = CheckClock { cancelled_at: check, ..CheckClock::default() };
        self
    }

    /// The same budget with a deadline on a clock that counts [checks](Self::cancelled_at_check): it has passed from the
    /// check with this number on. `grace` is the number of checks that [`for_first_result`](Self::for_first_result) adds. Only
    /// for tests, with the feature `fault-injection`.
    #[cfg(feature = "fault-injection")]
    #[must_use]
    pub fn ended_at_check(mut self, check: u64, grace: u64) -> Self {
        self.clock = CheckClock { deadline: Some(check), grace, ..CheckClock::default() };
        self
    }

    /// Counts one check. Cancels the budget at the chosen one, and returns true from the deadline on.
    #[cfg(feature = "fault-injection")]
    fn count_check(&self) -> bool {
        let CheckClock { checks, cancelled_at, deadline, .. } = &self.clock;
        let check = checks.fetch_add(1, Ordering::Relaxed) + 1;
        if check == *cancelled_at {
            self.cancel();
        }
        deadline.is_some_and(|deadline| check >= deadline)
    }

    /// Returns the reason to stop a search after this number of evaluations, or `None` if it may continue.
    pub fn stop_after(&self, evaluations: u64) -> Option<StopReason> {
        match self.interruption() {
            None | Some(StopReason::Deadline) if evaluations >= self.evaluations => Some(StopReason::Evaluations),
            reason => reason,
        }
    }

    /// Returns the reason to stop whatever the number of evaluations is: cancellation or the deadline. Returns `None` if the
    /// search may continue.
    pub fn interruption(&self) -> Option<StopReason> {
        #[cfg(feature = "fault-injection")]
        let is_late = self.count_check();
        #[cfg(not(feature = "fault-injection"))]
        let is_late = false;
        if self.cancelled.load(Ordering::Relaxed) {
            Some(StopReason::Cancelled)
        } else if is_late || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::Deadline)
        } else {
            None
        }
    }
}

/// The reason why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The allowed number of evaluations is spent.
    Evaluations,
    /// The deadline has passed.
    Deadline,
    /// [`Budget::cancel`] was called.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Evaluations => "the evaluations are spent",
            Self::Deadline => "the time is over",
            Self::Cancelled => "it was interrupted",
        })
    }
}

/// The reason why an engine returns no schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotFound {
    /// The search stopped.
    #[error("no schedule of {steps} steps found: {reason}")]
    Stopped {
        /// The number of steps of the searched schedules.
        steps: u32,
        /// The reason.
        reason: StopReason,
    },
    /// The time ended, or the search was cancelled, before there was any schedule.
    #[error("no schedule found: {reason}{}", remedy(*.reason))]
    Unfinished {
        /// The reason.
        reason: StopReason,
    },
    /// The engine's method ended above the allowed number of steps.
    #[error("no schedule of {steps} steps found: the method ends at {reached}")]
    TooLong {
        /// The number of steps allowed.
        steps: u32,
        /// The number of steps of the schedule that was found.
        reached: u32,
    },
    /// The engine does not support the problem.
    #[error("the {engine} engine cannot do this: {why}")]
    Unsupported {
        /// Name of the engine.
        engine: &'static str,
        /// What the engine does not support, and what to use instead.
        why: String,
    },
    /// The state of an interrupted search is damaged, or belongs to another request.
    #[error("the search cannot be resumed: {why}")]
    Resume {
        /// What is wrong with the state.
        why: String,
    },
}

/// Returns what to do if there is no schedule for this reason.
fn remedy(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Deadline => {
            "; allow a longer time, or limit the evaluations instead: then the first schedule is completed"
        }
        StopReason::Evaluations | StopReason::Cancelled => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_counted() {
        let budget = Budget::evaluations(10);
        assert_eq!((budget.stop_after(9), budget.stop_after(10)), (None, Some(StopReason::Evaluations)));
        assert_eq!(budget.with_evaluations(11).stop_after(10), None);
    }

    #[test]
    fn the_earlier_deadline_counts() {
        assert_eq!(Budget::seconds(0).within(Duration::from_mins(1)).stop_after(0), Some(StopReason::Deadline));
        assert_eq!(Budget::seconds(60).within(Duration::ZERO).stop_after(0), Some(StopReason::Deadline));
        assert_eq!(Budget::time(Duration::MAX).stop_after(0), None, "no limit");
    }

    #[test]
    fn the_first_result_has_a_later_deadline_once() {
        let ended = Budget::time(Duration::ZERO);
        let first = ended.for_first_result();
        assert_eq!(ended.interruption(), Some(StopReason::Deadline));
        assert_eq!(first.deadline, ended.deadline.map(|deadline| deadline + FIRST_RESULT_GRACE));
        assert_eq!(first.for_first_result().deadline, first.deadline);
        assert_eq!(Budget::unlimited().for_first_result().deadline, None);
        first.cancel();
        assert_eq!(ended.for_first_result().interruption(), Some(StopReason::Cancelled));
    }

    #[cfg(feature = "fault-injection")]
    #[test]
    fn a_clock_of_checks_ends_a_budget() {
        let budget = Budget::unlimited().ended_at_check(2, 2);
        let first = budget.for_first_result();
        assert_eq!([&budget, &first, &budget].map(|budget| budget.interruption().is_some()), [false, false, true]);
        assert_eq!(first.for_first_result().interruption(), Some(StopReason::Deadline), "check 4");
    }

    #[test]
    fn evaluations_do_not_interrupt() {
        assert_eq!(Budget::evaluations(0).interruption(), None);
        let ended = Budget::evaluations(0).within(Duration::ZERO);
        assert_eq!(ended.interruption(), Some(StopReason::Deadline));
        assert_eq!(ended.stop_after(0), Some(StopReason::Evaluations));
        ended.cancel();
        assert_eq!(
            (ended.interruption(), ended.stop_after(0)),
            (Some(StopReason::Cancelled), Some(StopReason::Cancelled))
        );
    }

    #[test]
    fn cancelling_one_cancels_its_clones() {
        let budget = Budget::unlimited();
        let copy = budget.clone().with_evaluations(5);
        budget.cancel();
        assert_eq!(copy.stop_after(0), Some(StopReason::Cancelled));
    }
}
