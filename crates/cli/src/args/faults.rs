//! Arguments of `lockstep faults`.

use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches, ValueEnum};
use lockstep::EngineChoice;

use super::network::FailureArgs;
use super::plan::PlanFormat;
use super::problem::ProblemArgs;

const FAULTS_EXAMPLES: &str = "\
Examples:
  lockstep faults mesh:4x4 -c all-gather --links                  one line per failed link
  lockstep faults kautz:3,2 -c all-gather --channels --at-once 2  every pair of channels
  lockstep faults torus:8x8 -c all-to-all --links --classes       one link per symmetry class
  lockstep faults mesh:4x4 -c all-gather --links --book out.lsb   keep a verified plan per link
  lockstep faults lookup out.lsb --fail-link 01-11                look up that plan
  lockstep faults lookup out.lsb -o book.html                     write a page with all plans

Each line gives the steps of a verified schedule and a proved lower bound. A fault that disconnects
terminals is listed, too. Lockstep repairs the plan of the unfaulted network and keeps the transfers
that still work, unless a new plan is shorter. After an interruption, run the same command again: the
sweep continues from its last line.";

/// Arguments of `lockstep faults`: of a sweep, or of `lookup`.
#[derive(Debug)]
pub(crate) enum FaultsArgs {
    Sweep(Box<SweepArgs>),
    Lookup(LookupArgs),
}

/// Name of the subcommand.
const LOOKUP: &str = "lookup";

// Clap cannot derive a command that has both arguments of its own and subcommands.
impl clap::Args for FaultsArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let about = "Look up the plan for a set of faults in a recovery book; exit code 1 if there is none";
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
    /// Number of simultaneous faults
    #[arg(long, help_heading = "Faults", value_name = "K", default_value_t = 1)]
    pub(crate) at_once: usize,
    /// Sample N fault sets (seeded by --seed)
    #[arg(long, help_heading = "Faults", value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Only one fault set per symmetry class of the network
    #[arg(long, help_heading = "Faults", conflicts_with = "sample")]
    pub(crate) classes: bool,
    /// Engine that finds new plans: auto (analytic, construct and umda), analytic, rings, construct, umda or hgsa
    #[arg(short, long, help_heading = "Search", value_name = "ENGINE", default_value = "auto", value_parser = str::parse::<EngineChoice>)]
    pub(crate) engine: EngineChoice,
    /// Seed of all random choices
    #[arg(short, long, help_heading = "Search", value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Maximum number of evaluations per fault set
    #[arg(short, long, help_heading = "Search", value_name = "AMOUNT", default_value_t = 1 << 18, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: u64,
    /// Write the plan for every fault set to this recovery book
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub(crate) book: Option<PathBuf>,
    /// Write the table to FILE; - is standard output
    #[arg(short, long, help_heading = "Output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the table [default: from the extension of --output, .txt, .csv, .json or .jsonl; text without extension]
    #[arg(long, help_heading = "Output", value_name = "FORMAT")]
    pub(crate) format: Option<TableFormat>,
    /// Print one JSON object per line; same as --format json
    #[arg(long, help_heading = "Output", conflicts_with = "format")]
    pub(crate) json: bool,
    /// Save the state of the sweep to FILE [default: the book, otherwise a file in the user's cache folder]
    #[arg(long, help_heading = "Output", value_name = "FILE", conflicts_with = "book")]
    pub(crate) checkpoint: Option<PathBuf>,
}

/// The kind of fault.
#[derive(Clone, Copy, Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct KindArgs {
    /// Fail every full-duplex link
    #[arg(long, help_heading = "Faults")]
    pub(crate) links: bool,
    /// Fail every channel
    #[arg(long, help_heading = "Faults")]
    pub(crate) channels: bool,
    /// Fail every node
    #[arg(long, help_heading = "Faults")]
    pub(crate) nodes: bool,
}

/// Format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TableFormat {
    /// Aligned columns
    Text,
    /// Comma-separated values
    Csv,
    /// One JSON object per line
    Json,
}

/// Arguments of `lockstep faults lookup`.
#[derive(Debug, clap::Args)]
pub(crate) struct LookupArgs {
    /// Recovery book, written by lockstep faults --book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
    /// Write the plan to FILE; - is standard output. Without faults, an .html file shows the whole book
    #[arg(short, long, help_heading = "Output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of --output [default: from its extension: .json, .lsb, .svg, .html or .txt; json without extension]
    #[arg(long, help_heading = "Output", value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<PlanFormat>,
    /// Print the plan as JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}
