//! Costs of steps and bytes: arguments of the commands that show the time of a schedule.

use anyhow::ensure;
use lockstep::Topology;
use lockstep::schedule::CostModel;
use lockstep::topology::Sizes;

use crate::units;

/// The cost of a step and of a byte.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CostArgs {
    /// Start-up time per step, such as 1us, for a network without bandwidths; with --t1 and --bytes, prints the time of the schedule
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t1", "bytes"])]
    pub(crate) t0: Option<u64>,
    /// Time per byte, such as 0.5ns
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t0", "bytes"])]
    pub(crate) t1: Option<u64>,
    /// Size of every message, such as 1KiB, or several sizes as in --size; the chunks of a message share it, rounded up to bytes
    #[arg(long, help_heading = "Cost", value_name = "SIZES")]
    pub(crate) bytes: Option<Sizes>,
}

impl CostArgs {
    /// Returns the costs and the sizes of a message in bytes, if they are given.
    pub(crate) fn model(&self) -> Option<(CostModel, Vec<u64>)> {
        let Self { t0: Some(start_up_ps), t1: Some(byte_ps), bytes: Some(bytes) } = self else { return None };
        Some((CostModel { start_up_ps: *start_up_ps, byte_ps: *byte_ps }, bytes.table()))
    }

    /// Refuses a size of a message without costs.
    pub(crate) fn check_bytes(&self) -> anyhow::Result<()> {
        ensure!(
            self.bytes.is_none() || self.t0.is_some(),
            "--bytes: this is the size of a message, for --t0 and --t1; give the size of the collective by --size"
        );
        Ok(())
    }

    /// Refuses costs of steps and bytes for a network that has its own.
    pub(crate) fn check(&self, topology: &Topology) -> anyhow::Result<()> {
        let has_times = topology.unit_bytes_per_second().is_some() || topology.has_latencies();
        ensure!(
            self.t0.is_none() || !has_times,
            "--t0, --t1: {} has bandwidths or latencies of its own; leave the options out, and give the size of the \
             collective to lockstep plan --size or lockstep time --size",
            topology.name()
        );
        Ok(())
    }
}
