//! The lecture on hypercubes and tori.

mod cube;
mod figures;
mod lecture;
mod planned;
mod report;
mod torus;

use anyhow::{Result, ensure};

use super::arguments::{Arguments, Method};
use super::reproduction::Reproduction;
use super::tally::Tally;
use figures::Figures;
use report::HypercubeReport;

/// The largest dimension, and that with `--quick`.
const DIMENSIONS: (u32, u32) = (20, 10);

/// The largest exponent of 5 for the tiling, and that with `--quick`.
const TILINGS: (u32, u32) = (5, 3);

/// The largest side for the diagonals, and that with `--quick`.
const DIAGONALS: (u32, u32) = (64, 16);

/// Limit of nodes for the other networks, and that with `--quick`.
const PLANNED: (usize, usize) = (usize::MAX, 400);

/// Reproduces the tables. A failure is a figure of the lecture that is not reached.
pub(super) fn run(arguments: &Arguments) -> Result<Reproduction> {
    ensure!(arguments.table.is_none(), "--table: the lecture has no numbered tables; leave the option out");
    ensure!(
        arguments.engine == Method::Auto,
        "--engine: the algorithms of the lecture need no search; leave the option out"
    );
    let figures = Figures::read()?;
    let quick = arguments.quick;
    let (cubes, tilings) = (2..=up_to(DIMENSIONS, quick), 1..=up_to(TILINGS, quick));
    let sides = 3..=up_to(DIAGONALS, quick);
    let tori = tilings.clone().count() + 2 * sides.clone().count();
    let mut tally = Tally::new(cubes.clone().count() * cube::COLLECTIVES + tori + planned::COUNT);
    let report = HypercubeReport {
        cubes: cubes.map(|dimension| cube::reproduce(dimension, &mut tally)).collect::<Result<_>>()?,
        lecture: lecture::LectureTables::new(&figures)?,
        tilings: tilings.map(|exponent| torus::tiling(exponent, &mut tally)).collect::<Result<_>>()?,
        diagonals: sides.clone().map(|side| torus::diagonals(side, &mut tally)).collect::<Result<_>>()?,
        chains: sides.filter_map(|side| torus::chain(side, &mut tally).transpose()).collect::<Result<_>>()?,
        planned: planned::broadcasts(up_to(PLANNED, quick), &mut tally)?,
        figures: &figures,
    };
    let failure = "some figures of the lecture are not reached: see the lines with 'differs'";
    Ok(Reproduction {
        stem: "hypercube",
        report: report.text(),
        figures: report.figure_table(),
        pictures: Vec::new(),
        failures: if report.holds() { Vec::new() } else { vec![failure.to_owned()] },
    })
}

/// Returns the size for all tables, or the size with `--quick`.
fn up_to<T>((most, quick): (T, T), is_quick: bool) -> T {
    if is_quick { quick } else { most }
}
