//! `cargo xtask bench`: our schedules compared with those of other programs, measured and verified.

mod amdahl;
mod amounts;
mod comparison_table;
mod files;
mod functions;
mod growth;
mod integer_programme;
mod large;
mod measure;
mod others_win;
mod report;
mod rival;
mod rows;
mod search;
mod seeds;
mod selection;
mod simulation;
mod stages;
mod summary;
mod targets;
mod threads;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::process::Program;
use crate::repository::root;
use measure::{MeasuredRow, measure};
use report::ComparisonReport;
use rows::{RowTable, Rows};
use seeds::Seeds;
use selection::{Section, Selection};
use targets::Targets;

/// The rows to measure, and the folder of the report.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of seeds per row, each with its own random node numbers; long rows have fewer.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// First seed; the others follow it [default: random].
    #[arg(long, value_name = "SEED")]
    seed: Option<u32>,
    /// Measure only the rows whose name contains FILTER, and print the report instead of writing it.
    filter: Option<String>,
    /// Measure only one section, and print the report instead of writing it.
    #[arg(long, value_enum)]
    section: Option<Section>,
    /// Write the report to the folder OUT [default: docs].
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Measures all rows, prints the report and writes it.
///
/// # Errors
///
/// If a row has no valid plan, or if a file cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let program = Program::beside_this()?;
    let (rows, targets) = (Rows::read()?, Targets::read()?);
    let selection = Selection { section: arguments.section, filter: arguments.filter.clone() };
    let seeds = Seeds::new(arguments.seed, arguments.seeds);
    let has = |section| selection.has(section);
    let mut report = ComparisonReport {
        source: &rows.source,
        targets: &targets,
        seeds,
        tables: Vec::new(),
        large: Vec::new(),
        files: None,
        searches: None,
        simulations: Vec::new(),
        growth: Vec::new(),
        stages: Vec::new(),
    };
    if has(Section::Comparison) {
        report.tables = compared(&rows, seeds, &program, &selection)?;
    }
    if has(Section::Large) {
        report.large = large::measure(&targets.large, &program, &selection)?;
    }
    if has(Section::Files) {
        report.files = files::measure(&targets.files, &program, &selection)?;
    }
    if has(Section::Search) {
        report.searches = search::measure(&targets.search, &selection)?;
    }
    if has(Section::Simulation) {
        report.simulations = simulation::measure(&targets.simulation, &program, &selection)?;
    }
    if has(Section::Growth) {
        report.growth = growth::measure(&program, seeds, &selection)?;
    }
    if has(Section::Stages) {
        report.stages = stages::measure(&program, &selection)?;
    }
    let text = report.markdown();
    print!("{text}");
    if selection.is_whole() || arguments.out.is_some() {
        let folder = arguments.out.clone().unwrap_or_else(|| root().join("docs"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("benchmarks.md"), text)?;
    }
    Ok(())
}

/// Measures the rows of the tables that are wanted.
fn compared<'a>(
    rows: &'a Rows,
    seeds: Seeds,
    program: &Program,
    selection: &Selection,
) -> Result<Vec<(&'a RowTable, Vec<MeasuredRow<'a>>)>> {
    let measured = rows.tables.iter().map(|table| {
        let wanted = table.rows.iter().filter(|row| selection.wants(&row.name));
        let measured = wanted.map(|row| {
            eprintln!("{}: {}", table.title, row.name);
            measure(table, row, seeds, program).with_context(|| row.name.clone())
        });
        Ok((table, measured.collect::<Result<_>>()?))
    });
    measured.collect()
}
