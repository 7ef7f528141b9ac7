//! Arguments of the best plan beside a library.

use crate::units::{self, BudgetArg};

/// The evaluations of the search for the best plan: a few seconds for 16 to 64 GPUs.
const DEFAULT_BUDGET: BudgetArg = BudgetArg::Evaluations(4_000_000);

/// Whether the best plan is computed, and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct BestPlanArgs {
    /// Leave out the best plan, whose search takes most of the time
    #[arg(long)]
    pub(crate) no_plan: bool,
    /// Budget of the best plan of a collective: evaluations (20000000), a time (30s, 5m) or 'unlimited'
    #[arg(short, long, value_name = "BUDGET", default_value_t = DEFAULT_BUDGET, value_parser = units::budget)]
    pub(crate) budget: BudgetArg,
}
