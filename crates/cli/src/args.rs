//! The command line: every option with its default and unit.

use std::path::PathBuf;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use lockstep::Engine;
use lockstep::topology::GraphFormat;

use crate::model::ProblemArgs;
use crate::units::{self, BudgetArg};

const ABOUT: &str = "Design collective communication schedules for interconnection networks";

const EXAMPLES: &str = "\
Examples:
  lockstep plan omega:8 -c aab -o s.json       an all-gather on an Omega network, as a file
  lockstep verify s.json                       is it valid, and is its bound proved?
  lockstep render s.json -o s.svg              a picture, one panel a step
  lockstep topology --list                     the network families

A network is a spec such as mesh:4x4, or a file (json, edges, dot, graphml, node-link, or - for
standard input). Exit codes: 0 done, 1 the answer is no (invalid, or nothing found), 2 wrong usage
or input.";

/// The program's arguments.
#[derive(Debug, Parser)]
#[command(name = "lockstep", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) talk: Talk,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Talk {
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Log what is being done on standard error; repeat for more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the properties of a network, or write it in another format
    Topology(TopologyArgs),
    /// List every lower bound on the number of steps, best first
    Bound(BoundArgs),
    /// Find a schedule of few steps and say how far from optimal it is
    Plan(PlanArgs),
    /// Judge a schedule or plan file; exit code 0 valid, 1 invalid
    Verify(VerifyArgs),
    /// Draw a schedule or plan file
    Render(RenderArgs),
}

const TOPOLOGY_EXAMPLES: &str = "\
Examples:
  lockstep topology fat-tree:2,4                    terminals, switches, degrees, diameter
  lockstep topology torus:4x4 --format graphml      the network itself
  lockstep topology network.dot -o network.svg      a picture
  lockstep topology --list                          the families and how their specs are written";

/// Arguments of `lockstep topology`.
#[derive(Debug, clap::Args)]
#[command(after_help = TOPOLOGY_EXAMPLES)]
pub(crate) struct TopologyArgs {
    /// A spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(required_unless_present = "list")]
    pub(crate) spec: Option<String>,
    /// List the network families
    #[arg(long, conflicts_with_all = ["spec", "half_duplex", "format", "output"])]
    pub(crate) list: bool,
    /// Let opposite channels of a link share one wire
    #[arg(long)]
    pub(crate) half_duplex: bool,
    /// Write the network in this format [default: by the extension of --output]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<NetworkFormat>,
    /// Write the network to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print properties or families as JSON
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub(crate) json: bool,
}

/// How a network is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum NetworkFormat {
    /// Lockstep's own, which keeps everything
    Json,
    /// A link or channel a line
    Edges,
    /// Graphviz
    Dot,
    /// GraphML
    #[value(name = "graphml")]
    GraphMl,
    /// The node-link JSON of networkx
    NodeLink,
    /// A picture
    Svg,
}

impl NetworkFormat {
    /// The graph format, unless it is a picture.
    pub(crate) fn graph(self) -> Option<GraphFormat> {
        match self {
            Self::Json => Some(GraphFormat::Json),
            Self::Edges => Some(GraphFormat::EdgeList),
            Self::Dot => Some(GraphFormat::Dot),
            Self::GraphMl => Some(GraphFormat::GraphMl),
            Self::NodeLink => Some(GraphFormat::NodeLink),
            Self::Svg => None,
        }
    }
}

const BOUND_EXAMPLES: &str = "\
Examples:
  lockstep bound mesh:4x4 -c all-to-all
  lockstep bound full-b-tree:15 -c scatter --root 7
  lockstep bound hypercube:6 -c aab --switching sf --json";

/// Arguments of `lockstep bound`.
#[derive(Debug, clap::Args)]
#[command(after_help = BOUND_EXAMPLES)]
pub(crate) struct BoundArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// Print the bounds with their certificates as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

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
    /// What looks for the schedule: auto (the others in this order), analytic, construct or umda
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

/// What a step and a byte cost.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CostArgs {
    /// Start-up time of a step, such as 1us; with --t1 and --bytes the time of the schedule is shown
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t1", "bytes"])]
    pub(crate) t0: Option<u64>,
    /// Time a byte, such as 0.5ns
    #[arg(long, help_heading = "Cost", value_name = "TIME", value_parser = units::picoseconds, requires_all = ["t0", "bytes"])]
    pub(crate) t1: Option<u64>,
    /// Length of every message in bytes
    #[arg(long, help_heading = "Cost", value_name = "BYTES", requires_all = ["t0", "t1"])]
    pub(crate) bytes: Option<u64>,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  lockstep verify s.json
  lockstep verify s.json --all              every violation, not only the first
  lockstep plan ring:8 -c aas --json | lockstep verify -";

/// Arguments of `lockstep verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// A schedule, symmetric schedule or plan file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// List the violations of the schedule, up to 1000
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the verdict as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cost: CostArgs,
}

const RENDER_EXAMPLES: &str = "\
Examples:
  lockstep render s.json -o s.svg           one panel a step
  lockstep render s.json -o s.html          a page to walk through the steps
  lockstep plan omega:8 -c aab --json | lockstep render - > s.svg";

/// Arguments of `lockstep render`.
#[derive(Debug, clap::Args)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArgs {
    /// A schedule or plan file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// Write the picture to this file; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What to draw [default: by the extension of --output, else svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<PictureFormat>,
}

/// How a schedule is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PictureFormat {
    /// A picture with one panel a step
    Svg,
    /// A page to walk through the steps
    Html,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
