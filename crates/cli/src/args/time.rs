//! Arguments of `lockstep time`.

use std::path::PathBuf;

use lockstep::topology::{Quantity, Sizes};

const TIME_EXAMPLES: &str = "\
Examples:
  lockstep plan dgx-a100:2 -c all-gather --chunks 13 -o p.json
  lockstep time p.json                                 1KiB to 1GiB
  lockstep time p.json --size 64MiB,1GB                these sizes
  lockstep time p.json --size 64KiB..1MiB              a range, each size four times the one before
  lockstep time p.json --size 1MB --unit 25GB/s        for a network without bandwidths

Sizes and bandwidths are those of nccl-tests: the size of an all-gather is that of all received data
of a rank, algbw is size over time, and busbw is (n - 1) / n of it (2 (n - 1) / n for an all-reduce).
The bandwidths are those of the asynchronous time.";

/// Arguments of `lockstep time`.
#[derive(Debug, clap::Args)]
#[command(after_help = TIME_EXAMPLES)]
pub(crate) struct TimeArgs {
    /// Schedule or plan file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// Sizes of the collective: one such as 64MiB, several with commas, or a range such as 64KiB..1MiB
    #[arg(long, visible_alias = "sizes", alias = "bytes", value_name = "SIZES", default_value_t = Sizes::default(), value_parser = str::parse::<Sizes>)]
    pub(crate) size: Sizes,
    /// Bandwidth of one unit of capacity, such as 25GB/s [default: that of the network]
    #[arg(long, value_name = "BANDWIDTH", value_parser = |text: &str| Quantity::Bandwidth.parse(text))]
    pub(crate) unit: Option<u64>,
    /// Print the times as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
