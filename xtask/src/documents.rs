//! Tasks that need the libraries of the workspace: started as programs of their own.

use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::thread;

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
    let program = build.program(PROGRAM)?;
    status(&mut Command::new(program), PROGRAM, arguments).map(exit_code)
}

/// Reproduces papers at the same time, each with its arguments, and prints no report.
///
/// # Errors
///
/// If the build fails, if the program cannot be started, or if a report differs from the committed one.
pub(crate) fn reproduce(build: Build, reports: &[&[&str]]) -> Result<()> {
    let program = build.program(PROGRAM)?;
    let run = |report: &[&str]| -> Result<()> {
        let mut program = Command::new(&program);
        let status = status(program.stdout(Stdio::null()), PROGRAM, &[&["reproduce-paper"], report].concat())?;
        ensure!(status.success(), "reproduce-paper {} failed: {status}", report.join(" "));
        Ok(())
    };
    let run = &run;
    thread::scope(|scope| {
        let runs: Vec<_> = reports.iter().map(|&report| scope.spawn(move || run(report))).collect();
        runs.into_iter().try_for_each(|run| run.join().expect("a run does not panic"))
    })
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
