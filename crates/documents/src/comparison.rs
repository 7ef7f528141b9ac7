//! `cargo xtask bench`: our schedules compared with those of other programs, measured and verified.

mod integer_programme;
mod measure;
mod report;
mod rows;
mod seeds;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::process::Program;
use crate::repository::root;
use measure::{MeasuredRow, measure, scaling};
use report::ComparisonReport;
use rows::Rows;
use seeds::Seeds;

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
    /// Write the report to the folder OUT [default: docs].
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Sides of the square tori for the growth of the time.
const SIDES: [u32; 5] = [8, 12, 16, 24, 32];

/// Measures all rows, prints the report and writes it.
///
/// # Errors
///
/// If a row has no valid plan, or if a file cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let program = Program::beside_this()?;
    let rows = Rows::read()?;
    let wanted = |name: &str| arguments.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    let seeds = Seeds::new(arguments.seed, arguments.seeds);
    let mut tables = Vec::new();
    for table in &rows.tables {
        let mut measured: Vec<MeasuredRow<'_>> = Vec::new();
        for row in table.rows.iter().filter(|row| wanted(&row.name)) {
            eprintln!("{}: {}", table.title, row.name);
            measured.push(measure(table, row, seeds, &program).with_context(|| row.name.clone())?);
        }
        tables.push((table, measured));
    }
    let growth = if arguments.filter.is_none() { scaling(&SIDES, seeds)? } else { Vec::new() };
    let report = ComparisonReport { source: &rows.source, seeds, tables, growth };
    let text = report.markdown();
    print!("{text}");
    if arguments.filter.is_none() || arguments.out.is_some() {
        let folder = arguments.out.clone().unwrap_or_else(|| root().join("docs"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("benchmarks.md"), text)?;
    }
    Ok(())
}
