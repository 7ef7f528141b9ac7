//! The end of work without a schedule: the time limit was too short for the first one.

use anyhow::anyhow;

use crate::units::BudgetArg;

/// Returns the error of a plan, with the budgets to try next.
pub(super) fn too_short(limit: BudgetArg) -> anyhow::Error {
    anyhow!(
        "no schedule found within {limit}; try --budget {}, or a number of evaluations, such as --budget {}: \
         then the first schedule is always completed",
        larger(limit),
        BudgetArg::DEFAULT
    )
}

/// Returns the error of a front, with the limit to try next.
pub(super) fn too_short_for_front(limit: BudgetArg) -> anyhow::Error {
    anyhow!("no schedule found within {limit}; try --budget {}", larger(limit))
}

/// Returns a budget that is several times larger, in the form of the command line.
pub(super) fn larger(budget: BudgetArg) -> String {
    match budget {
        BudgetArg::DEFAULT | BudgetArg::Unlimited => "60s".to_owned(),
        BudgetArg::Evaluations(evaluations) => evaluations.saturating_mul(10).to_string(),
        BudgetArg::Time(limit) => format!("{}s", limit.as_secs().saturating_mul(5).max(5)),
    }
}
