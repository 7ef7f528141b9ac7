//! `lockstep plan`: a schedule and its distance from the lower bound.

mod local;
mod next;
mod symmetric;

use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use lockstep::schedule::{NotFound, StopReason};
use lockstep::{
    CHECKPOINT_KIND, CutShort, Ending, EngineChoice, Event, Plan, PlanError, PlanOptions, Planner, WithdrawnBound,
};

use self::next::Situation;
use super::plan_file;
use crate::args::{PictureFormat, PlanArgs, PlanFormat, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::explain::Explanation;
use crate::output::{self, Output};
use crate::plan_progress::PlanProgress;
use crate::problem_input::{self, ProblemInput};
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::{link_loads, step_table};

/// Number of lines of a summary that is printed together with its list of transfers, like one screen of a terminal.
const SCREEN: usize = 24;

pub(crate) fn run(args: &PlanArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    if args.large.local {
        return local::run(args, verbosity);
    }
    let mut files = CommandFiles::new();
    problem_input::add_files(&args.problem, &mut files)?;
    let output = files.write_to("--output", args.output.as_deref())?;
    if args.table && output.as_ref().is_some_and(Output::is_standard) {
        bail!("--table and --output - both write to standard output; use --output - --format text for both");
    }
    if args.large.symmetric {
        return symmetric::run(args, output, verbosity);
    }
    let mut checkpoint = None;
    let options = PlanOptions { engine: args.engine, steps: args.steps, ..PlanOptions::auto(args.seed) };
    if options.engines.writes_checkpoints(args.engine) {
        checkpoint = CheckpointFile::new(args.checkpoint.as_deref(), output.as_ref(), &mut files)?;
    }
    let format = plan_file::format_of(args.output.as_deref(), args.format)?;
    let input = ProblemInput::new(&args.problem, verbosity)?;
    let problem = input.problem()?;
    let saved =
        checkpoint.as_mut().map(|checkpoint| checkpoint.read(CHECKPOINT_KIND, verbosity)).transpose()?.flatten();

    let started = Instant::now();
    let budget = args.budget.begin();
    let progress = Progress::new(verbosity, &budget);
    let mut unfinished = Some(cancel_on_signal(&budget, "the search", &progress)?);
    let (mut explanation, mut ends_early) = (Explanation::default(), false);
    let fresh = Planner::new(problem, options);
    let planner = saved.into_iter().fold(fresh.clone(), Planner::from_checkpoint);
    let mut run = |planner: Planner<'_>, mut checkpoint: Option<&mut CheckpointFile>| {
        let mut shown = PlanProgress::new(&progress, &budget);
        planner.run(&budget, |event| {
            shown.see(&event);
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.see(&event);
            }
            explanation.see(&event);
            match event {
                Event::Tried { steps: Some(_), .. } | Event::Search(_) => unfinished = None,
                Event::Ended(ending) => ends_early |= ending == Ending::Budget(StopReason::Evaluations),
                _ => {}
            }
        })
    };
    let mut result = run(planner, checkpoint.as_mut());
    if let (Err(PlanError::Checkpoint(error)), Some(checkpoint)) = (&result, &mut checkpoint) {
        progress.aside(|| checkpoint.start_again(error, error.is_torn(), verbosity))?;
        result = run(fresh, Some(checkpoint));
    }
    drop(unfinished);
    drop(progress);
    match result {
        Ok(plan) => {
            let seconds = args.timing.then(|| started.elapsed().as_secs_f64());
            let is_data = args.json || output.as_ref().is_some_and(Output::is_standard);
            let spent = ends_early || plan.cut_short() == Some(CutShort::Deadline);
            deliver(&plan, seconds, output.map(|output| (output, format)), spent, args, verbosity)?;
            explain(&explanation, is_data, args)?;
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.settle(plan.cut_short() != Some(CutShort::Interrupt), verbosity);
            }
            Ok(ExitStatus::Success)
        }
        Err(PlanError::BoundWithdrawn(withdrawn)) => keep(&withdrawn, output.map(|output| (output, format)), args),
        Err(error) => refuse(error, args.engine, checkpoint.as_mut(), verbosity),
    }
}

/// Writes and prints the plan, as the options say. `spent` says whether the budget ended the search.
fn deliver(
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
    let file = || plan.to_file(seconds);
    let is_data = output.as_ref().is_some_and(|(output, _)| output.is_standard());
    let written = args.output.as_deref().zip(output.as_ref().map(|&(_, format)| format));
    if let Some((output, format)) = output {
        let contents = plan_file::contents(&file(), &describe(plan, args)?, format);
        output.write_bytes(&contents, || file().to_json())?;
    }
    if is_data || args.json {
        if spent && !plan.is_optimal() {
            output::note(verbosity, "the search ended at its budget; --budget sets a larger one");
        }
        return if is_data { Ok(()) } else { output::print(&file().to_json()) };
    }
    match written {
        Some(_) if verbosity.quiet && !args.table => Ok(()),
        _ => summarize(plan, written, spent, args, verbosity),
    }
}

/// Prints the summary of the plan, its transfers if they fit on a screen or are wanted, and what to do next.
fn summarize(
    plan: &Plan,
    file: Option<(&Path, PlanFormat)>,
    spent: bool,
    args: &PlanArgs,
    verbosity: Verbosity,
) -> anyhow::Result<()> {
    let (problem, schedule) = (plan.problem(), plan.schedule());
    let sheet = |is_listed| {
        let mut sheet = describe(plan, args)?;
        if let Some((path, _)) = file {
            sheet.line("written to", path.display().to_string());
        }
        if !verbosity.quiet {
            let spent = spent.then_some(args.budget);
            next::describe(&mut sheet, &Situation { file, verdict: plan.verdict(), spent, is_listed });
        }
        anyhow::Ok(sheet.to_text())
    };
    if args.table {
        return output::print(&(sheet(true)? + &step_table::full(&problem, schedule)));
    }
    let listed = sheet(true)?;
    let room = SCREEN.saturating_sub(listed.lines().count());
    match step_table::short(&problem, schedule, room).filter(|_| file.is_none()) {
        Some(steps) => output::print(&(listed + &steps)),
        None => output::print(&sheet(false)?),
    }
}

/// Prints the explanation for `--explain`: to standard error if standard output carries data.
fn explain(explanation: &Explanation, is_data: bool, args: &PlanArgs) -> anyhow::Result<()> {
    if !args.explain {
        return Ok(());
    }
    let text = format!("\n{}", explanation.to_text());
    if is_data {
        output::print_beside(&text);
        return Ok(());
    }
    output::print(&text)
}

/// Describes the plan, without its steps.
fn describe(plan: &Plan, args: &PlanArgs) -> anyhow::Result<Sheet> {
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &plan.problem());
    let steps = counted(plan.step_count() as usize, "step");
    sheet.line("schedule", format!("{steps}, {}", text::verdict(plan.verdict())));
    sheet.line("lower bound", text::bound(plan.lower_bound(), plan.topology()));
    sheet.line("transfers", text::transfers(plan.verification()));
    link_loads::describe(&mut sheet, plan.topology(), plan.schedule());
    if let Some(time) = text::time(plan.problem().collective(), plan.schedule(), args.cost)? {
        sheet.line("time", time);
    }
    let cut_short = match plan.cut_short() {
        Some(CutShort::Deadline) => ", stopped by the time limit",
        Some(CutShort::Interrupt) => ", interrupted",
        None => "",
    };
    sheet.line("found by", format!("{}, seed {}{cut_short}", plan.engine(), plan.seed()));
    Ok(sheet)
}

/// Writes or prints a schedule without its bound, and reports the withdrawn bound.
fn keep(
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
fn refuse(
    error: PlanError,
    engine: EngineChoice,
    checkpoint: Option<&mut CheckpointFile>,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let reason = match &error {
        PlanError::Impossible { .. } | PlanError::Refused { .. } => None,
        PlanError::NotFound(NotFound::Stopped { reason, .. }) => Some(*reason),
        PlanError::NotFound(NotFound::TooLong { .. }) => Some(StopReason::Evaluations),
        PlanError::NotFound(NotFound::Unsupported { .. }) if engine != EngineChoice::Auto => {
            bail!("{error}; use --engine auto")
        }
        _ => return Err(error.into()),
    };
    output::error(&error.into());
    if let (Some(reason), Some(checkpoint)) = (reason, checkpoint) {
        checkpoint.settle(reason == StopReason::Evaluations, verbosity);
    }
    Ok(ExitStatus::Negative)
}
