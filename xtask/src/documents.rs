//! Tasks that need the libraries of the workspace: started as the program `lockstep-documents`, in release mode.

use std::process::ExitCode;

use anyhow::Result;

use crate::cargo::{cargo, status};

/// Runs `lockstep-documents` with these arguments and returns its exit code.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode> {
    if arguments.first() == Some(&"bench") {
        // The comparison measures this program as a process of its own.
        cargo(&["build", "--release", "--quiet", "--package", "lockstep-cli"], &[])?;
    }
    let program = ["run", "--release", "--quiet", "--package", "lockstep-documents", "--"];
    let status = status(&[&program, arguments].concat(), &[])?;
    Ok(status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)))
}
