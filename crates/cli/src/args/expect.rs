//! Arguments of `lockstep expect`.

use std::path::PathBuf;

use lockstep::CollectiveName;
use lockstep::topology::{Quantity, Sizes};
use lockstep_tune::{Library, UnknownLibrary};

use super::best_plan::BestPlanArgs;
use super::network::NetworkArgs;
use super::ranks::RankArgs;

const EXPECT_EXAMPLES: &str = "\
Examples:
  lockstep expect dgx-h100:2 -c all-reduce --size 64MiB,1GiB --library nccl
  lockstep expect dgx-1 -c all-gather --size 1MiB..1GiB
  lockstep expect machine.json -c all-reduce --library nccl --against all_reduce_perf.txt
  lockstep expect machine.json -c all-reduce --against sweep.txt --check 90% -o plot.svg
  lockstep expect torus:4x4 -c all-reduce --unit 12.5GB/s --latency 1us --library open-mpi

The command prints the least time of any schedule, the time of the best algorithm of the library,
that of the best plan that Lockstep finds, and the measured time, with the bandwidths of nccl-tests. Measurements are outputs of nccl-tests,
rccl-tests or the OSU micro-benchmarks. Latencies are those of the network or of --latency.

With --check, the exit code is 1 if the largest measured size has less than this share of the
bandwidth of the library's algorithm, or of the bound without --library and --rings.";

/// Arguments of `lockstep expect`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXPECT_EXAMPLES)]
pub(crate) struct ExpectArgs {
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input
    pub(crate) spec: String,
    /// Collective: all-reduce, all-gather, broadcast, ...
    #[arg(short, long, value_name = "COLLECTIVE", value_parser = str::parse::<CollectiveName>)]
    pub(crate) collective: CollectiveName,
    /// Sizes of the collective: several such as 64MiB,1GiB, or a range such as 1MiB..1GiB [default: those of --against, or 1KiB..1GiB]
    #[arg(long, visible_alias = "sizes", value_name = "SIZES", value_parser = str::parse::<Sizes>)]
    pub(crate) size: Option<Sizes>,
    /// Compare with the algorithms of a library: nccl, rccl, torchcomms, open-mpi, open-mpi-6, mpich or ucc
    #[arg(short, long, value_name = "LIBRARY", value_parser = library)]
    pub(crate) library: Option<Library>,
    /// One algorithm of the library, such as ring or tree for nccl [default: the fastest one of every size]
    #[arg(long, value_name = "NAME", requires = "library")]
    pub(crate) algorithm: Option<String>,
    /// Compare with the rings and trees of a file: rings.json, a graph file, variables or a log of NCCL or RCCL
    #[arg(long, value_name = "FILE", conflicts_with = "library")]
    pub(crate) rings: Option<PathBuf>,
    /// Compare with a measured sweep: the output of nccl-tests, rccl-tests or the OSU micro-benchmarks
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Number of the run of --against, from 1, among those of the collective
    #[arg(long, value_name = "N", requires = "against")]
    pub(crate) run: Option<usize>,
    /// Exit with code 1 if the largest measured size has less than this share of the algorithm's bandwidth, such as 90%
    #[arg(long, value_name = "PERCENT", requires = "against", value_parser = percent)]
    pub(crate) check: Option<f64>,
    #[command(flatten)]
    pub(crate) of_ranks: RankArgs,
    /// Latency of every channel, such as 700ns, for a network without latencies [default: none]
    #[arg(long, value_name = "TIME", value_parser = |text: &str| Quantity::Time.parse(text))]
    pub(crate) latency: Option<u64>,
    #[command(flatten)]
    pub(crate) best_plan: BestPlanArgs,
    /// Draw times and bus bandwidths over the size: SVG, or a page if FILE ends in .html
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Parses the name of a library.
fn library(text: &str) -> Result<Library, UnknownLibrary> {
    text.parse()
}

/// Parses a share in percent.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.filter(|number| (0.0..=1000.0).contains(number));
    share.map(|percent| percent / 100.0).ok_or_else(|| "expected a share in percent, such as 90%".to_owned())
}
