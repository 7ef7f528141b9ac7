//! `lockstep bound`: what no schedule can beat.

use lockstep::files::to_json_rows;
use lockstep_report::Table;

use super::Answer;
use crate::args::{BoundArgs, Talk};
use crate::model::Question;
use crate::output;
use crate::text::{self, Sheet};

pub(crate) fn run(args: &BoundArgs, talk: Talk) -> anyhow::Result<Answer> {
    let question = Question::new(&args.problem, talk)?;
    let problem = question.problem()?;
    let bounds = lockstep::bounds::all(&problem);
    if args.json {
        output::print(&to_json_rows(&bounds, 1))?;
        return Ok(Answer::Yes);
    }
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &problem);
    let mut table = Table::new(["steps", "rule", "because"]);
    for bound in &bounds {
        let because = bound.certificate.explain(problem.topology()).to_string();
        table.push([bound.steps.to_string(), bound.rule.to_string(), because]);
    }
    output::print(&format!("{}\n{}", sheet.to_text(), table.to_text()))?;
    Ok(Answer::Yes)
}
