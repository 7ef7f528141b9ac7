//! `lockstep design --exhaustive`: a front by enumeration of all networks.

use lockstep::design::{DesignProblem, Front, enumerate};

use super::front::{self, FrontOutputs};
use super::machine::describe;
use crate::args::{FrontArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::text::Sheet;

pub(super) fn run(
    problem: &DesignProblem<'_>,
    links: u32,
    outputs: FrontOutputs,
    args: &FrontArgs,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let enumeration = enumerate(problem, links)?;
    let front = Front::of_enumeration(problem, &enumeration)?;
    let mut sheet = Sheet::default();
    sheet.line("machine", describe(&problem.machine()));
    sheet.line("choices", format!("{} ways to use {} slots per chassis", enumeration.choices, enumeration.links));
    sheet.line("networks", format!("{} up to isomorphism", enumeration.classes));
    sheet.line("scored", format!("{} connected and allowed", enumeration.designs.len()));
    front::deliver(&front, sheet, outputs, args, verbosity)?;
    Ok(ExitStatus::Success)
}
