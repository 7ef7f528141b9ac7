//! Arguments of `lockstep bound`.

use lockstep::schedule::Part;
use lockstep::topology::Sizes;

use super::problem::ProblemArgs;
use crate::units::{self, BudgetArg};

const BOUND_EXAMPLES: &str = "\
Examples:
  lockstep bound mesh:4x4 -c all-to-all
  lockstep bound full-b-tree:15 -c scatter --root 7
  lockstep bound hypercube:6 -c all-gather --switching sf --json
  lockstep bound dgx-a100:2 -c all-reduce --size 64MiB,1GB       the least time of any schedule";

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
    /// Sizes of the collective, such as 1GB or 64KiB..1MiB: prints the time that every schedule takes at least, in any number of chunks,
    /// by the bandwidths of the network or by --unit
    #[arg(long, visible_alias = "sizes", alias = "bytes", value_name = "SIZES")]
    pub(crate) size: Option<Sizes>,
    /// Print the bounds with their certificates as JSON; with --size, {"bounds": BOUNDS, "times": TIMES}
    #[arg(long)]
    pub(crate) json: bool,
}
