//! The program `lockstep-mpi`: plans on real data, and the searches of `lockstep` on many ranks.
//!
//! `mpirun` starts it once per rank. It contains no algorithm: `lockstep-export` makes the program of every rank, and
//! `lockstep-cli` has the commands.

mod args;
mod ranks;
mod run;

use std::process::ExitCode;

use clap::Parser;
use mpi::Threading;
use mpi::topology::{Communicator, SimpleCommunicator};

use crate::args::{Args, Command, RunArgs};
use crate::ranks::Ranks;

/// Exit code of a rank that panics.
const PANICKED: i32 = 101;

fn main() -> ExitCode {
    // Threads compute, and only this one calls MPI.
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        lockstep_cli::print_error(&anyhow::anyhow!("MPI is already initialized"));
        return ExitCode::from(2);
    };
    let world = universe.world();
    abort_on_panic();
    let args = match Args::try_parse().map_err(lockstep_cli::shorten_error) {
        Ok(args) => args,
        Err(error) => {
            if world.rank() == 0 {
                let _ = error.print();
            }
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    match args.command {
        Command::Run(args) => run(&args, &world),
        Command::Shared(command) if world.rank() == 0 => {
            let ranks = Ranks::new(&world);
            let code = lockstep_cli::run_shared(args.global, command, &ranks);
            ranks.end(code)
        }
        Command::Shared(_) => {
            ranks::work(&world);
            ExitCode::SUCCESS
        }
    }
}

/// Executes a plan, and prints its error at rank 0.
fn run(args: &RunArgs, world: &SimpleCommunicator) -> ExitCode {
    match run::run(args, world) {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) => {
            // The other ranks have the same error, or know only that rank 0 has one.
            if world.rank() == 0 {
                lockstep_cli::print_error(&error);
            }
            ExitCode::from(2)
        }
    }
}

/// Ends all ranks if one of them panics: the others would wait for it.
fn abort_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        SimpleCommunicator::world().abort(PANICKED);
    }));
}
