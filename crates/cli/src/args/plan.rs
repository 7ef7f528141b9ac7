//! Arguments of `lockstep plan`.

use std::path::PathBuf;

use clap::ValueEnum;
use lockstep::Engine;

use super::cost::CostArgs;
use super::problem::ProblemArgs;
use crate::units::{self, BudgetArg};

const PLAN_EXAMPLES: &str = "\
Examples:
  lockstep plan omega:8 -c aab                                 a table of the steps
  lockstep plan omega:8 -c aab -o s.json                       the plan as a file
  lockstep plan mesh:4x4 -c broadcast --root 11 --ports 1      from node 11, one port a node
  lockstep plan file.edges -c aas --json | lockstep verify -
  lockstep plan b-tree:16 -c aas --engine umda --seed 7 -o s.json
  lockstep plan hypercube:4 -c aab --t0 1us --t1 0.5ns --bytes 1024
  lockstep plan hypercube:20 -c aab --symmetric                one source's part of 10^12 transfers
  lockstep plan hypercube:20 -c aab --node 12345 --local       what that node sends

The same seed gives the same plan, byte for byte, on any number of threads, unless --budget is a
time or --timing is given. Ctrl-C ends the search and keeps the best schedule so far. With --output
or --checkpoint the state of a search is saved twice a second, and the same command goes on from it.";

/// Arguments of `lockstep plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// What looks for the schedule: auto (the first three of the others), analytic, construct, umda or hgsa
    #[arg(short, long, help_heading = "Search", value_name = "ENGINE", default_value = "auto", value_parser = str::parse::<Engine>)]
    pub(crate) engine: Engine,
    /// The most steps [default: as few as can be found]
    #[arg(long, help_heading = "Search", value_name = "N")]
    pub(crate) steps: Option<u32>,
    /// Seed of all random choices
    #[arg(short, long, help_heading = "Search", value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How long to search: evaluations (4000000), a time (500ms, 30s, 5m), or 'unlimited'
    #[arg(short, long, help_heading = "Search", value_name = "AMOUNT", default_value_t = BudgetArg::DEFAULT, value_parser = units::budget)]
    pub(crate) budget: BudgetArg,
    /// Write the plan to this file; - is standard output
    #[arg(short, long, help_heading = "Output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How --output is written [default: binary for .lsb and .bin, else json]
    #[arg(long, help_heading = "Output", value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<PlanFormat>,
    /// Print the plan as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Write into the plan how many seconds it took, so that it differs from run to run
    #[arg(long, help_heading = "Output")]
    pub(crate) timing: bool,
    /// Say which bounds and engines were asked, what each reached, and why it ended
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,
    /// Save the state of the search in this file [default: the name of --output with .checkpoint behind it]
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) large: LargeArgs,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
}

/// Plans of networks that look the same from every node, without building the network.
#[derive(Debug, clap::Args)]
pub(crate) struct LargeArgs {
    /// Plan the part of one source; all others do the same, translated (aab and aas on hypercubes, tori, rings, circulants)
    #[arg(long, help_heading = "Large networks", conflicts_with_all = ["local", "engine", "steps", "seed", "timing", "checkpoint"])]
    pub(crate) symmetric: bool,
    /// Print what one node sends on which link in which round
    #[arg(long, help_heading = "Large networks", requires = "node", conflicts_with_all = ["engine", "steps", "seed", "timing", "checkpoint", "output", "t0"])]
    pub(crate) local: bool,
    /// The node of --local, by name or number
    #[arg(long, help_heading = "Large networks", value_name = "NODE", requires = "local")]
    pub(crate) node: Option<String>,
}

/// How a plan file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PlanFormat {
    /// Text for people and programs
    Json,
    /// A tenth of the size, with a checksum
    Binary,
}
