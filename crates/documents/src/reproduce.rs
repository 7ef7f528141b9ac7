//! `cargo xtask reproduce-paper`: one module per paper.

mod arguments;
mod exanest;
mod fault;
mod figure_table;
mod hgsa;
mod hypercube;
mod min;
mod paper_figures;
mod report_text;
mod reproduction;
mod tally;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

pub(crate) use arguments::Arguments;
use arguments::Paper;
use reproduction::{Agreement, Reproduction};

use crate::process::processor_time_of_this;

/// Reproduces the tables of a paper or of all, and compares each report with the committed one or writes it.
///
/// The report of one paper is printed. The exit code is 1 if a figure of ours is worse than it must be, if a figure is worse than the
/// committed one, or if a report differs in something other than better figures.
///
/// # Errors
///
/// If an argument does not fit the paper, or if a schedule, a bound or a file is invalid.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let reports = arguments.reports()?;
    let mut summary = Vec::new();
    let mut is_success = true;
    for one in &reports {
        let before = processor_time_of_this();
        let reproduction = reproduce(one)?;
        if reports.len() == 1 {
            print!("{}", reproduction.report.markdown());
        }
        let agreement = reproduction.publish(one)?;
        reproduction.failures.iter().for_each(|failure| eprintln!("{}: {failure}", reproduction.stem));
        is_success &= agreement != Agreement::Different && reproduction.failures.is_empty();
        let time = before.zip(processor_time_of_this()).map(|(before, after)| after.saturating_sub(before));
        summary.push(summary_line(reproduction.stem, agreement, time));
    }
    for line in &summary {
        eprintln!("{line}");
    }
    Ok(if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn reproduce(arguments: &Arguments) -> Result<Reproduction> {
    match arguments.paper {
        Paper::All => unreachable!("`Arguments::reports` lists single papers"),
        Paper::Exanest => exanest::run(arguments),
        Paper::Fault => fault::run(arguments),
        Paper::Hgsa => hgsa::run(arguments),
        Paper::Hypercube => hypercube::run(arguments),
        Paper::Min => min::run(arguments),
    }
}

fn summary_line(stem: &str, agreement: Agreement, time: Option<Duration>) -> String {
    let time = time.map(|time| format!(", {:.1} s of processor time", time.as_secs_f64())).unwrap_or_default();
    format!("{stem}: {}{time}", agreement.words())
}
