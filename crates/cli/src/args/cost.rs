//! Costs of steps and bytes: arguments of the commands that show the time of a schedule.

use lockstep::schedule::CostModel;

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
    /// Size of every message in bytes; its chunks share them, rounded up to bytes
    #[arg(long, help_heading = "Cost", value_name = "BYTES", requires_all = ["t0", "t1"])]
    pub(crate) bytes: Option<u64>,
}

impl CostArgs {
    /// Returns the costs and the size of a message in bytes, if they are given.
    pub(crate) fn model(self) -> Option<(CostModel, u64)> {
        let Self { t0: Some(start_up_ps), t1: Some(byte_ps), bytes: Some(bytes) } = self else { return None };
        Some((CostModel { start_up_ps, byte_ps }, bytes))
    }
}
