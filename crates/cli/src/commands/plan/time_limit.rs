//! The end of planning without a schedule: the time limit was too short for the first one.

use anyhow::anyhow;

use super::next::larger;
use crate::units::BudgetArg;

/// Returns the error, with the budgets to try next.
pub(super) fn too_short(limit: BudgetArg) -> anyhow::Error {
    anyhow!(
        "no schedule found within {limit}; try --budget {}, or a number of evaluations, such as --budget {}: \
         then the first schedule is always completed",
        larger(limit),
        BudgetArg::DEFAULT
    )
}
