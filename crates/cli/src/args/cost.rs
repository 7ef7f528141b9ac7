//! Costs of steps and bytes: arguments of the commands that show the time of a schedule.

use crate::units;

/// The cost of a step and of a byte.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CostArgs {
    /// Start-up time per step, such as 1us; with --t1 and --bytes, prints the time of the schedule
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t1", "bytes"])]
    pub(crate) t0: Option<u64>,
    /// Time per byte, such as 0.5ns
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t0", "bytes"])]
    pub(crate) t1: Option<u64>,
    /// Size of every message in bytes
    #[arg(long, help_heading = "Cost", value_name = "BYTES", requires_all = ["t0", "t1"])]
    pub(crate) bytes: Option<u64>,
}
