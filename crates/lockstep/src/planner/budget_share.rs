//! Parts of a budget.

use lockstep_schedule::Budget;

/// Returns the budget of one of `count` parts of the work: its share of the evaluations, and of the time that is left
/// for the last `left` parts.
pub(crate) fn share(budget: &Budget, count: usize, left: usize) -> Budget {
    let share = match budget.evaluation_limit() {
        u64::MAX => budget.clone(),
        evaluations => budget.clone().with_evaluations(evaluations / count as u64),
    };
    part_of_time(&share, left as u32)
}

/// Returns the same budget with the remaining time divided by `parts`.
pub(crate) fn part_of_time(budget: &Budget, parts: u32) -> Budget {
    match budget.time_left() {
        Some(time) => budget.clone().within(time / parts),
        None => budget.clone(),
    }
}
