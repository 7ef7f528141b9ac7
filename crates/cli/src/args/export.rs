//! Arguments of `lockstep export`.

use std::path::PathBuf;

use clap::ValueEnum;
use lockstep::topology::{Quantity, Sizes};
use lockstep_export::{FORMATS, Runtime};

use super::name_parser::{ChosenName, NameParser};
use super::rings::{LibraryArgs, RingFormat};

const EXPORT_EXAMPLES: &str = "\
Examples:
  lockstep export p.json --to mpi -o plan.c               a C program that checks every byte
  lockstep export p.json --to msccl-xml -o plan.xml       an algorithm for MSCCL
  lockstep export front/ --to msccl-xml -o algorithms/    one file per range of sizes
  lockstep export p.json --to goal --size 64MiB           for a simulator, one size
  lockstep export p.json --to perfetto -o p.trace.json    a timeline for ui.perfetto.dev
  lockstep export rings.json --to nccl-graph -o rings.xml the rings of lockstep rings
  lockstep export --list                                  all formats and their limits

Rank r is the r-th working terminal of the network by node number. The layout of the buffers, and
how to run each format: docs/guide/src/reference/export.md.";

/// Arguments of `lockstep export`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXPORT_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "options of the command line")]
pub(crate) struct ExportArgs {
    /// Schedule, plan or ring file, JSON or binary, or the directory of `lockstep front -o`; - is standard input
    #[arg(required_unless_present = "list")]
    pub(crate) file: Option<PathBuf>,
    /// Format of the output, or the beginning of its name: mpi is mpi-c, msccl is msccl-xml
    #[arg(
        long,
        value_name = "FORMAT",
        required_unless_present = "list",
        value_parser = NameParser::new(FORMATS.iter().map(|format| format.name).chain(RingFormat::LIBRARY_NAMES))
    )]
    pub(crate) to: Option<ChosenName>,
    /// Write to a file, or to a directory if the format or the input is one; - is standard output [default: -]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Runtime that reads the file, because their limits differ
    #[arg(long = "for", value_name = "RUNTIME", default_value = "rccl")]
    pub(crate) runtime: RuntimeArg,
    /// Use one buffer for input and output
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Use different buffers for input and output (default)
    #[arg(long, conflicts_with = "in_place")]
    pub(crate) out_of_place: bool,
    /// Allow paths through other terminals in formats of GPU runtimes: the network routes
    #[arg(long)]
    pub(crate) routed: bool,
    /// Size of the collective in formats of one size, as in `lockstep time` [default: 1MiB]; in other formats, a range such as
    /// 64KiB..1MiB stands for --min-bytes and --max-bytes
    #[arg(long, alias = "bytes", value_name = "SIZES")]
    pub(crate) size: Option<Sizes>,
    /// Smallest size for which the runtime uses the schedule [default: that of the front, otherwise 0]
    #[arg(long, value_name = "SIZE", value_parser = |text: &str| Quantity::Size.parse(text))]
    pub(crate) min_bytes: Option<u64>,
    /// Largest size for which the runtime uses the schedule; 0 is no limit [default: that of the front, otherwise 0]
    #[arg(long, value_name = "SIZE", value_parser = |text: &str| Quantity::Size.parse(text))]
    pub(crate) max_bytes: Option<u64>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    /// Bandwidth of one unit of capacity in a graph file of rings, such as 25GB/s [default: that of the network]
    #[arg(long, value_name = "BANDWIDTH", value_parser = |text: &str| Quantity::Bandwidth.parse(text))]
    pub(crate) unit: Option<u64>,
    /// List the formats, their consumers and their limits
    #[arg(long)]
    pub(crate) list: bool,
}

/// A runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RuntimeArg {
    /// RCCL of ROCm before 7.13; later versions have no MSCCL: use nccl-c or torch
    Rccl,
    /// The MSCCL executor of NCCL, and MSCCL
    Msccl,
}

impl From<RuntimeArg> for Runtime {
    fn from(runtime: RuntimeArg) -> Self {
        match runtime {
            RuntimeArg::Rccl => Self::Rccl,
            RuntimeArg::Msccl => Self::Msccl,
        }
    }
}
