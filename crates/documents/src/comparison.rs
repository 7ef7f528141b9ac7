//! `cargo xtask bench`: our schedules beside those of others, measured and judged on the spot.

mod measure;
mod process;
mod report;
mod rows;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::repository::root;
use measure::{Measured, measure, scaling};
use process::Program;
use report::Report;
use rows::Rows;

/// How much is measured, and where it is written.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Seeds of each row, each with node numbers shuffled anew; long rows have fewer.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// Only rows whose name contains this; without them all, nothing is written but to standard output.
    filter: Option<String>,
    /// Folder of the report [default: docs].
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Sides of the square tori on which growth is measured.
const SIDES: [u32; 5] = [8, 12, 16, 24, 32];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let program = Program::beside_this()?;
    let rows = Rows::read()?;
    let wanted = |name: &str| arguments.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    let mut tables = Vec::new();
    for table in &rows.tables {
        let mut measured: Vec<Measured> = Vec::new();
        for row in table.rows.iter().filter(|row| wanted(&row.name)) {
            eprintln!("{}: {}", table.title, row.name);
            measured.push(measure(table, row, arguments.seeds, &program).with_context(|| row.name.clone())?);
        }
        tables.push((table, measured));
    }
    let growth = if arguments.filter.is_none() { scaling(&SIDES)? } else { Vec::new() };
    let report = Report { source: &rows.source, seeds: arguments.seeds, tables, growth };
    let text = report.markdown();
    print!("{text}");
    if arguments.filter.is_none() || arguments.out.is_some() {
        let folder = arguments.out.clone().unwrap_or_else(|| root().join("docs"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("benchmarks.md"), text)?;
    }
    Ok(())
}
