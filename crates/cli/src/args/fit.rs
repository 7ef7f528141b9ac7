//! Arguments of `lockstep fit`.

use std::path::PathBuf;

use clap::ValueEnum;
use lockstep::topology::Quantity;
use lockstep_measure::TransferKind;

use super::network::NetworkArgs;

const FIT_EXAMPLES: &str = "\
Examples:
  lockstep fit dgx-h100:1 nvbandwidth.json                 the bandwidth of each class of links, and slow links
  lockstep fit topo.xml p2p.txt sendrecv.txt -o machine.json
  lockstep plan machine.json -c all-reduce                 the network with the measured bandwidths
  lockstep plan topo.xml --measured p2p.txt -c all-reduce  the same in one command
  lockstep fit machine.json nvbandwidth.txt --check 90%    exit code 1 if a link gives less
  lockstep fit cluster.json osu_bw.txt --group g0,g9       a benchmark between two of the terminals
  lockstep fit topo.xml p2p.txt -o machine.html            slow links in red

Outputs of benchmarks and how to make them: docs/guide/src/reference/measurements.md. The devices of a
benchmark are the terminals in their order, unless the network has their bus ids or hosts.";

/// Arguments of `lockstep fit`.
#[derive(Debug, clap::Args)]
#[command(after_help = FIT_EXAMPLES)]
pub(crate) struct FitArgs {
    /// Network: a spec such as dgx-h100:1, a graph file, or - for standard input
    #[arg(value_name = "NETWORK")]
    pub(crate) spec: String,
    /// Outputs of benchmarks: nccl-tests, nvbandwidth, p2pBandwidthLatencyTest, OSU and others
    #[arg(value_name = "MEASUREMENT", required = true, conflicts_with = "measured")]
    pub(crate) files: Vec<PathBuf>,
    /// What moves the data of the network's bandwidths [default: kernel, then message, then copy]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<Kind>,
    /// Terminals of the devices, in the order of the devices: names, numbers and ranges such as 0-3 [default: all terminals]
    #[arg(long, value_name = "NODES")]
    pub(crate) group: Option<String>,
    /// Unit of the rates in the files, such as 1MiB/s [default: the unit of the benchmark]
    #[arg(long, value_name = "BANDWIDTH", value_parser = |text: &str| Quantity::Bandwidth.parse(text))]
    pub(crate) rate_unit: Option<u64>,
    /// Return exit code 1 if a link gives less than this part of its class, such as 90%
    #[arg(long, value_name = "PART", value_parser = percent)]
    pub(crate) check: Option<u32>,
    /// Write the network to FILE: .json with the sources of its numbers, another graph format, .svg or .html
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// What moves data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// Kernel on a GPU
    Kernel,
    /// Messages of a communication library or of a network card
    Message,
    /// Copy engine
    Copy,
}

impl From<Kind> for TransferKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Kernel => Self::Kernel,
            Kind::Message => Self::Message,
            Kind::Copy => Self::Copy,
        }
    }
}

/// Parses a part in percent.
fn percent(text: &str) -> Result<u32, String> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok());
    number.filter(|percent| (1..=100).contains(percent)).ok_or_else(|| "expected 1% to 100%, such as 90%".to_owned())
}
