//! Arguments of `lockstep faults`.

use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches, ValueEnum};
use lockstep::Engine;

use super::plan::PlanFormat;
use super::problem::{FailureArgs, ProblemArgs};

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
