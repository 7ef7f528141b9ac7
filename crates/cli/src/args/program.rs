//! Arguments that describe a program for a runtime or a simulator.

use std::num::NonZeroU32;
use std::path::PathBuf;

use lockstep::CollectiveName;
use lockstep_execute::{Format, TableCollective};

use super::export::RuntimeArg;
use super::name_parser::{ChosenName, NameParser};

/// A program, and the orders in which it is executed.
#[derive(Debug, clap::Args)]
pub(crate) struct ProgramArgs {
    /// File for a runtime or a simulator, of Lockstep or of another program; - is standard input; for Chakra, the directory
    pub(crate) file: PathBuf,
    /// Collective of a file that does not name it (CSV, GOAL, Chakra, htsim)
    #[arg(short, long, value_name = "COLLECTIVE", value_parser = str::parse::<CollectiveName>)]
    pub(crate) collective: Option<CollectiveName>,
    /// Root rank of --collective
    #[arg(short, long, value_name = "RANK", requires = "collective", default_value = "0")]
    pub(crate) root: u32,
    /// Chunks per message of --collective
    #[arg(long, value_name = "CHUNKS", requires = "collective", default_value = "1")]
    pub(crate) chunks: NonZeroU32,
    /// Format of the file [default: by its contents]
    #[arg(long, value_name = "FORMAT", value_parser = NameParser::new(Format::ALL.map(Format::name)))]
    pub(crate) format: Option<ChosenName>,
    /// Runtime whose limits apply to MSCCL XML
    #[arg(long = "for", value_name = "RUNTIME", default_value = "rccl")]
    pub(crate) runtime: RuntimeArg,
    /// Number of orders of the threads: first thread first, last thread first, then random orders
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) orders: u32,
    /// Seed of the random orders and of the data
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub(crate) seed: u64,
}

impl ProgramArgs {
    /// Returns the collective of a table.
    pub(crate) fn table_collective(&self) -> Option<TableCollective<'static>> {
        let name = self.collective?.word();
        Some(TableCollective { name, root: self.root, chunks: self.chunks.get() })
    }
}
