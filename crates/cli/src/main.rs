//! The program `lockstep`: arguments, files, progress and exit codes around the library of the same name.
//!
//! Not here: any algorithm. Exit codes: 0 done, 1 the answer is no, 2 wrong usage or input.

mod args;
mod commands;
mod explain;
mod input;
mod metrics;
mod model;
mod output;
mod progress;
mod text;
mod units;

use std::io;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::args::{Args, Command, Talk};
use crate::commands::Answer;

fn main() -> ExitCode {
    let Args { talk, command } = Args::parse();
    start_log(talk);
    let answer = match command {
        Command::Topology(args) => commands::topology::run(&args),
        Command::Design(args) => commands::design::run(&args, talk),
        Command::Bound(args) => commands::bound::run(&args, talk),
        Command::Plan(args) => commands::plan::run(&args, talk),
        Command::Faults(args) => commands::faults::run(&args, talk),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Render(args) => commands::render::run(&args, talk),
        Command::Simulate(args) => commands::simulate::run(&args, talk),
    };
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        // Whoever reads has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_one = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(is_one)
}

/// Sends the library's log to standard error: warnings, and more with each `-v`; `LOCKSTEP_LOG` chooses in detail.
fn start_log(talk: Talk) {
    let level = match talk.verbose {
        _ if talk.quiet => "error",
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_env("LOCKSTEP_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).without_time();
    log.with_target(false).with_ansi(output::is_terminal()).init();
}
