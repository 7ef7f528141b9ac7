//! Tasks that need the libraries of the workspace: started as programs of their own.

use std::num::NonZero;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Mutex;
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

/// Reproduces papers, each with its arguments, and prints no report. One per core runs at the same time, and they start in this
/// order.
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
    let waiting = Mutex::new(reports.iter());
    let run_some = || -> Result<()> {
        loop {
            let Some(report) = waiting.lock().expect("a run does not panic").next() else { return Ok(()) };
            run(report)?;
        }
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(run_some)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a run does not panic"))
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
