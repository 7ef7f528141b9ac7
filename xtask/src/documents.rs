//! Tasks that need the libraries of the workspace: started as the program `lockstep-documents`, in release mode.

use std::process::ExitCode;

use anyhow::Result;

use crate::command::{cargo, cargo_status};

/// The `cargo` arguments that start the program.
const PROGRAM: [&str; 6] = ["run", "--release", "--quiet", "--package", "lockstep-documents", "--"];

/// Runs `lockstep-documents` with these arguments and returns its exit code.
///
/// # Errors
///
/// If `cargo` cannot be started, or if a build fails.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode> {
    if matches!(arguments.first(), Some(&"bench" | &"clusters")) {
        // The comparisons measure this program as a process of its own.
        cargo(&["build", "--release", "--quiet", "--package", "lockstep-cli"], &[])?;
    }
    let status = cargo_status(&[&PROGRAM, arguments].concat(), &[])?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
