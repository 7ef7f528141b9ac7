//! The end of planning: a plan is written and printed, or its absence is explained.

use std::path::Path;

use anyhow::{anyhow, bail};
use lockstep::files::to_json_rows;
use lockstep::schedule::{NotFound, StopReason};
use lockstep::topology::Sizes;
use lockstep::{CutShort, EngineChoice, Plan, PlanError, PlanFile, WithdrawnBound};
use serde::Serialize;

use super::next::{self, Situation};
use crate::args::{PictureFormat, PlanArgs, PlanFormat, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::commands::times::{self, Time};
use crate::commands::{plan_file, time_limit};
use crate::exit_status::ExitStatus;
use crate::output::{self, Output};
use crate::text::{self, Sheet};
use crate::{link_loads, step_table};

/// Number of lines of a summary that is printed together with its list of transfers, like one screen of a terminal.
const SCREEN: usize = 24;

/// A plan and its times as JSON, for `--size`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct PlanTimes<'a> {
    plan: &'a PlanFile,
    times: Vec<Time>,
}

/// Writes and prints the plan, as the options say. `spent` says whether the budget ended the search.
pub(super) fn deliver(
    plan: &Plan,
    seconds: Option<f64>,
    output: Option<(Output, PlanFormat)>,
    spent: bool,
    args: &PlanArgs,
    verbosity: Verbosity,
) -> anyhow::Result<()> {
    match plan.cut_short() {
        Some(CutShort::Interrupt) => output::note(verbosity, "interrupted; this is the best schedule found"),
        Some(CutShort::Deadline) => {
            output::note(verbosity, "the time limit ended the search; another run may find another schedule");
        }
        None => {}
    }
    let file = || plan_file::file(plan, seconds);
    let is_data = output.as_ref().is_some_and(|(output, _)| output.is_standard());
    let print_json = || {
        if spent && !plan.is_optimal() {
            output::note(verbosity, "the search ended at its budget; --budget sets a larger one");
        }
        match &args.size {
            _ if is_data => Ok(()),
            Some(sizes) => {
                output::print(&to_json_rows(&PlanTimes { plan: &file(), times: times_of(plan, sizes, args)? }, 4))
            }
            None => output::print(&file().to_json()),
        }
    };
    if output.is_none() && args.json {
        return print_json();
    }
    let sheet = describe(plan, args)?;
    let written = args.output.as_deref().zip(output.as_ref().map(|&(_, format)| format));
    if let Some((output, format)) = output {
        let contents = plan_file::contents(plan, seconds, &sheet, format);
        output.write_bytes(&contents, || file().to_json())?;
    }
    if args.json && !is_data {
        return print_json();
    }
    let times = args.size.as_ref().map(|sizes| times_of(plan, sizes, args)).transpose()?;
    let times = times.map(|times| times::table(&times));
    if is_data {
        if let Some(times) = &times {
            output::print_beside(times);
        }
        return print_json();
    }
    let is_summarized = written.is_none() || !verbosity.quiet || args.table;
    if is_summarized {
        summarize(plan, sheet, written, spent, args, verbosity)?;
    }
    let separator = if is_summarized { "\n" } else { "" };
    times.map_or(Ok(()), |times| output::print(&format!("{separator}{times}")))
}

/// Returns the times of a plan.
fn times_of(plan: &Plan, sizes: &Sizes, args: &PlanArgs) -> anyhow::Result<Vec<Time>> {
    let unit = times::unit(plan.topology(), args.problem.network.unit())?;
    Ok(times::of_sizes(&plan.problem(), plan.schedule(), unit, sizes))
}

/// Prints the summary of the plan, its transfers if they fit on a screen or are wanted, and what to do next.
fn summarize(
    plan: &Plan,
    mut sheet: Sheet,
    file: Option<(&Path, PlanFormat)>,
    spent: bool,
    args: &PlanArgs,
    verbosity: Verbosity,
) -> anyhow::Result<()> {
    let (problem, schedule) = (plan.problem(), plan.schedule());
    if let Some((path, _)) = file {
        sheet.line("written to", path.display().to_string());
    }
    let text = |is_listed| {
        let mut sheet = sheet.clone();
        if !verbosity.quiet {
            let spent = spent.then_some(args.budget);
            next::describe(&mut sheet, &Situation { file, verdict: plan.verdict(), spent, is_listed });
        }
        sheet.to_text()
    };
    let listed = text(true);
    if args.table {
        return output::print(&(listed + &step_table::full(&problem, schedule)));
    }
    let room = SCREEN.saturating_sub(listed.lines().count());
    match step_table::short(&problem, schedule, room).filter(|_| file.is_none()) {
        Some(steps) => output::print(&(listed + &steps)),
        None => output::print(&text(false)),
    }
}

/// Describes the plan, without its steps.
fn describe(plan: &Plan, args: &PlanArgs) -> anyhow::Result<Sheet> {
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &plan.problem());
    sheet.line("schedule", format!("{}, {}", text::steps_of_plan(plan), text::verdict(plan.verdict())));
    sheet.line("lower bound", text::bound(plan.lower_bound(), plan.topology()));
    sheet.line("transfers", text::transfers(plan.verification()));
    link_loads::describe(&mut sheet, plan.topology(), plan.schedule());
    text::add_times(&mut sheet, plan.problem().collective(), plan.schedule(), &args.cost)?;
    let cut_short = match plan.cut_short() {
        Some(CutShort::Deadline) => ", stopped by the time limit",
        Some(CutShort::Interrupt) => ", interrupted",
        None => "",
    };
    sheet.line("found by", format!("{}, seed {}{cut_short}", plan.engine(), plan.seed()));
    Ok(sheet)
}

/// Writes or prints a schedule without its bound, and reports the withdrawn bound.
pub(super) fn keep(
    withdrawn: &WithdrawnBound,
    output: Option<(Output, PlanFormat)>,
    args: &PlanArgs,
) -> anyhow::Result<ExitStatus> {
    let file = &withdrawn.schedule;
    let (problem, schedule) = (file.problem(), file.schedule());
    match output {
        Some((output, format)) => {
            let contents = match format {
                PlanFormat::Json => file.to_json().into_bytes(),
                PlanFormat::Binary => file.to_bytes(),
                PlanFormat::Text => step_table::full(&problem, schedule).into_bytes(),
                PlanFormat::Svg => plan_file::picture(&problem, schedule, PictureFormat::Svg),
                PlanFormat::Html => plan_file::picture(&problem, schedule, PictureFormat::Html),
                PlanFormat::Pdf => plan_file::picture(&problem, schedule, PictureFormat::Pdf),
            };
            output.write_bytes(&contents, || file.to_json())?;
        }
        None if args.json => output::print(&file.to_json())?,
        None if args.table => output::print(&step_table::full(&problem, schedule))?,
        None => output::print(&step_table::short(&problem, schedule, SCREEN).unwrap_or_default())?,
    }
    bail!("{withdrawn}; the valid schedule is kept, as a schedule without a bound");
}

/// Reports why there is no plan: a negative result, or an error.
pub(super) fn refuse(
    error: PlanError,
    args: &PlanArgs,
    checkpoint: Option<&mut CheckpointFile>,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let is_finished = match &error {
        PlanError::NotFound(NotFound::Stopped { reason, .. } | NotFound::Unfinished { reason }) => {
            *reason == StopReason::Evaluations
        }
        PlanError::NotFound(NotFound::Resume { .. }) | PlanError::Checkpoint(_) => false,
        _ => true,
    };
    let status = match error {
        PlanError::Impossible { .. }
        | PlanError::Refused { .. }
        | PlanError::NotFound(NotFound::Stopped { .. } | NotFound::TooLong { .. }) => {
            output::error(&error.into());
            Ok(ExitStatus::Negative)
        }
        PlanError::NotFound(NotFound::Unfinished { reason: StopReason::Cancelled }) => {
            output::note(verbosity, "stopped without a result");
            Ok(ExitStatus::Interrupted)
        }
        PlanError::NotFound(NotFound::Unfinished { reason: StopReason::Deadline }) => {
            Err(time_limit::too_short(args.budget))
        }
        PlanError::NotFound(NotFound::Unsupported { .. }) if args.engine != EngineChoice::Auto => {
            Err(anyhow!("{error}; use --engine auto"))
        }
        error => Err(error.into()),
    };
    if let Some(checkpoint) = checkpoint {
        checkpoint.settle(is_finished, verbosity);
    }
    status
}
