//! The program `lockstep`: arguments, files, progress and exit codes around the library of the same name.
//!
//! It contains no algorithm. Exit codes: 0 success, 1 negative result, 2 wrong usage, unreadable input, unwritable output,
//! too little memory or no threads.

mod args;
mod cache;
mod checkpoint_file;
mod command_files;
mod command_line;
mod commands;
mod exit_status;
mod explain;
mod input;
mod link_loads;
mod made_by;
mod measured_input;
mod memory;
mod metrics;
mod output;
mod plan_progress;
mod problem_input;
mod progress;
mod properties;
mod signals;
mod standard_streams;
mod step_table;
mod text;
mod units;

use std::env;
use std::io;
use std::process::ExitCode;

use lockstep::{NoWorkers, Workers};
use tracing_subscriber::EnvFilter;

use crate::args::{Args, Command, FIRST_WORDS, SharedArgs, Verbosity};

pub use crate::args::{GlobalArgs, SharedCommand, shorten as shorten_error};
use crate::exit_status::ERROR;
pub use crate::exit_status::ExitStatus;
pub use crate::input::schedule as read_schedule;
pub use crate::output::{error as print_error, print};
pub use crate::text::{Sheet, counted};
pub use crate::units::size;

/// Runs the program with the arguments of this process, and returns its exit code.
pub fn run() -> ExitCode {
    memory::end_when_refused();
    if env::args_os().len() <= 1 {
        output::print_beside(FIRST_WORDS);
        return ExitCode::from(ERROR);
    }
    let Args { global, command } = args::parse();
    let verbosity = match global.begin() {
        Ok(verbosity) => verbosity,
        Err(error) => return exit_code(Err(error)),
    };
    exit_code(match command {
        Command::Topology(args) => commands::topology::run(&args, verbosity),
        Command::Design(args) => commands::design::run(&args, verbosity, &NoWorkers),
        Command::Bound(args) => commands::bound::run(&args, verbosity),
        Command::Plan(args) => commands::plan::run(&args, verbosity, &NoWorkers),
        Command::Front(args) => commands::front::run(&args, verbosity),
        Command::Fit(args) => commands::fit::run(&args, verbosity),
        Command::Rings(args) => commands::rings::run(&args, verbosity),
        Command::Tune(args) => commands::tune::run(&args, verbosity),
        Command::Expect(args) => commands::expect::run(&args, verbosity),
        Command::Faults(args) => commands::faults::run(&args, verbosity, &NoWorkers),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Time(args) => commands::time::run(&args),
        Command::Export(args) => commands::export::run(&args, verbosity),
        Command::Run(args) => commands::run::run(&args),
        Command::Judge(args) => commands::judge::run(&args, verbosity),
        Command::Render(args) => commands::render::run(&args, verbosity),
        Command::Simulate(args) => commands::simulate::run(&args, verbosity),
        Command::Doctor(args) => commands::doctor::run(&args, global.max_memory),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Complete(args) => commands::complete::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    })
}

/// Runs a command whose work is shared with other processes, and returns its exit code.
pub fn run_shared(global: GlobalArgs, command: SharedCommand, workers: &dyn Workers) -> ExitCode {
    memory::end_when_refused();
    let verbosity = match global.begin() {
        Ok(verbosity) => verbosity,
        Err(error) => return exit_code(Err(error)),
    };
    exit_code(match command.0 {
        SharedArgs::Plan(args) => commands::plan::run(&args, verbosity, workers),
        SharedArgs::Faults(args) => commands::faults::run(&args, verbosity, workers),
        SharedArgs::Design(args) => commands::design::run(&args, verbosity, workers),
    })
}

impl GlobalArgs {
    /// Starts the log, the limits and the threads.
    fn begin(self) -> anyhow::Result<Verbosity> {
        start_log(self.verbosity);
        signals::report_long_files();
        memory::enforce(self.max_memory);
        lockstep::start_threads()?;
        Ok(self.verbosity)
    }
}

/// Returns the exit code of a command, and prints its error.
fn exit_code(result: anyhow::Result<ExitStatus>) -> ExitCode {
    match result {
        Ok(status) => ExitCode::from(status.code()),
        // The reader closed the pipe because it needs no more output.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(ERROR)
        }
    }
}

/// Sends the log of the libraries to standard error. Each `-v` raises the level; `LOCKSTEP_LOG` sets filters.
fn start_log(verbosity: Verbosity) {
    let level = match verbosity.verbose {
        _ if verbosity.quiet => "error",
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_env("LOCKSTEP_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).without_time();
    log.with_target(false).with_ansi(output::is_terminal()).init();
}
