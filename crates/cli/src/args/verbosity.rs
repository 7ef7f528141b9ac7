//! Verbosity: how much the program prints on standard error.

use clap::ArgAction;

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Verbosity {
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Log what is being done on standard error; repeat for more
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}
