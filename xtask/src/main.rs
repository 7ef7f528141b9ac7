//! `cargo xtask`: what is done with the repository rather than with a network. No algorithm lives here.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program's output is its purpose")]

mod bench;
mod ci;
mod reproduce;
mod run;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// Tests, benches and reproduction of the documents.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Formatting, lints, all tests and doc tests: what a change must pass.
    Test,
    /// Everything `test` does, then the documentation, tests as released, and the quick reproductions.
    Ci,
    /// Our schedules beside those of others, measured and verified: docs/benchmarks.md.
    Bench(bench::Arguments),
    /// The tables of a document beside ours, every schedule verified; exit code 1 if a cell is worse.
    ReproducePaper(reproduce::Arguments),
}

fn main() -> Result<ExitCode> {
    match Task::parse() {
        Task::Test => test::run(),
        Task::Ci => ci::run(),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::ReproducePaper(arguments) => return reproduce::run(&arguments),
    }?;
    Ok(ExitCode::SUCCESS)
}
