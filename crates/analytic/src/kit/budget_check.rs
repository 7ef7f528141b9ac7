//! Checks of a budget after equal amounts of work.

use lockstep_schedule::Budget;

/// The work between two checks, about a tenth of a millisecond: visits of a channel, or transfers.
const WORK_PER_CHECK: usize = 1 << 16;

/// Checks a budget at the start of some work, and then once per [`WORK_PER_CHECK`].
pub(crate) struct BudgetCheck<'a> {
    budget: &'a Budget,
    /// The work until the next check.
    left: usize,
}

impl<'a> BudgetCheck<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, left: 0 }
    }

    /// Records some work, before or after it is done. Returns `None` if the budget has ended.
    pub(crate) fn spend(&mut self, work: usize) -> Option<()> {
        match self.left.checked_sub(work.max(1)) {
            Some(left) => self.left = left,
            None if self.budget.interruption().is_some() => return None,
            None => self.left = WORK_PER_CHECK,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_checked_at_the_start_and_after_equal_amounts_of_work() {
        let budget = Budget::unlimited().cancelled_at_check(3);
        let mut check = BudgetCheck::new(&budget);
        assert_eq!(check.spend(1), Some(()), "check 1");
        assert_eq!(check.spend(WORK_PER_CHECK), Some(()), "no check");
        assert_eq!(check.spend(0), Some(()), "check 2");
        assert_eq!((check.spend(WORK_PER_CHECK), check.spend(1)), (Some(()), None), "check 3");
    }
}
