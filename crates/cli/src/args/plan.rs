//! Arguments of `lockstep plan`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::ValueEnum;
use lockstep::EngineChoice;
use lockstep::schedule::Part;
use lockstep::topology::Sizes;

use super::cost::CostArgs;
use super::problem::ProblemArgs;
use crate::units::{self, BudgetArg};

const PLAN_EXAMPLES: &str = "\
Examples:
  lockstep plan omega:8 -c all-gather                          print a summary
  lockstep plan omega:8 -c all-gather --table                  and all transfers
  lockstep plan omega:8 -c all-gather -o s.json                write the plan to a file
  lockstep plan omega:8 -c all-gather -o s.svg                 draw it, one panel per step
  lockstep plan mesh:4x4 -c broadcast --root 11 --ports 1      from node 11, one port per node
  lockstep plan file.edges -c all-to-all --json | lockstep verify -
  lockstep plan b-tree:16 -c all-to-all --engine umda --seed 7 -o s.json
  lockstep plan dgx-a100:2 -c all-reduce --size 1GB            and its time for this size
  lockstep plan hypercube:4 -c all-gather --t0 1us --t1 0.5ns --bytes 1KiB
  lockstep plan hypercube:20 -c all-gather --symmetric         plan one source of 10^12 transfers
  lockstep plan hypercube:20 -c all-gather --node 7 --local    print the sends of that node

The same seed gives the same plan, byte for byte, on any number of threads, unless --budget is a
time or --timing is given. Ctrl-C stops the search and keeps the best schedule found. With --output
or --checkpoint, the state of the search is saved twice per second; the same command resumes it.";

/// Arguments of `lockstep plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAN_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "options of the command line")]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// Engine that finds the schedule: auto (analytic, construct and umda), analytic, rings, construct, umda or hgsa
    #[arg(short, long, help_heading = "Search", value_name = "ENGINE", default_value = "auto", value_parser = str::parse::<EngineChoice>)]
    pub(crate) engine: EngineChoice,
    /// Accept a schedule of at most N steps [default: find the fewest]
    #[arg(long, help_heading = "Search", value_name = "N")]
    pub(crate) steps: Option<u32>,
    /// Seed of all random choices
    #[arg(short, long, help_heading = "Search", value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of independent searches, with the seeds SEED, SEED + 1 and so on, whose best plan counts; each has the whole budget
    #[arg(long, help_heading = "Search", value_name = "N", default_value = "1", conflicts_with = "explain")]
    pub(crate) islands: NonZeroU32,
    /// Search budget: a number of evaluations (4000000), a time (500ms, 30s, 5m), or 'unlimited'
    #[arg(short, long, help_heading = "Search", value_name = "AMOUNT", default_value_t = BudgetArg::DEFAULT, value_parser = units::budget)]
    pub(crate) budget: BudgetArg,
    /// Leave out a part of the search: a method, construction, engine or rule, to study its use; repeatable. A wrong name lists all
    /// parts
    #[arg(long, help_heading = "Search", value_name = "PART", hide_short_help = true, value_parser = units::part)]
    pub(crate) without: Vec<Part>,
    /// Write the plan to FILE; - is standard output
    #[arg(short, long, help_heading = "Output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of --output [default: from its extension: .json, .lsb, .svg, .html, .pdf or .txt; json without extension]
    #[arg(long, help_heading = "Output", value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<PlanFormat>,
    /// Print all transfers with a legend; without it, only those of small plans
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub(crate) table: bool,
    /// Print the plan as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Record the planning time in seconds; the file then differs from run to run
    #[arg(long, help_heading = "Output")]
    pub(crate) timing: bool,
    /// List each lower bound and engine tried, its result, and why planning stopped
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,
    /// Save the state of the search to FILE [default: the name of --output plus .checkpoint]
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) large: LargeArgs,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
    /// Sizes of the collective, such as 1GB or 64KiB..1MiB: prints the times of the plan as `lockstep time` does, by the bandwidths of
    /// the network or by --unit. With --json, prints {"plan": PLAN, "times": TIMES}
    #[arg(long, visible_alias = "sizes", help_heading = "Cost", value_name = "SIZES", conflicts_with_all = ["symmetric", "local"])]
    pub(crate) size: Option<Sizes>,
}

/// Plans of vertex-transitive networks that are too large to build.
#[derive(Debug, clap::Args)]
pub(crate) struct LargeArgs {
    /// Plan the transfers of one source; translation gives all others (all-gather and all-to-all on hypercubes, tori, rings and circulants)
    #[arg(long, help_heading = "Large networks", conflicts_with_all = ["local", "engine", "steps", "seed", "islands", "without", "table", "timing", "checkpoint"])]
    pub(crate) symmetric: bool,
    /// Print the sends of one node: message, link and round
    #[arg(long, help_heading = "Large networks", requires = "node", conflicts_with_all = ["engine", "steps", "seed", "islands", "without", "table", "timing", "checkpoint", "output", "t0"])]
    pub(crate) local: bool,
    /// Node of --local, by name or number
    #[arg(long, help_heading = "Large networks", value_name = "NODE", requires = "local")]
    pub(crate) node: Option<String>,
}

/// Format of a written plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PlanFormat {
    /// JSON text
    Json,
    /// Binary with a checksum: 5 to 14 times smaller than JSON
    Binary,
    /// SVG picture with one panel per step
    Svg,
    /// Interactive HTML page
    Html,
    /// PDF of one A4 page with the first steps
    Pdf,
    /// Text: the plan as it is printed, with all transfers
    Text,
}
