//! Verbosity: how much the program prints on standard error.

use clap::ArgAction;

/// Options that set how much the program prints on standard error.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Verbosity {
    /// Print only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Log progress on standard error; repeat for more detail
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}
