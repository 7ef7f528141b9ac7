//! The command line: every option with its default and unit.

mod design;
mod simulate;

use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, FromArgMatches, Parser, Subcommand, ValueEnum};
use lockstep::Engine;
use lockstep::topology::GraphFormat;

use crate::model::{FailureArgs, ProblemArgs};
use crate::units::{self, BudgetArg};

pub(crate) use self::design::{DesignArgs, FrontArgs, OrderDegreeArgs, PickArgs};
pub(crate) use self::simulate::SimulateArgs;

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
    /// Design the network itself: by evolution, among all there are, or of one order and degree
    Design(DesignArgs),
    /// List every lower bound on the number of steps, best first
    Bound(BoundArgs),
    /// Find a schedule of few steps and say how far from optimal it is
    Plan(PlanArgs),
    /// Show what faults cost, or find the plan for one in a recovery book
    Faults(FaultsArgs),
    /// Judge a schedule or plan file; exit code 0 valid, 1 invalid
    Verify(VerifyArgs),
    /// Draw a schedule or plan file
    Render(RenderArgs),
    /// Simulate how long communication takes: an application, programs, or a schedule
    Simulate(SimulateArgs),
}

const TOPOLOGY_EXAMPLES: &str = "\
Examples:
  lockstep topology fat-tree:2,4                    terminals, switches, degrees, diameter
  lockstep topology torus:4x4 --format graphml      the network itself
  lockstep topology network.dot -o network.svg      a picture
  lockstep topology torus:4x4 --metrics             bisection width, throughput, paths and others
  lockstep topology --list                          the families and how their specs are written";

/// Arguments of `lockstep topology`.
#[derive(Debug, clap::Args)]
#[command(after_help = TOPOLOGY_EXAMPLES)]
pub(crate) struct TopologyArgs {
    /// A spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(required_unless_present_any = ["list", "metrics"])]
    pub(crate) spec: Option<String>,
    /// List the network families
    #[arg(long, conflicts_with_all = ["spec", "half_duplex", "format", "output", "metrics"])]
    pub(crate) list: bool,
    /// Measure what lockstep design --list lists: these, with commas between, or all that do not take long
    #[arg(long, value_name = "NAMES", num_args = 0..=1, value_delimiter = ',', conflicts_with_all = ["format", "output"])]
    pub(crate) metrics: Option<Vec<String>>,
    /// Let opposite channels of a link share one wire
    #[arg(long)]
    pub(crate) half_duplex: bool,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
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

const FAULTS_EXAMPLES: &str = "\
Examples:
  lockstep faults mesh:4x4 -c aab --links                  a line for every link that may fail
  lockstep faults kautz:3,2 -c aab --channels --at-once 2  all pairs of channels
  lockstep faults torus:8x8 -c aas --links --classes       one link for all that look the same
  lockstep faults mesh:4x4 -c aab --links --book out.lsb   keep a verified plan for every link
  lockstep faults lookup out.lsb --fail-link 01-11         the plan for that one

Every line has the steps of a verified schedule, and the steps that no schedule can beat; a fault that
cuts terminals off is a line, too. The plan of the whole network is repaired: what the faults do not
touch is kept, unless a fresh plan is shorter. A sweep that is interrupted or killed goes on where it
was when the same command runs again.";

/// Arguments of `lockstep faults`: those of a sweep, or `lookup` and its own.
#[derive(Debug)]
pub(crate) enum FaultsArgs {
    Sweep(Box<SweepArgs>),
    Lookup(LookupArgs),
}

/// The word before the arguments of a lookup.
const LOOKUP: &str = "lookup";

// A command that is a command of its own and has others below it is more than can be derived.
impl clap::Args for FaultsArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let about = "Find the plan for some faults in a recovery book; exit code 1 if there is none";
        SweepArgs::augment_args(command)
            .subcommand(LookupArgs::augment_args(clap::Command::new(LOOKUP)).about(about))
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .after_help(FAULTS_EXAMPLES)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FaultsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand() {
            Some((LOOKUP, matches)) => LookupArgs::from_arg_matches(matches).map(Self::Lookup),
            _ => SweepArgs::from_arg_matches(matches).map(|args| Self::Sweep(args.into())),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Arguments of a sweep over faults.
#[derive(Debug, clap::Args)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    #[command(flatten)]
    pub(crate) kind: KindArgs,
    /// How many fail at once
    #[arg(long, help_heading = "Faults", value_name = "K", default_value_t = 1)]
    pub(crate) at_once: usize,
    /// Only so many sets of faults, drawn with --seed
    #[arg(long, help_heading = "Faults", value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Of sets of faults that symmetries of the network take into each other, only the first
    #[arg(long, help_heading = "Faults", conflicts_with = "sample")]
    pub(crate) classes: bool,
    /// What looks for fresh plans: auto (the first three of the others), analytic, construct, umda or hgsa
    #[arg(short, long, help_heading = "Search", value_name = "ENGINE", default_value = "auto", value_parser = str::parse::<Engine>)]
    pub(crate) engine: Engine,
    /// Seed of all random choices
    #[arg(short, long, help_heading = "Search", value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The most evaluations for each set of faults
    #[arg(short, long, help_heading = "Search", value_name = "AMOUNT", default_value_t = 1 << 18, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,
    /// Keep the plan for every set of faults in this recovery book
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
    /// Write the table to this file; - is standard output
    #[arg(short, long, help_heading = "Output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How the table is written [default: by the extension of --output, else text]
    #[arg(long, help_heading = "Output", value_name = "FORMAT")]
    pub(crate) format: Option<TableFormat>,
    /// Print a JSON object a line: --format json
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,
    /// Save the state of the sweep in this file [default: the book, else one in the cache folder of the user]
    #[arg(long, help_heading = "Output", value_name = "FILE", conflicts_with = "book")]
    pub(crate) checkpoint: Option<PathBuf>,
}

/// What fails.
#[derive(Clone, Copy, Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct KindArgs {
    /// Let every full-duplex link fail
    #[arg(long, help_heading = "Faults")]
    pub(crate) links: bool,
    /// Let every single channel fail
    #[arg(long, help_heading = "Faults")]
    pub(crate) channels: bool,
    /// Let every node fail
    #[arg(long, help_heading = "Faults")]
    pub(crate) nodes: bool,
}

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TableFormat {
    /// Columns for people
    Text,
    /// Comma-separated values
    Csv,
    /// A JSON object a line
    Json,
}

/// Arguments of `lockstep faults lookup`.
#[derive(Debug, clap::Args)]
pub(crate) struct LookupArgs {
    /// A recovery book, as lockstep faults --book writes it
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
    /// Write the plan to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How --output is written [default: binary for .lsb and .bin, else json]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<PlanFormat>,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
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
