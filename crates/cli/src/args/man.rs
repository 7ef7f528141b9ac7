//! Arguments of `lockstep man`.

use std::path::PathBuf;

const MAN_EXAMPLES: &str = "\
Examples:
  lockstep man | man -l -                      read the page of the program
  lockstep man -o ~/.local/share/man/man1      one page per command, for man lockstep-plan";

/// Arguments of `lockstep man`.
#[derive(Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Write one page per command to DIRECTORY, which is created if it is missing [default: print the page of the program]
    #[arg(short, long, value_name = "DIRECTORY")]
    pub(crate) output: Option<PathBuf>,
}
