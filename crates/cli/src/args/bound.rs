//! Arguments of `lockstep bound`.

use lockstep::schedule::Part;

use super::problem::ProblemArgs;
use crate::units::{self, BudgetArg};

const BOUND_EXAMPLES: &str = "\
Examples:
  lockstep bound mesh:4x4 -c all-to-all
  lockstep bound full-b-tree:15 -c scatter --root 7
  lockstep bound hypercube:6 -c all-gather --switching sf --json";

/// Arguments of `lockstep bound`.
#[derive(Debug, clap::Args)]
#[command(after_help = BOUND_EXAMPLES)]
pub(crate) struct BoundArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// Time limit (500ms, 30s, 5m) or 'unlimited'
    #[arg(short, long, value_name = "TIME", default_value_t = BudgetArg::Unlimited, value_parser = units::time_limit)]
    pub(crate) budget: BudgetArg,
    /// Leave out a rule, to study its use; repeatable. A wrong name lists all parts of the search
    #[arg(long, value_name = "PART", hide_short_help = true, value_parser = units::part)]
    pub(crate) without: Vec<Part>,
    /// Print the bounds with their certificates as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
