//! Arguments of `lockstep run`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use lockstep_execute::{Format, Runtime};

use super::export::RuntimeArg;

const RUN_EXAMPLES: &str = "\
Examples:
  lockstep run plan.xml                   execute an algorithm with the limits of RCCL
  lockstep run plan.xml --for msccl       with those of the MSCCL executor
  lockstep run plan.goal --orders 100     in 100 orders of the threads

docs/run.md says what is checked in each format.";

/// Arguments of `lockstep run`.
#[derive(Debug, clap::Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// File for a runtime or a simulator, of Lockstep or of another program; - is standard input
    pub(crate) file: PathBuf,
    /// Format of the file [default: by its contents]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
    pub(crate) format: Option<String>,
    /// Runtime whose limits apply to MSCCL XML
    #[arg(long = "for", value_name = "RUNTIME", default_value = "rccl")]
    pub(crate) runtime: RuntimeArg,
    /// Number of orders of the threads: first thread first, last thread first, then random orders
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) orders: u32,
    /// Seed of the random orders and of the data
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub(crate) seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl From<RuntimeArg> for Runtime {
    fn from(runtime: RuntimeArg) -> Self {
        match runtime {
            RuntimeArg::Rccl => Self::Rccl,
            RuntimeArg::Msccl => Self::Msccl,
        }
    }
}
