//! Arguments of the commands whose work other processes can share.

use clap::error::Error;
use clap::{ArgMatches, FromArgMatches, Subcommand};

use super::{DesignArgs, FaultsArgs, PlanArgs};

/// A command of `lockstep` whose work other processes can share: a subcommand for clap.
#[derive(Debug)]
pub struct SharedCommand(pub(crate) SharedArgs);

/// The arguments of the command.
#[derive(Debug, Subcommand)]
pub(crate) enum SharedArgs {
    /// Find a schedule with few steps, and prove a lower bound on them
    Plan(Box<PlanArgs>),
    /// Plan for every fault, or look up a plan in a recovery book
    Faults(FaultsArgs),
    /// Design a network: by evolution, by exhaustive search, or for a given order and degree
    Design(DesignArgs),
}

impl FromArgMatches for SharedCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        SharedArgs::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for SharedCommand {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        SharedArgs::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        SharedArgs::augment_subcommands_for_update(command)
    }

    fn has_subcommand(name: &str) -> bool {
        SharedArgs::has_subcommand(name)
    }
}
