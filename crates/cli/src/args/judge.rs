//! Arguments of `lockstep judge`.

use std::path::PathBuf;

use lockstep::topology::Sizes;

use super::network::NetworkArgs;
use super::program::ProgramArgs;
use crate::units::{self, BudgetArg};

const JUDGE_EXAMPLES: &str = "\
Examples:
  lockstep judge algorithm.xml                        on the network of the pairs of ranks that talk
  lockstep judge algorithm.xml --network dgx-1        on a network; its terminals are the ranks
  lockstep judge algorithm.xml --network dgx-1 --ranks 0-3    on four of its terminals
  lockstep judge algorithm.xml --network dgx-1 --size 1GB     and the times for this size
  lockstep judge plan.goal -c all-gather --chunks 2   the format does not name the collective
  lockstep judge algorithm.xml -o steps.json          write the steps as a schedule
  lockstep judge nccl.log --network dgx-1             the rings of a log, a graph file, or of NCCL_RINGS
  lockstep judge tuner.csv --network dgx-1            a table by which a library chooses its algorithms

docs/guide/src/reference/run.md says what is checked in each format, and how the steps are found.";

/// Arguments of `lockstep judge`.
#[derive(Debug, clap::Args)]
#[command(after_help = JUDGE_EXAMPLES)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input [default: the pairs of ranks that talk]
    #[arg(long, value_name = "SPEC")]
    pub(crate) network: Option<String>,
    /// Budget of the search for our own plan: a number of evaluations, a time (500ms, 30s, 5m), or 'unlimited'
    #[arg(short, long, value_name = "AMOUNT", default_value_t = BudgetArg::DEFAULT, value_parser = units::budget)]
    pub(crate) budget: BudgetArg,
    /// Terminals of the ranks in order: names, numbers and ranges such as 0-3,5 [default: all terminals, ascending]
    #[arg(long, value_name = "NODES", requires = "network")]
    pub(crate) ranks: Option<String>,
    /// Sizes of the collective, such as 1GB or 64KiB..1MiB: prints the times of the program and of our plan
    #[arg(long, visible_alias = "sizes", alias = "bytes", value_name = "SIZES")]
    pub(crate) size: Option<Sizes>,
    /// Write the steps to FILE as a schedule in JSON; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Communicator of a log of NCCL, from 1 on, in the order of the log
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) communicator: usize,
    /// Largest number of terminals inside a hop of a ring, which forward data of others
    #[arg(long, value_name = "R", default_value_t = 0)]
    pub(crate) relay: u32,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) changes: NetworkArgs,
}
