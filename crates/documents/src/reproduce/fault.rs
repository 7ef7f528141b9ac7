//! The paper on faults of Kautz networks and meshes.

mod cells;
mod figures;
mod report;
mod speed;

use anyhow::{Result, ensure};
use lockstep::EngineChoice;

use super::arguments::{Arguments, Method};
use super::reproduction::Reproduction;
use super::tally::Tally;
use figures::Figures;
use report::FaultReport;

/// Reproduces the tables. A failure is a plan under the rules of the paper, or after a pair of faults, that is not optimal.
pub(super) fn run(arguments: &Arguments) -> Result<Reproduction> {
    let Arguments { table, runs, seed, engine, quick, .. } = arguments;
    ensure!(
        table.is_none_or(|table| (2..=5).contains(&table)),
        "--table {}: the paper has Tables 2 to 5",
        table.unwrap_or_default()
    );
    ensure!(runs.is_none_or(|runs| runs == 1), "--runs: every cell of this paper is one plan; leave the option out");
    ensure!(*engine == Method::Auto, "--engine: the cells of this paper are planned by auto; leave the option out");
    let figures = Figures::read()?;
    let wanted = figures.tables.iter().filter(|of| table.is_none_or(|table| table == of.number));
    let mut tally = Tally::new(wanted.clone().count());
    let mut results = Vec::new();
    for table in wanted {
        results.push(cells::reproduce(table, *seed, *quick)?);
        tally.done(None, None, &format!("Table {} {}", table.number, table.name));
    }
    let whole = !quick && table.is_none();
    let speed = if whole { Some(speed::measure(&figures, EngineChoice::Auto, *seed)?) } else { None };
    let report = FaultReport { figures: &figures, seed: *seed, results, speed };
    let failure = "some schedules under the rules of the paper, or after pairs of faults, are not optimal: see the cells with 'gap'";
    Ok(Reproduction {
        stem: "fault",
        report: report.text(),
        figures: report.figure_table(),
        pictures: Vec::new(),
        failures: if report.holds() { Vec::new() } else { vec![failure.to_owned()] },
    })
}
