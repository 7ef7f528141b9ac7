//! `lockstep completions`: scripts that complete the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Args, CompletionsArgs};
use crate::exit_status::ExitStatus;
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitStatus> {
    let script = match args.shell {
        Shell::Bash => include_bytes!("complete/lockstep.bash").to_vec(),
        Shell::Fish => include_bytes!("complete/lockstep.fish").to_vec(),
        Shell::Zsh => include_bytes!("complete/lockstep.zsh").to_vec(),
        // Commands, options and their words only.
        shell => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "lockstep", &mut script);
            script
        }
    };
    output::print_bytes(&script)?;
    Ok(ExitStatus::Success)
}
