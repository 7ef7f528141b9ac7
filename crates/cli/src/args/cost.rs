//! Costs of steps and bytes: arguments of the commands that show the time of a schedule.

use crate::units;

/// What a step and a byte cost.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CostArgs {
    /// Start-up time of a step, such as 1us; with --t1 and --bytes the time of the schedule is shown
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t1", "bytes"])]
    pub(crate) t0: Option<u64>,
    /// Time a byte, such as 0.5ns
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t0", "bytes"])]
    pub(crate) t1: Option<u64>,
    /// Length of every message in bytes
    #[arg(long, help_heading = "Cost", value_name = "BYTES", requires_all = ["t0", "t1"])]
    pub(crate) bytes: Option<u64>,
}
