//! Arguments of `lockstep verify`.

use std::path::PathBuf;

use lockstep::topology::{Quantity, Sizes};

use super::cost::CostArgs;

const VERIFY_EXAMPLES: &str = "\
Examples:
  lockstep verify s.json
  lockstep verify s.json --all              list all violations
  lockstep verify s.json --size 64KiB..1GB  print the times too
  lockstep plan ring:8 -c all-to-all --json | lockstep verify -";

/// Arguments of `lockstep verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// Schedule, symmetric schedule, plan or ring file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// List all violations of the schedule, at most 1000
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
    /// Sizes of the collective, such as 1GB or 64KiB..1MiB: prints the times of a valid schedule as `lockstep time` does
    #[arg(long, visible_alias = "sizes", help_heading = "Cost", value_name = "SIZES")]
    pub(crate) size: Option<Sizes>,
    /// Bandwidth of one unit of capacity, such as 25GB/s [default: that of the network]
    #[arg(long, help_heading = "Cost", value_name = "BANDWIDTH", requires = "size", value_parser = |text: &str| Quantity::Bandwidth.parse(text))]
    pub(crate) unit: Option<u64>,
}
