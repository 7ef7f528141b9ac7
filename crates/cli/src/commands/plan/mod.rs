//! `lockstep plan`: a schedule and its distance from the lower bound.

mod local;
mod symmetric;

use std::time::Instant;

use anyhow::bail;
use lockstep::schedule::{NotFound, StopReason};
use lockstep::{
    CHECKPOINT_KIND, CutShort, Ending, EngineChoice, Event, Plan, PlanError, PlanOptions, Planner, WithdrawnBound,
};

use super::plan_file;
use crate::args::{PictureFormat, PlanArgs, PlanFormat, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::explain::Explanation;
use crate::output::{self, Output};
use crate::problem_input::{self, ProblemInput};
use crate::progress::Watch;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::units::BudgetArg;

pub(crate) fn run(args: &PlanArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    if args.large.local {
        return local::run(args, verbosity);
    }
    let mut files = CommandFiles::new();
    problem_input::add_files(&args.problem, &mut files)?;
    let output = files.write_to("--output", args.output.as_deref())?;
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
    let mut unfinished = Some(cancel_on_signal(&budget, "the search", verbosity)?);
    let (mut explanation, mut ends_early) = (Explanation::default(), false);
    let fresh = Planner::new(problem, options);
    let planner = saved.into_iter().fold(fresh.clone(), Planner::from_checkpoint);
    let mut run = |planner: Planner<'_>, checkpoint: Option<&mut CheckpointFile>| {
        let mut watch = Watch::new(verbosity, checkpoint);
        let result = planner.run(&budget, |event| {
            watch.see(&event);
            explanation.see(&event);
            match event {
                Event::Tried { steps: Some(_), .. } | Event::Search(_) => unfinished = None,
                Event::Ended(ending) => ends_early |= ending == Ending::Budget(StopReason::Evaluations),
                _ => {}
            }
        });
        watch.end();
        result
    };
    let mut result = run(planner, checkpoint.as_mut());
    if let (Err(PlanError::Checkpoint(error)), Some(checkpoint)) = (&result, &mut checkpoint) {
        checkpoint.start_again(error, error.is_torn(), verbosity)?;
        result = run(fresh, Some(checkpoint));
    }
    drop(unfinished);
    match result {
        Ok(plan) => {
            let seconds = args.timing.then(|| started.elapsed().as_secs_f64());
            let is_data = args.json || output.as_ref().is_some_and(Output::is_standard);
            if ends_early && args.budget == BudgetArg::DEFAULT && !plan.is_optimal() {
                output::note(verbosity, "the search ended at the default budget; more: --budget 60s");
            }
            deliver(&plan, seconds, output.map(|output| (output, format)), args, verbosity)?;
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

/// Writes and prints the plan, as the options say.
fn deliver(
    plan: &Plan,
    seconds: Option<f64>,
    output: Option<(Output, PlanFormat)>,
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
    if let Some((output, format)) = output {
        let contents = plan_file::contents(&file(), &describe(plan, args)?, format);
        output.write_bytes(&contents, || file().to_json())?;
    }
    match args.output.as_deref() {
        _ if is_data => Ok(()),
        _ if args.json => output::print(&file().to_json()),
        Some(_) if verbosity.quiet => Ok(()),
        Some(path) => {
            let mut sheet = describe(plan, args)?;
            sheet.line("written to", path.display().to_string());
            output::print(&sheet.to_text())
        }
        None => {
            let steps = text::steps(&plan.problem(), plan.schedule(), text::MAX_LISTED);
            output::print(&(describe(plan, args)?.to_text() + &steps))
        }
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
    sheet.line("schedule", format!("{}, {}", counted(plan.step_count() as usize, "step"), plan.verdict()));
    sheet.line("lower bound", text::bound(plan.lower_bound(), plan.topology()));
    sheet.line("transfers", text::transfers(plan.verification()));
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
                PlanFormat::Text => text::steps(&problem, schedule, usize::MAX).into_bytes(),
                PlanFormat::Svg => plan_file::picture(&problem, schedule, PictureFormat::Svg).into_bytes(),
                PlanFormat::Html => plan_file::picture(&problem, schedule, PictureFormat::Html).into_bytes(),
            };
            output.write_bytes(&contents, || file.to_json())?;
        }
        None if args.json => output::print(&file.to_json())?,
        None => output::print(&text::steps(&problem, schedule, text::MAX_LISTED))?,
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
