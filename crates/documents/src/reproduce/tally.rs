//! The progress of a reproduction: one line on standard error per finished piece of work.

use std::time::Instant;

use lockstep_report::ProgressText;

/// Counts pieces of work, and prints a line for each, with the share of the work and the time left.
pub(super) struct Tally {
    begin: Instant,
    done: usize,
    total: usize,
}

impl Tally {
    /// Begins work of this number of pieces.
    pub(super) fn new(total: usize) -> Self {
        Self { begin: Instant::now(), done: 0, total }
    }

    /// Leaves out some pieces.
    pub(super) fn skip(&mut self, pieces: usize) {
        self.total -= pieces;
    }

    /// Prints that one more piece is done, with its bound and its result.
    pub(super) fn done(&mut self, bound: Option<&str>, best: Option<&str>, work: &str) {
        self.done += 1;
        let used = self.done as f64 / self.total.max(self.done) as f64;
        let elapsed = self.begin.elapsed();
        let left = ProgressText::time_left(elapsed, used);
        eprintln!("{}", ProgressText { elapsed, bound, best, used: Some(used), left, work });
    }

    /// Prints that one more piece is done, with its bound and its result in steps.
    pub(super) fn done_steps(&mut self, bound: u128, best: u128, work: &str) {
        self.done(Some(&steps(bound)), Some(&steps(best)), work);
    }
}

fn steps(count: u128) -> String {
    if count == 1 { "1 step".to_owned() } else { format!("{count} steps") }
}
