//! `lockstep plan --symmetric`: the part of one source of a schedule too large to write down.

use lockstep::plan_symmetric;
use lockstep::schedule::SymmetricScheduleFile;

use super::{Answer, extension};
use crate::args::{PlanArgs, PlanFormat, Talk};
use crate::model::SymmetricQuestion;
use crate::text::{self, Sheet};
use crate::{input, output};

pub(crate) fn run(args: &PlanArgs, talk: Talk) -> anyhow::Result<Answer> {
    let SymmetricQuestion { graph, collective, model, .. } = SymmetricQuestion::new(&args.problem)?;
    let plan = plan_symmetric(&graph, collective, model, &args.budget.begin())?;
    let file = || SymmetricScheduleFile { schedule: plan.schedule().clone(), model };
    if let Some(path) = &args.output {
        let by_extension = || match extension(path).as_str() {
            "lsb" | "bin" => PlanFormat::Binary,
            _ => PlanFormat::Json,
        };
        let bytes = match args.format.unwrap_or_else(by_extension) {
            PlanFormat::Json => file().to_json().into_bytes(),
            PlanFormat::Binary => file().to_bytes(),
        };
        output::write(path, &bytes)?;
    }
    match args.output.as_deref() {
        Some(path) if input::is_standard(path) => return Ok(Answer::Yes),
        _ if args.json => output::print(&file().to_json())?,
        Some(_) if talk.quiet => {}
        path => {
            let mut sheet = Sheet::default();
            text::describe_graph(&mut sheet, &graph);
            sheet.line("collective", collective.to_string());
            sheet.line("model", model.to_string());
            sheet
                .line("schedule", format!("{}, {}", text::counted(plan.step_count() as usize, "step"), plan.verdict()));
            sheet.line("lower bound", plan.lower_bound().to_string());
            sheet.line("transfers", plan.verification().to_string());
            if let Some(time) = text::time_of_base(plan.schedule().base(), args.cost)? {
                sheet.line("time", time);
            }
            sheet.line("one source", text::counted(plan.schedule().base().transfer_count(), "transfer"));
            sheet.line("found by", format!("analytic ({})", plan.construction()));
            if let Some(path) = path {
                sheet.line("written to", path.display().to_string());
            }
            output::print(&sheet.to_text())?;
        }
    }
    Ok(Answer::Yes)
}
