//! The paper on store-and-forward all-gather by annealed chains with conflict prediction.

mod cells;
mod figures;
mod report;

use anyhow::{Result, ensure};

use super::arguments::{Arguments, Method};
use super::reproduction::Reproduction;
use super::tally::Tally;
use figures::Figures;
use report::HgsaReport;

/// Number of terminals of the largest network with `--quick`.
const QUICK_TERMINALS: usize = 16;

/// Reproduces the tables. A failure is a run of our variant that ends above the steps of the paper or the bound.
pub(super) fn run(arguments: &Arguments) -> Result<Reproduction> {
    let Arguments { table, runs, seed, engine, quick, .. } = arguments;
    ensure!(
        table.is_none_or(|table| (1..=2).contains(&table)),
        "--table {}: the paper has Tables 1 and 2",
        table.unwrap_or_default()
    );
    ensure!(*engine == Method::Auto, "--engine: every cell is computed by hgsa and by auto; leave the option out");
    let figures = Figures::read()?;
    let runs = runs.unwrap_or(if *quick { 1 } else { 10 });
    let most = if *quick { QUICK_TERMINALS } else { usize::MAX };
    let wanted = || figures.tables.iter().filter(|of| table.is_none_or(|table| table == of.number));
    let mut tally = Tally::new(wanted().map(|of| of.rows.len() * cells::PIECES).sum());
    let mut results = Vec::new();
    for of in wanted() {
        for row in &of.rows {
            results.extend(cells::reproduce(of.number, row, (runs, *seed), most, &mut tally)?);
        }
    }
    let report = HgsaReport { runs, seed: *seed, results };
    let failure = "some runs end above the steps of the paper or the bound: see the columns 'ours' and 'Auto'";
    Ok(Reproduction {
        stem: "hgsa",
        report: report.text(),
        figures: report.figure_table(),
        pictures: Vec::new(),
        failures: if report.holds() { Vec::new() } else { vec![failure.to_owned()] },
    })
}
