//! The paper on multistage interconnection networks.

mod cells;
mod figures;
mod published_schedule;
mod report;

use anyhow::{Result, ensure};

use super::arguments::{Arguments, Method};
use super::reproduction::Reproduction;
use super::tally::Tally;
use figures::Figures;
use report::MinReport;

/// Number of terminals of the largest network with `--quick`.
const QUICK_TERMINALS: usize = 12;

/// Reproduces the tables. A failure is a cell that is worse than in the paper, or that the planner does not prove
/// optimal.
pub(super) fn run(arguments: &Arguments) -> Result<Reproduction> {
    ensure!(
        arguments.table.is_none_or(|table| (1..=6).contains(&table)),
        "--table {}: the paper has Tables 1 to 6",
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
    // Tables 5 and 6 are about the cells of Tables 1 and 3.
    let is_wanted = |table| matches!(arguments.table, None | Some(5 | 6)) || arguments.table == Some(table);
    let wanted = || figures.networks.iter().filter(|network| is_wanted(network.table));
    let mut tally = Tally::new(wanted().map(cells::count).sum());
    let mut results = Vec::new();
    for network in wanted() {
        results.extend(cells::reproduce(network, &settings, &mut tally)?);
    }
    let tables = [(2, &figures.table2), (4, &figures.table4)];
    let wanted = tables.into_iter().filter(|&(number, _)| arguments.table.is_none_or(|table| table == number));
    let verified = |(number, table)| Ok((number, published_schedule::verify_with_swaps(table)?));
    let schedules = wanted.map(verified).collect::<Result<Vec<_>>>()?;
    let report = MinReport { figures: &figures, settings: &settings, table: arguments.table, results, schedules };
    let failure = "some figures are not reached: see the lines with 'short' or 'refused', and those without 'optimal'";
    let stem = if arguments.engine == Method::Umda { "min-umda" } else { "min" };
    Ok(Reproduction {
        stem,
        report: report.text(),
        figures: report.figure_table(),
        pictures: Vec::new(),
        failures: if report.holds() { Vec::new() } else { vec![failure.to_owned()] },
    })
}
