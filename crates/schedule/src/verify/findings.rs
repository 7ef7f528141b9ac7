//! The violations that one part of the verifier finds.

use crate::violation::Violation;

/// The first violations, up to a limit for each kind.
pub(super) struct Findings {
    /// In the order of the schedule.
    placed: Vec<Violation>,
    /// Deliveries and contributions missing after the last step, in the order of the messages.
    missing: Vec<Violation>,
    pub(super) limit: usize,
}

impl Findings {
    pub(super) fn new(limit: usize) -> Self {
        Self { placed: Vec::new(), missing: Vec::new(), limit }
    }

    /// Returns true if later transfers cannot add a violation.
    pub(super) fn is_full(&self) -> bool {
        self.placed.len() >= self.limit
    }

    /// Returns true if the list of missing deliveries is full.
    pub(super) fn misses_enough(&self) -> bool {
        self.missing.len() >= self.limit
    }

    #[cold]
    pub(super) fn add(&mut self, violation: Violation) {
        let list = if violation.place().is_some() { &mut self.placed } else { &mut self.missing };
        if list.len() < self.limit {
            list.push(violation);
        }
    }

    /// Adds the violations of `other`, up to the limit. For one transfer, those of `self` come first.
    pub(super) fn merge(&mut self, other: Self) {
        if other.placed.is_empty() && other.missing.is_empty() {
            return;
        }
        self.placed.extend(other.placed);
        self.placed.sort_by_key(|violation| violation.place().map(|at| (at.step, at.transfer)));
        self.placed.truncate(self.limit);
        self.missing.extend(other.missing);
        self.missing.truncate(self.limit);
    }

    pub(super) fn into_list(mut self) -> Vec<Violation> {
        self.placed.append(&mut self.missing);
        self.placed.truncate(self.limit);
        self.placed
    }
}
