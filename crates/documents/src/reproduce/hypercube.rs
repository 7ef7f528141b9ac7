//! The lecture on hypercubes and tori.

mod cube;
mod figures;
mod lecture;
mod planned;
mod report;
mod torus;

use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::reproduce::{Arguments, Method};
use figures::Figures;

/// The largest dimension of the tables, and of `--quick`.
const DIMENSIONS: (u32, u32) = (20, 10);

/// The largest exponent of 5 for the tiling, and of `--quick`.
const TILINGS: (u32, u32) = (5, 3);

/// The largest side for the diagonals, and of `--quick`.
const DIAGONALS: (u32, u32) = (64, 16);

/// The most nodes of the other networks.
const PLANNED: (usize, usize) = (usize::MAX, 400);

/// Reproduces the tables, writes the report, and fails if a figure of the lecture is not reached.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    ensure!(arguments.table.is_none(), "--table: the lecture has no numbered tables; leave it out");
    ensure!(arguments.engine == Method::Auto, "--engine: the lecture's algorithms need no search; leave it out");
    let figures = Figures::read()?;
    let quick = arguments.quick;
    let report = report::Report {
        cubes: (2..=up_to(DIMENSIONS, quick)).map(cube::reproduce).collect::<Result<_>>()?,
        lecture: lecture::Tables::new(&figures)?,
        tilings: (1..=up_to(TILINGS, quick)).map(torus::tiling).collect::<Result<_>>()?,
        diagonals: (3..=up_to(DIAGONALS, quick)).map(torus::diagonals).collect::<Result<_>>()?,
        chains: (3..=up_to(DIAGONALS, quick))
            .filter_map(|side| torus::chain(side).transpose())
            .collect::<Result<_>>()?,
        planned: planned::broadcasts(up_to(PLANNED, quick))?,
        figures: &figures,
    };
    print!("{}", report.summary());

    arguments.write("hypercube", &[("md", report.markdown())])?;
    if report.holds() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("some figures of the lecture are not reached: see the lines marked 'differs'");
    Ok(ExitCode::FAILURE)
}

/// The size for all tables, or that of `--quick`.
fn up_to<T>((most, quick): (T, T), is_quick: bool) -> T {
    if is_quick { quick } else { most }
}
