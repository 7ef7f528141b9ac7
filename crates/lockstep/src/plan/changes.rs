//! The difference between a plan and its repair after faults.

use serde::{Deserialize, Serialize};

/// The figures of a schedule that was repaired after faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repaired {
    /// Number of steps of the repaired schedule.
    pub steps: u32,
    /// The transfers kept and changed.
    pub changes: Changes,
}

/// The difference between a schedule and its repair, in transfers.
///
/// Steps are those of the repaired schedule. A step that loses all its transfers is removed, and later steps move
/// forward.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changes {
    /// Number of transfers in both schedules, on the same path and in the same step.
    pub kept: usize,
    /// Number of transfers removed by the faults, directly or because an earlier transfer is missing.
    pub lost: usize,
    /// Number of transfers that the faults leave possible, but that were dropped, or moved to another step or path, to
    /// shorten the schedule.
    pub moved: usize,
    /// Number of transfers in the repaired schedule only.
    pub added: usize,
}

impl Changes {
    /// Returns true if the counts are those of two schedules with these numbers of transfers, before and after.
    pub(crate) fn add_up(self, [before, after]: [usize; 2]) -> bool {
        let sum = |counts: &[usize]| counts.iter().try_fold(0, |sum: usize, &count| sum.checked_add(count));
        sum(&[self.kept, self.lost, self.moved]) == Some(before) && sum(&[self.kept, self.added]) == Some(after)
    }

    /// Returns the sum over two phases.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            kept: self.kept + other.kept,
            lost: self.lost + other.lost,
            moved: self.moved + other.moved,
            added: self.added + other.added,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_phases_add_up() {
        let changes = |[kept, lost, moved, added]: [usize; 4]| Changes { kept, lost, moved, added };
        assert_eq!(changes([1, 2, 3, 4]).and(changes([5, 6, 7, 8])), changes([6, 8, 10, 12]));
    }
}
