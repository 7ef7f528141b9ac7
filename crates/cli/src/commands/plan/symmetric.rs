//! `lockstep plan --symmetric`: the transfers of one source, for schedules too large to store.

use anyhow::bail;
use lockstep::schedule::{StopReason, SymmetricScheduleFile};
use lockstep::{SymmetricPlanError, plan_symmetric_observed};

use crate::args::{PlanArgs, PlanFormat, Verbosity};
use crate::commands::plan_file;
use crate::exit_status::ExitStatus;
use crate::output::{self, Output};
use crate::problem_input::SymmetricProblemInput;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet};

pub(crate) fn run(args: &PlanArgs, output: Option<Output>, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let format = plan_file::format_of(args.output.as_deref(), args.format)?;
    if matches!(format, PlanFormat::Svg | PlanFormat::Html | PlanFormat::Pdf) {
        bail!("symmetric schedules cannot be drawn; plan a small network without --symmetric");
    }
    let SymmetricProblemInput { graph, collective, model, .. } = SymmetricProblemInput::new(&args.problem)?;
    let budget = args.budget.begin();
    let progress = Progress::new(verbosity, &budget);
    let mut unfinished = Some(cancel_on_signal(&budget, "the search", &progress)?);
    progress.set_work("one source".to_owned());
    let planned = plan_symmetric_observed(&graph, collective, model, &budget, || unfinished = None);
    drop(unfinished);
    drop(progress);
    let planned = match planned {
        Err(error @ SymmetricPlanError::Stopped { reason: StopReason::Cancelled }) => {
            output::error(&error.into());
            return Ok(ExitStatus::Negative);
        }
        planned => planned?,
    };
    let file = || SymmetricScheduleFile { schedule: planned.schedule().clone(), model };
    let describe = || {
        let mut sheet = Sheet::default();
        text::describe_graph(&mut sheet, &graph);
        sheet.line("collective", collective.to_string());
        sheet.line("model", model.to_string());
        let steps = text::counted(planned.step_count() as usize, "step");
        sheet.line("schedule", format!("{steps}, {}", planned.verdict()));
        sheet.line("lower bound", planned.lower_bound().to_string());
        sheet.line("transfers", planned.verification().to_string());
        text::add_times_of_base(&mut sheet, planned.schedule().base(), &args.cost)?;
        sheet.line("one source", text::counted(planned.schedule().base().transfer_count(), "transfer"));
        sheet.line("found by", format!("analytic ({})", planned.construction()));
        anyhow::Ok(sheet)
    };
    let is_data = output.as_ref().is_some_and(Output::is_standard);
    if let Some(output) = output {
        let contents = match format {
            PlanFormat::Binary => file().to_bytes(),
            PlanFormat::Text => describe()?.to_text().into_bytes(),
            PlanFormat::Json | PlanFormat::Svg | PlanFormat::Html | PlanFormat::Pdf => file().to_json().into_bytes(),
        };
        output.write_bytes(&contents, || file().to_json())?;
    }
    match args.output.as_deref() {
        _ if is_data => {}
        _ if args.json => output::print(&file().to_json())?,
        Some(_) if verbosity.quiet => {}
        path => {
            let mut sheet = describe()?;
            if let Some(path) = path {
                sheet.line("written to", path.display().to_string());
            }
            output::print(&sheet.to_text())?;
        }
    }
    Ok(ExitStatus::Success)
}
