//! The document on multistage interconnection networks.

mod cells;
mod document;
mod figures;
mod report;

use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::reproduce::{Arguments, Method};
use figures::Figures;

/// The largest network of `--quick`, in terminals.
const QUICK_TERMINALS: usize = 16;

/// Reproduces the tables, writes the report, and fails if a cell is worse than the document, or not optimal under the planner.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    ensure!(
        arguments.table.is_none_or(|table| (1..=6).contains(&table)),
        "--table {}: the document has Tables 1 to 6",
        arguments.table.unwrap_or_default()
    );
    let figures = Figures::read()?;
    let runs = arguments.runs.unwrap_or(if arguments.quick { 1 } else { 10 });
    let settings = cells::Settings {
        engine: arguments.engine.engine(),
        runs,
        seed: arguments.seed,
        terminals: if arguments.quick { QUICK_TERMINALS } else { usize::MAX },
    };
    let mut results = Vec::new();
    for network in &figures.networks {
        // Tables 5 and 6 say how the cells of Tables 1 and 3 came about.
        if matches!(arguments.table, None | Some(5 | 6)) || arguments.table == Some(network.table) {
            results.extend(cells::reproduce(network, &settings)?);
        }
    }
    let tables = [(2, &figures.table2), (4, &figures.table4)];
    let wanted = tables.into_iter().filter(|&(number, _)| arguments.table.is_none_or(|table| table == number));
    let judged = wanted.map(|(number, table)| Ok((number, document::judge(table)?))).collect::<Result<Vec<_>>>()?;
    let report = report::Report { figures: &figures, settings: &settings, table: arguments.table, results, judged };
    print!("{}", report.summary());

    let stem = match arguments.engine {
        Method::Auto => "min",
        Method::Umda => "min-umda",
    };
    arguments.write(stem, &[("md", report.markdown()), ("csv", report.csv())])?;
    if report.holds() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "some figures are not reached: see the lines marked 'short' and 'refused', and those that are not 'optimal'"
    );
    Ok(ExitCode::FAILURE)
}
