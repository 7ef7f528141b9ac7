//! The number of steps that an attempt aims at, and its retries.

/// The number of backtracks from one step before the attempt gives up its deadline.
const MAX_RETRIES: u32 = 32;

/// The target number of steps, the retries since the last progress, and the terminals that were late.
///
/// Invariant: the deadline never decreases.
#[derive(Debug)]
pub(super) struct Deadline {
    steps: u32,
    /// The largest number of steps made in time.
    furthest: u32,
    /// Number of backtracks since `furthest` grew.
    retries: u32,
    /// The number of times that each terminal was late.
    delays: Vec<u32>,
}

impl Deadline {
    pub(super) fn new(steps: u32, terminals: usize) -> Self {
        Self { steps, furthest: 0, retries: 0, delays: vec![0; terminals] }
    }

    /// Returns the target number of steps.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the number of backtracks since the last progress.
    pub(super) fn retries(&self) -> u32 {
        self.retries
    }

    /// Returns the number of times that a terminal was late.
    pub(super) fn delays(&self, terminal: usize) -> u32 {
        self.delays[terminal]
    }

    /// Postpones the deadline to at least `steps`.
    pub(super) fn postpone(&mut self, steps: u32) {
        self.steps = self.steps.max(steps);
    }

    /// Records that the attempt is on time after `step` steps.
    pub(super) fn record_progress(&mut self, step: u32) {
        if step > self.furthest {
            (self.furthest, self.retries) = (step, 0);
        }
    }

    pub(super) fn may_retry(&self) -> bool {
        self.retries < MAX_RETRIES
    }

    /// Counts one more retry after `step` steps and returns the number of steps to undo: 1, 2, 1, 4, 1, 2, 1, 8, ...
    /// `is_late` tells which terminals caused it.
    ///
    /// # Source
    ///
    /// Luby, Sinclair and Zuckerman, *Optimal speedup of Las Vegas algorithms*, 1993.
    pub(super) fn retry(&mut self, step: u32, is_late: impl Fn(usize) -> bool) -> u32 {
        for (terminal, delays) in self.delays.iter_mut().enumerate() {
            *delays += u32::from(is_late(terminal));
        }
        self.retries += 1;
        (1 << self.retries.trailing_zeros()).min(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_follow_the_sequence_of_luby_and_start_again_after_progress() {
        let mut deadline = Deadline::new(9, 2);
        let undone: Vec<u32> = (0..8).map(|_| deadline.retry(5, |terminal| terminal == 1)).collect();
        assert_eq!(undone, [1, 2, 1, 4, 1, 2, 1, 5]);
        assert_eq!((deadline.delays(0), deadline.delays(1), deadline.retries()), (0, 8, 8));
        deadline.record_progress(6);
        assert_eq!((deadline.retries(), deadline.retry(6, |_| false)), (0, 1));
        deadline.record_progress(6);
        assert_eq!(deadline.retries(), 1, "the same step is no progress");
        (0..MAX_RETRIES - 1).for_each(|_| _ = deadline.retry(1, |_| false));
        assert!(!deadline.may_retry());
    }

    #[test]
    fn a_deadline_never_decreases() {
        let mut deadline = Deadline::new(4, 0);
        deadline.postpone(6);
        deadline.postpone(5);
        assert_eq!(deadline.steps(), 6);
    }
}
