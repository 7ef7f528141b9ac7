//! Arguments of `lockstep bound`.

use super::problem::ProblemArgs;

const BOUND_EXAMPLES: &str = "\
Examples:
  lockstep bound mesh:4x4 -c all-to-all
  lockstep bound full-b-tree:15 -c scatter --root 7
  lockstep bound hypercube:6 -c aab --switching sf --json";

/// Arguments of `lockstep bound`.
#[derive(Debug, clap::Args)]
#[command(after_help = BOUND_EXAMPLES)]
pub(crate) struct BoundArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// Print the bounds with their certificates as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
