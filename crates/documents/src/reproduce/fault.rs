//! The document on faults of Kautz networks and meshes.

mod cells;
mod figures;
mod report;
mod speed;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use lockstep::EngineChoice;

use crate::reproduce::{Arguments, Method};
use figures::Figures;

/// Reproduces the tables, writes the report, and fails if a cell under the document's rules is not optimal.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { table, runs, seed, engine, quick, .. } = arguments;
    ensure!(
        table.is_none_or(|table| (2..=5).contains(&table)),
        "--table {}: the document has Tables 2 to 5",
        table.unwrap_or_default()
    );
    ensure!(runs.is_none_or(|runs| runs == 1), "--runs: every cell of this document is one plan; leave it out");
    ensure!(*engine == Method::Auto, "--engine: the cells of this document are planned by auto; leave it out");
    let figures = Figures::read()?;
    let wanted = figures.tables.iter().filter(|of| table.is_none_or(|table| table == of.number));
    let mut results = Vec::new();
    for table in wanted {
        results.push(cells::reproduce(table, *seed, *quick)?);
    }
    let whole = !quick && table.is_none();
    let speed = if whole { Some(speed::measure(&figures, EngineChoice::Auto, *seed)?) } else { None };
    let report = report::Report { figures: &figures, seed: *seed, results, speed };
    print!("{}", report.summary());

    arguments.write("fault", &[("md", report.markdown()), ("csv", report.csv())])?;
    if report.holds() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("some schedules under the document's rules are not optimal: see the lines marked 'gap'");
    Ok(ExitCode::FAILURE)
}
