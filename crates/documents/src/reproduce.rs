//! `cargo xtask reproduce-paper`: one module per paper.

mod arguments;
mod exanest;
mod fault;
mod hgsa;
mod hypercube;
mod min;
mod paper_figures;
mod report_text;
mod reproduction;
mod tally;

use std::process::ExitCode;

use anyhow::Result;

pub(crate) use arguments::Arguments;
use arguments::Paper;

/// Reproduces the tables of a paper, prints the report, and compares it with the committed one or writes it.
///
/// The exit code is 1 if a figure of ours is worse than it must be, or if the report differs from the committed one.
///
/// # Errors
///
/// If an argument does not fit the paper, or if a schedule, a bound or a file is invalid.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let reproduction = match arguments.paper {
        Paper::Exanest => exanest::run(arguments),
        Paper::Fault => fault::run(arguments),
        Paper::Hgsa => hgsa::run(arguments),
        Paper::Hypercube => hypercube::run(arguments),
        Paper::Min => min::run(arguments),
    }?;
    print!("{}", reproduction.report.markdown());
    let is_up_to_date = reproduction.publish(arguments)?;
    for failure in &reproduction.failures {
        eprintln!("{failure}");
    }
    let is_success = is_up_to_date && reproduction.failures.is_empty();
    Ok(if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
