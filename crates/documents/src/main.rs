//! Computes the documents of the repository: reproductions of published tables, and the comparison with other programs.
//!
//! `cargo xtask` starts this program in release mode. No algorithm is here: the program calls the `lockstep` library.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of a program is its purpose")]

mod clusters;
mod comparison;
mod machine;
mod process;
mod repository;
mod reproduce;
mod shuffle;
mod tables;
mod template;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// Compute the documents of the repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Compare our schedules with those of other programs; writes docs/benchmarks.md.
    Bench(comparison::Arguments),
    /// Compare our schedules on clusters with published figures.
    Clusters(clusters::Arguments),
    /// Reproduce the tables of a paper and compare them with the committed report.
    ReproducePaper(reproduce::Arguments),
    /// Compare the tables of the guide with the code, or write them.
    Tables(tables::Arguments),
}

fn main() -> Result<ExitCode> {
    match Task::parse() {
        Task::Bench(arguments) => comparison::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::Clusters(arguments) => clusters::run(&arguments).map(|()| ExitCode::SUCCESS),
        Task::ReproducePaper(arguments) => reproduce::run(&arguments),
        Task::Tables(arguments) => tables::run(&arguments),
    }
}
