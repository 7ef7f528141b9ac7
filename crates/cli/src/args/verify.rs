//! Arguments of `lockstep verify`.

use std::path::PathBuf;

use super::cost::CostArgs;

const VERIFY_EXAMPLES: &str = "\
Examples:
  lockstep verify s.json
  lockstep verify s.json --all              list all violations
  lockstep plan ring:8 -c all-to-all --json | lockstep verify -";

/// Arguments of `lockstep verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// Schedule, symmetric schedule or plan file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// List all violations of the schedule, at most 1000
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
}
