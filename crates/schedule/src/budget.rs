//! What an engine may spend, and why it stopped without a schedule.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long an engine may search.
///
/// Evaluations are counted, so they give the same result on every machine; a deadline does not, and whoever sets one
/// must say so. Clones share their cancellation.
#[derive(Clone, Debug)]
pub struct Budget {
    evaluations: u64,
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl Budget {
    /// No limit but cancellation.
    pub fn unlimited() -> Self {
        Self::evaluations(u64::MAX)
    }

    /// At most this many candidate evaluations; each engine documents what it counts as one.
    pub fn evaluations(evaluations: u64) -> Self {
        Self { evaluations, deadline: None, cancelled: Arc::default() }
    }

    /// At most this much time from now on.
    pub fn time(limit: Duration) -> Self {
        Self::unlimited().within(limit)
    }

    /// At most this many seconds from now on.
    pub fn seconds(seconds: u64) -> Self {
        Self::time(Duration::from_secs(seconds))
    }

    /// The same budget, with a deadline this far from now if that is earlier than its own.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        // A limit past the clock's range is no limit.
        let new = Instant::now().checked_add(limit);
        self.deadline = [self.deadline, new].into_iter().flatten().min();
        self
    }

    /// The same deadline and cancellation with another number of evaluations.
    #[must_use]
    pub fn with_evaluations(mut self, evaluations: u64) -> Self {
        self.evaluations = evaluations;
        self
    }

    /// The number of evaluations allowed.
    pub fn evaluation_limit(&self) -> u64 {
        self.evaluations
    }

    /// The time until the deadline, zero when it is past, or `None` without one.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Asks every engine that works on this budget or a clone of it to stop soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Why to stop after this many evaluations, or `None` to go on.
    pub fn stop_after(&self, evaluations: u64) -> Option<StopReason> {
        if self.cancelled.load(Ordering::Relaxed) {
            Some(StopReason::Cancelled)
        } else if evaluations >= self.evaluations {
            Some(StopReason::Evaluations)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::Deadline)
        } else {
            None
        }
    }
}

/// What ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The allowed number of evaluations is spent.
    Evaluations,
    /// The time is over.
    Deadline,
    /// Somebody called [`Budget::cancel`].
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

/// Why an engine returns no schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotFound {
    /// It searched and stopped.
    #[error("no schedule of {steps} steps found: {reason}")]
    Stopped {
        /// The number of steps it searched at.
        steps: u32,
        /// What ended the search.
        reason: StopReason,
    },
    /// The engine's method ended above the allowed number of steps.
    #[error("no schedule of {steps} steps found: the method ends at {reached}")]
    TooLong {
        /// The number of steps allowed.
        steps: u32,
        /// The number of steps it needs.
        reached: u32,
    },
    /// The engine does not do this kind of problem.
    #[error("the {engine} engine cannot do this: {why}")]
    Unsupported {
        /// Name of the engine.
        engine: &'static str,
        /// What it cannot do, and what can.
        why: String,
    },
    /// The state of an interrupted search is damaged, or belongs to another request.
    #[error("the search cannot be resumed: {why}")]
    Resume {
        /// What is wrong with the state.
        why: String,
    },
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
    fn cancelling_one_cancels_its_clones() {
        let budget = Budget::unlimited();
        let copy = budget.clone().with_evaluations(5);
        budget.cancel();
        assert_eq!(copy.stop_after(0), Some(StopReason::Cancelled));
    }
}
