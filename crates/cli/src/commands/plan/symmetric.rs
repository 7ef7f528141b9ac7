//! `lockstep plan --symmetric`: the transfers of one source, for schedules too large to store.

use lockstep::plan_symmetric;
use lockstep::schedule::SymmetricScheduleFile;

use crate::args::{PlanArgs, Verbosity};
use crate::commands::plan_file;
use crate::exit_status::ExitStatus;
use crate::output::{self, Output};
use crate::problem_input::SymmetricProblemInput;
use crate::text::{self, Sheet};

pub(crate) fn run(args: &PlanArgs, output: Option<Output>, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let SymmetricProblemInput { graph, collective, model, .. } = SymmetricProblemInput::new(&args.problem)?;
    let planned = plan_symmetric(&graph, collective, model, &args.budget.begin())?;
    let file = || SymmetricScheduleFile { schedule: planned.schedule().clone(), model };
    let is_data = output.as_ref().is_some_and(Output::is_standard);
    plan_file::write(output, args.format, || file().to_json(), || file().to_bytes())?;
    match args.output.as_deref() {
        _ if is_data => return Ok(ExitStatus::Success),
        _ if args.json => output::print(&file().to_json())?,
        Some(_) if verbosity.quiet => {}
        path => {
            let mut sheet = Sheet::default();
            text::describe_graph(&mut sheet, &graph);
            sheet.line("collective", collective.to_string());
            sheet.line("model", model.to_string());
            sheet.line(
                "schedule",
                format!("{}, {}", text::counted(planned.step_count() as usize, "step"), planned.verdict()),
            );
            sheet.line("lower bound", planned.lower_bound().to_string());
            sheet.line("transfers", planned.verification().to_string());
            if let Some(time) = text::time_of_base(planned.schedule().base(), args.cost)? {
                sheet.line("time", time);
            }
            sheet.line("one source", text::counted(planned.schedule().base().transfer_count(), "transfer"));
            sheet.line("found by", format!("analytic ({})", planned.construction()));
            if let Some(path) = path {
                sheet.line("written to", path.display().to_string());
            }
            output::print(&sheet.to_text())?;
        }
    }
    Ok(ExitStatus::Success)
}
