//! The document on store-and-forward all-gather by annealed chains with conflict prediction.

mod cells;
mod figures;
mod report;

use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::reproduce::{Arguments, Method};
use figures::Figures;

/// The largest network of `--quick`, in terminals.
const QUICK_TERMINALS: usize = 16;

/// Reproduces the tables, writes the report, and fails if a run of ours ends above the document's steps or the bound.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { table, runs, seed, engine, quick, .. } = arguments;
    ensure!(
        table.is_none_or(|table| (1..=2).contains(&table)),
        "--table {}: the document has Tables 1 and 2",
        table.unwrap_or_default()
    );
    ensure!(*engine == Method::Auto, "--engine: every cell is there by hgsa and by auto; leave it out");
    let figures = Figures::read()?;
    let runs = runs.unwrap_or(if *quick { 1 } else { 10 });
    let most = if *quick { QUICK_TERMINALS } else { usize::MAX };
    let mut results = Vec::new();
    for of in figures.tables.iter().filter(|of| table.is_none_or(|table| table == of.number)) {
        for row in &of.rows {
            results.extend(cells::reproduce(of.number, row, runs, *seed, most)?);
        }
    }
    let report = report::Report { runs, seed: *seed, results };
    print!("{}", report.summary());

    arguments.write("hgsa", &[("md", report.markdown()), ("csv", report.csv())])?;
    if report.holds() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("some runs end above the document's steps or the bound: see the columns 'ours' and 'auto'");
    Ok(ExitCode::FAILURE)
}
