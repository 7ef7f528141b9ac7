//! The program `lockstep`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lockstep_cli::run()
}
