//! Arguments of `lockstep rings`.

use std::path::PathBuf;

use clap::ValueEnum;
use lockstep_rings::MAX_RINGS;
use lockstep_rings::format::nccl_graph::PathType;

use super::network::NetworkArgs;
use crate::units::{self, BudgetArg};

const RINGS_EXAMPLES: &str = "\
Examples:
  lockstep rings dgx-1                                     the rings of a server, and a bound of their bandwidth
  lockstep rings topo.xml -o rings.xml                     from NCCL_TOPO_DUMP_FILE to NCCL_GRAPH_FILE
  lockstep rings topo.xml --channels 2 --to nccl-rings     the variable NCCL_RINGS for RCCL
  lockstep rings dgx-1 --chains                            chains, for all-reduces
  lockstep rings hypercube:3 -o rings.json                 and then lockstep verify or render rings.json

A library sends equal shares of the data around each ring. The bandwidth of rings is the bus bandwidth
of nccl-tests. Rings for libraries: docs/guide/src/rings.md.";

/// Arguments of `lockstep rings`.
#[derive(Debug, clap::Args)]
#[command(after_help = RINGS_EXAMPLES)]
pub(crate) struct RingsArgs {
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(value_name = "SPEC")]
    pub(crate) network: String,
    /// Number of rings, exactly [default: the number up to --max-channels with the greatest bandwidth]
    #[arg(long, help_heading = "Search", value_name = "K", value_parser = count(), conflicts_with = "max_channels")]
    pub(crate) channels: Option<u32>,
    /// Largest number of rings; of equally good numbers, the smallest one counts
    #[arg(long, help_heading = "Search", value_name = "K", value_parser = count(), default_value_t = 16)]
    pub(crate) max_channels: u32,
    /// Search for chains: paths over all terminals that carry data in both directions
    #[arg(long, help_heading = "Search")]
    pub(crate) chains: bool,
    /// Terminals of the rings: names, numbers and ranges such as 0-3,5 [default: all terminals]
    #[arg(long, help_heading = "Search", value_name = "NODES")]
    pub(crate) group: Option<String>,
    /// Largest number of terminals inside a hop, which forward data of others
    #[arg(long, help_heading = "Search", value_name = "R", default_value_t = 0)]
    pub(crate) relay: u32,
    /// Seed of all random choices
    #[arg(short, long, help_heading = "Search", value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Search budget: an amount of work (a million takes about a second), a time (500ms, 30s, 5m), or 'unlimited'
    #[arg(short, long, help_heading = "Search", value_name = "AMOUNT", default_value_t = BudgetArg::DEFAULT, value_parser = units::budget)]
    pub(crate) budget: BudgetArg,
    /// Write the rings to FILE; - is standard output
    #[arg(short, long, help_heading = "Output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the rings [default: from the extension of --output: json, .xml is nccl-graph, .txt is text]
    #[arg(long, help_heading = "Output", value_name = "FORMAT")]
    pub(crate) to: Option<RingFormat>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    /// Print the result as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) changes: NetworkArgs,
}

/// What a file for a library needs besides the rings.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LibraryArgs {
    /// Worst path between GPUs in a graph file: NVL, NVB, PIX, PXB, PHB or SYS [default: by the names of the nodes]
    #[arg(long, value_name = "TYPE", value_parser = path_type)]
    pub(crate) path_type: Option<PathType>,
}

/// A format of rings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RingFormat {
    /// File of Lockstep, for verify, render and export
    Json,
    /// `NCCL_GRAPH_FILE` for NCCL and RCCL
    NcclGraph,
    /// Variable `NCCL_RINGS` for RCCL
    NcclRings,
    /// Variable `RCCL_TREES` for RCCL
    RcclTrees,
    /// One line per ring, with the names of the nodes
    Text,
}

impl RingFormat {
    /// The names of the formats of libraries.
    pub(crate) const LIBRARY_NAMES: [&str; 3] = ["nccl-graph", "nccl-rings", "rccl-trees"];

    /// What each format of a library is.
    pub(crate) const ABOUT: [&str; 3] =
        ["NCCL_GRAPH_FILE of NCCL and RCCL", "variable NCCL_RINGS of RCCL", "variable RCCL_TREES of RCCL"];

    /// Returns the format of a library with this name.
    pub(crate) fn for_library(name: &str) -> Option<Self> {
        let formats = [Self::NcclGraph, Self::NcclRings, Self::RcclTrees];
        formats.into_iter().zip(Self::LIBRARY_NAMES).find(|&(_, known)| known == name).map(|(format, _)| format)
    }
}

/// The parser of a number of rings.
fn count() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::try_from(MAX_RINGS).unwrap_or(i64::MAX))
}

fn path_type(word: &str) -> Result<PathType, String> {
    let kinds = PathType::ALL.into_iter();
    let expected = || format!("expected one of {}", PathType::ALL.map(PathType::word).join(", "));
    kinds.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word)).ok_or_else(expected)
}
