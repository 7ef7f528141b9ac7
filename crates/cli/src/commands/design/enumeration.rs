//! Fronts among all networks.

use lockstep::design::{DesignProblem, Front, enumerate};

use super::{describe, front};
use crate::args::{FrontArgs, Talk};
use crate::commands::Answer;
use crate::text::Sheet;

pub(super) fn run(problem: &DesignProblem<'_>, links: u32, args: &FrontArgs, talk: Talk) -> anyhow::Result<Answer> {
    let enumeration = enumerate(problem, links)?;
    let front = Front::of_enumeration(problem, &enumeration)?;
    let mut sheet = Sheet::default();
    sheet.line("machine", describe(&problem.machine()));
    sheet.line("choices", format!("{} of {} slots in use", enumeration.choices, enumeration.links));
    sheet.line("networks", format!("{} that differ by more than numbers", enumeration.classes));
    sheet.line("scored", format!("{} that are connected, and allowed", enumeration.designs.len()));
    front::deliver(&front, sheet, args, talk)?;
    Ok(Answer::Yes)
}
