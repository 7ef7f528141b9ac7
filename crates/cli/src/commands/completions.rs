//! `lockstep completions`: scripts that complete the command line.

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::exit_status::ExitStatus;
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "lockstep", &mut script);
    output::print_bytes(&script)?;
    Ok(ExitStatus::Success)
}
