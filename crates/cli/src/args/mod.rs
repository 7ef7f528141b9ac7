//! Command-line arguments: one file per command.

mod best_plan;
mod bound;
mod complete;
mod completions;
mod cost;
mod design;
mod doctor;
mod expect;
mod export;
mod faults;
mod fit;
mod front;
mod judge;
mod listed;
mod man;
mod missing;
mod name_parser;
mod network;
mod plan;
mod problem;
mod program;
mod ranks;
mod render;
mod rings;
mod run;
mod schema;
mod shared;
mod simulate;
mod time;
mod topology;
mod tune;
mod verbosity;
mod verify;

use clap::error::Error;
use clap::{Parser, Subcommand};

use crate::memory::{self, MemoryLimit};
use crate::output;

pub(crate) use self::best_plan::BestPlanArgs;
pub(crate) use self::bound::BoundArgs;
pub(crate) use self::complete::CompleteArgs;
pub(crate) use self::completions::CompletionsArgs;
pub(crate) use self::cost::CostArgs;
pub(crate) use self::design::{DesignArgs, FrontArgs, OrderDegreeArgs, PickArgs, PurposeArg};
pub(crate) use self::doctor::DoctorArgs;
pub(crate) use self::expect::ExpectArgs;
pub(crate) use self::export::ExportArgs;
pub(crate) use self::faults::{FaultsArgs, KindArgs, LookupArgs, SweepArgs, TableFormat};
pub(crate) use self::fit::FitArgs;
pub(crate) use self::front::SizeFrontArgs;
pub(crate) use self::judge::JudgeArgs;
pub(crate) use self::man::ManArgs;
pub(crate) use self::plan::{PlanArgs, PlanFormat};
pub(crate) use self::problem::ProblemArgs;
pub(crate) use self::program::ProgramArgs;
pub(crate) use self::render::{PaperArgs, PictureFormat, RenderArgs};
pub(crate) use self::rings::{RingFormat, RingsArgs};
pub(crate) use self::run::RunArgs;
pub(crate) use self::schema::{JsonFormat, SchemaArgs};
pub(crate) use self::shared::SharedArgs;
pub use self::shared::SharedCommand;
pub(crate) use self::simulate::{SimulateArgs, TrafficArgs};
pub(crate) use self::time::TimeArgs;
pub(crate) use self::topology::{NetworkFormat, TopologyArgs};
pub(crate) use self::tune::TuneArgs;
pub(crate) use self::verbosity::Verbosity;
pub(crate) use self::verify::VerifyArgs;

const ABOUT: &str = "Design collective communication schedules for interconnection networks";

/// What the program prints without arguments. All commands work as they are.
pub(crate) const FIRST_WORDS: &str = "\
Lockstep designs collective communication schedules for interconnection networks. Try:

  lockstep plan ring:8 -c all-gather                         plan on a ring of 8 nodes
  lockstep plan dgx-a100:2 -c all-reduce -o plan.html        draw a plan for two servers
  lockstep topology torus:4x4                                show a network

All commands and options:

  lockstep --help
";

const EXAMPLES: &str = "\
Examples:
  lockstep plan omega:8 -c all-gather -o s.json    plan an all-gather on an Omega network
  lockstep verify s.json                           check the schedule and its lower bound
  lockstep render s.json -o s.svg                  draw one panel per step
  lockstep topology --list                         list the network families

A network is a spec such as mesh:4x4, or a graph file (JSON, edge list, DOT, GraphML, node-link
JSON), or - for standard input.

Exit codes: 0 success; 1 negative result (invalid schedule, or no schedule found); 2 wrong usage,
unreadable input, unwritable output or too little memory.";

/// Arguments of the program.
#[derive(Debug, Parser)]
#[command(name = "lockstep", version = env!("LOCKSTEP_VERSION"), about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Arguments of all commands.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GlobalArgs {
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
    /// Maximum memory: a size (500MB, 2GiB), a percentage of the machine or container (80%), or 'unlimited'
    #[arg(long, global = true, value_name = "SIZE", default_value_t = MemoryLimit::DEFAULT, value_parser = memory::limit)]
    pub(crate) max_memory: MemoryLimit,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the properties of a network, or convert it to another format
    Topology(TopologyArgs),
    /// Design a network: by evolution, by exhaustive search, or for a given order and degree
    Design(DesignArgs),
    /// List all lower bounds on the number of steps, best first
    Bound(BoundArgs),
    /// Find a schedule with few steps, and prove a lower bound on them
    Plan(PlanArgs),
    /// Find the best schedule for every size, with a lower bound of its time
    Front(SizeFrontArgs),
    /// Fit bandwidths and latencies to the outputs of benchmarks, and find slow links
    Fit(FitArgs),
    /// Find rings or chains for NCCL and RCCL, with a bound of their bandwidth
    Rings(RingsArgs),
    /// Choose the best algorithm of a library for every size, and write the table that the library reads
    Tune(TuneArgs),
    /// Compute what a collective should reach on a machine, and compare a measured sweep
    Expect(Box<ExpectArgs>),
    /// Plan for every fault, or look up a plan in a recovery book
    Faults(FaultsArgs),
    /// Verify a schedule or plan file; exit code 0 if valid, 1 if invalid
    Verify(VerifyArgs),
    /// Compute the time and the bandwidth of a schedule, as nccl-tests prints them
    Time(TimeArgs),
    /// Write a schedule for a runtime or simulator: MPI, NCCL, torch, MSCCL, GOAL, ...
    Export(ExportArgs),
    /// Execute a program for a runtime or a simulator; exit code 0 if right, 1 if wrong
    Run(RunArgs),
    /// Compare a program of any tool with the best lower bound and with our plan; exit code 0 if right, 1 if wrong
    Judge(JudgeArgs),
    /// Draw a schedule or plan file
    Render(RenderArgs),
    /// Simulate the run time of an application, of task programs, or of a schedule
    Simulate(SimulateArgs),
    /// Show the version, the threads, the memory, the cache and the installed programs that use exports
    Doctor(DoctorArgs),
    /// Print the JSON Schema of a file or of an output, or list them
    Schema(SchemaArgs),
    /// Print the words that can end a command line, for the scripts of shells
    #[command(hide = true)]
    Complete(CompleteArgs),
    /// Print a script that completes the command line in a shell
    Completions(CompletionsArgs),
    /// Print the manual page of the program, or write one page per command
    Man(ManArgs),
}

/// Returns the arguments of this process. Prints help or an error, and ends the process, if there are none.
pub(crate) fn parse() -> Args {
    Args::try_parse().map_err(shorten).unwrap_or_else(|error| error.exit())
}

/// Shortens the long arguments that an error quotes, and lists the collectives if one is missing.
pub fn shorten(error: Error) -> Error {
    let error = missing::with_collectives(error);
    let text = error.render().to_string();
    let shortened = output::shortened(&text);
    if shortened == text {
        return error;
    }
    Error::raw(error.kind(), shortened.strip_prefix("error: ").unwrap_or(&shortened))
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
