//! Fronts among all networks.

use lockstep::design::{DesignProblem, Front, survey};

use super::{describe, front};
use crate::args::{FrontArgs, Talk};
use crate::commands::Answer;
use crate::text::Sheet;

pub(super) fn run(problem: &DesignProblem<'_>, links: u32, args: &FrontArgs, talk: Talk) -> anyhow::Result<Answer> {
    let survey = survey(problem, links)?;
    let front = Front::of_survey(problem, &survey)?;
    let mut sheet = Sheet::default();
    sheet.line("machine", describe(&problem.machine()));
    sheet.line("choices", format!("{} of {} slots in use", survey.choices, survey.links));
    sheet.line("networks", format!("{} that differ by more than numbers", survey.classes));
    sheet.line("scored", format!("{} that are connected, and allowed", survey.designs.len()));
    front::deliver(&front, sheet, args, talk)?;
    Ok(Answer::Yes)
}
