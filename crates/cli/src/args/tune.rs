//! Arguments of `lockstep tune`.

use std::path::PathBuf;

use lockstep::CollectiveName;
use lockstep::topology::{Quantity, Sizes};
use lockstep_tune::{Library, UnknownLibrary};

use super::best_plan::BestPlanArgs;
use super::network::NetworkArgs;
use super::ranks::RankArgs;

const TUNE_EXAMPLES: &str = "\
Examples:
  lockstep tune torus:4x4 --library open-mpi --unit 25GB/s -o rules.txt
  lockstep tune dgx-a100:4 --library nccl -c all-reduce -o tuner.csv
  lockstep tune hypercube:4 --library mpich --unit 12.5GB/s --base generic.json -o table.json
  lockstep tune dgx-1 --library ucc -c all-reduce,all-gather
  lockstep tune torus:2x2x2 --library open-mpi --unit 6.8GB/s --against results/fugaku

A library has several algorithms per collective, and chooses one by the size and the number of
ranks. It does not know the network. This command computes the times of the algorithms of the
library on the network, and writes the table that the library reads:

  nccl        CSV for the tuner plugin of NCCL's examples: NCCL_TUNER_CONFIG_FILE
  rccl        CSV for the tuner of RCCL, ROCm 7.13 or later: NCCL_TUNER_CONFIG_FILE
  torchcomms  CSV: NCCLX_TUNER_CONFIG_FILE
  open-mpi    text, 4.1 and 5: coll_tuned_dynamic_rules_filename
  open-mpi-6  JSON, version 6: the same parameter
  mpich       JSON, from the table of your version: MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
  ucc         a line for the shell: UCC_TL_UCP_TUNE

Sizes are those of nccl-tests. The table is right for one number of ranks, in the order of the
terminals. Times of nccl, rccl and torchcomms are those of NCCL's own model, release 2.30.";

/// Arguments of `lockstep tune`.
#[derive(Debug, clap::Args)]
#[command(after_help = TUNE_EXAMPLES)]
pub(crate) struct TuneArgs {
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input
    pub(crate) spec: String,
    /// nccl, rccl, torchcomms, open-mpi (4.1 and 5), open-mpi-6, mpich or ucc
    #[arg(short, long, value_name = "LIBRARY", value_parser = library)]
    pub(crate) library: Library,
    /// Collectives, with commas between them [default: all of the library]. A table for nccl or rccl has all collectives in any case
    #[arg(short, long, value_name = "COLLECTIVE", value_delimiter = ',', value_parser = str::parse::<CollectiveName>)]
    pub(crate) collective: Vec<CollectiveName>,
    /// Sizes to compare: a range such as 64KiB..4GiB. The first and the last choice also hold for smaller and larger sizes
    #[arg(long, visible_alias = "size", value_name = "SIZES", default_value_t = Sizes::default(), value_parser = str::parse::<Sizes>)]
    pub(crate) sizes: Sizes,
    #[command(flatten)]
    pub(crate) of_ranks: RankArgs,
    /// Latency of every channel, such as 700ns, for a network without latencies [default: 1us]
    #[arg(long, value_name = "TIME", value_parser = |text: &str| Quantity::Time.parse(text))]
    pub(crate) latency: Option<u64>,
    /// Number of channels of every choice in a table for nccl, rccl or torchcomms
    #[arg(long, value_name = "CHANNELS", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) channels: u32,
    /// The table of your version of MPICH, generic.json of its sources: the choices are merged into it. A table without the other
    /// collectives would abort the job
    #[arg(long, value_name = "FILE")]
    pub(crate) base: Option<PathBuf>,
    /// Compare the choices with measured times: an extracted folder results/SYSTEM of PICO. Its tests with this number of ranks count
    #[arg(long, value_name = "FOLDER")]
    pub(crate) against: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) best_plan: BestPlanArgs,
    /// Write the table
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the choices as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Parses the name of a library.
fn library(text: &str) -> Result<Library, UnknownLibrary> {
    text.parse()
}
