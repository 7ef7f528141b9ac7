//! Tasks that need the libraries of the workspace: started as programs of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use anyhow::{Result, ensure};

use crate::command::{Build, cargo_status, status};

/// The program with the tasks.
const PROGRAM: &str = "lockstep-documents";

/// The `cargo` arguments that start a program of `lockstep-bench`, before its name.
const BENCH: [&str; 6] = ["run", "--release", "--quiet", "--package", "lockstep-bench", "--bin"];

/// Runs `lockstep-documents` with these arguments and returns its exit code.
///
/// # Errors
///
/// If the build fails, or if the program cannot be started.
pub(crate) fn run(build: Build, arguments: &[&str]) -> Result<ExitCode> {
    status(&mut Command::new(program(build)?), PROGRAM, arguments).map(exit_code)
}

/// Builds the program, and returns its path.
///
/// # Errors
///
/// If the build fails.
pub(crate) fn program(build: Build) -> Result<PathBuf> {
    build.program(PROGRAM)
}

/// Reproduces a paper with a program that is built, and prints no report.
///
/// # Errors
///
/// If the program cannot be started, or if the report differs from the committed one.
pub(crate) fn reproduce(program: &Path, report: &[&str]) -> Result<()> {
    let mut program = Command::new(program);
    let status = status(program.stdout(Stdio::null()), PROGRAM, &[&["reproduce-paper"], report].concat())?;
    ensure!(status.success(), "reproduce-paper {} failed: {status}", report.join(" "));
    Ok(())
}

/// Runs a program of `lockstep-bench` with these arguments and returns its exit code.
///
/// # Errors
///
/// If `cargo` cannot be started.
pub(crate) fn bench_program(name: &str, arguments: &[&str]) -> Result<ExitCode> {
    cargo_status(&[&BENCH[..], &[name, "--"], arguments].concat(), &[]).map(exit_code)
}

fn exit_code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
