//! The command line: every option with its default and unit.

mod bound;
mod cost;
mod design;
mod faults;
mod plan;
mod problem;
mod render;
mod simulate;
mod topology;
mod verbosity;
mod verify;

use clap::{Parser, Subcommand};

pub(crate) use self::bound::BoundArgs;
pub(crate) use self::cost::CostArgs;
pub(crate) use self::design::{DesignArgs, FrontArgs, OrderDegreeArgs, PickArgs};
pub(crate) use self::faults::{FaultsArgs, KindArgs, LookupArgs, SweepArgs, TableFormat};
pub(crate) use self::plan::{PlanArgs, PlanFormat};
pub(crate) use self::problem::ProblemArgs;
pub(crate) use self::render::{PictureFormat, RenderArgs};
pub(crate) use self::simulate::SimulateArgs;
pub(crate) use self::topology::{NetworkFormat, TopologyArgs};
pub(crate) use self::verbosity::Verbosity;
pub(crate) use self::verify::VerifyArgs;

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
    pub(crate) verbosity: Verbosity,
    #[command(subcommand)]
    pub(crate) command: Command,
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
