//! `lockstep plan`: a schedule and its distance from the lower bound.

mod local;
mod symmetric;

use std::time::Instant;

use anyhow::bail;
use lockstep::schedule::{NotFound, StopReason};
use lockstep::{CutShort, EngineChoice, Plan, PlanError, PlanOptions, Planner, WithdrawnBound};

use super::plan_file;
use crate::args::{PictureFormat, PlanArgs, PlanFormat, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::exit_status::ExitStatus;
use crate::explain::Explanation;
use crate::problem_input::ProblemInput;
use crate::progress::Watch;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::{input, output};

pub(crate) fn run(args: &PlanArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    if args.large.local {
        return local::run(args, verbosity);
    }
    if args.large.symmetric {
        return symmetric::run(args, verbosity);
    }
    let format = plan_file::format_of(args.output.as_deref(), args.format)?;
    let input = ProblemInput::new(&args.problem, verbosity)?;
    let problem = input.problem()?;
    let options = PlanOptions { engine: args.engine, steps: args.steps, ..PlanOptions::auto(args.seed) };
    let mut planner = Planner::new(problem, options);
    let checkpoint = CheckpointFile::new(args.checkpoint.as_deref(), args.output.as_deref());
    let mut checkpoint = checkpoint.filter(|_| options.engines.writes_checkpoints(args.engine));
    if let Some(checkpoint) = &mut checkpoint
        && let Some(saved) = checkpoint.read(verbosity)?
    {
        planner = planner.from_checkpoint(saved);
    }

    let started = Instant::now();
    let budget = args.budget.begin();
    cancel_on_signal(&budget, "the search", verbosity)?;
    let mut watch = Watch::new(verbosity, checkpoint.as_mut());
    let mut explanation = Explanation::default();
    let result = planner.run(&budget, |event| {
        watch.see(&event);
        explanation.see(&event);
    });
    watch.end();
    match result {
        Ok(plan) => {
            let seconds = args.timing.then(|| started.elapsed().as_secs_f64());
            deliver(&plan, seconds, format, args, verbosity)?;
            explain(&explanation, args)?;
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.settle(plan.cut_short() != Some(CutShort::Interrupt), verbosity);
            }
            Ok(ExitStatus::Success)
        }
        Err(PlanError::BoundWithdrawn(withdrawn)) => keep(&withdrawn, args),
        Err(error) => refuse(error, args.engine, checkpoint.as_mut(), verbosity),
    }
}

/// Writes and prints the plan, as the options say.
fn deliver(
    plan: &Plan,
    seconds: Option<f64>,
    format: PlanFormat,
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
    // A copy of the schedule, which may be large.
    let file = || plan.to_file(seconds);
    if let Some(path) = &args.output {
        output::write(path, &plan_file::contents(&file(), &describe(plan, args)?, format))?;
    }
    match args.output.as_deref() {
        Some(path) if input::is_standard(path) => Ok(()),
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

/// Prints the explanation for `--explain`. If standard output carries the plan as data, it goes to standard error.
fn explain(explanation: &Explanation, args: &PlanArgs) -> anyhow::Result<()> {
    if !args.explain {
        return Ok(());
    }
    let text = format!("\n{}", explanation.to_text());
    if args.json || args.output.as_deref().is_some_and(input::is_standard) {
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
fn keep(withdrawn: &WithdrawnBound, args: &PlanArgs) -> anyhow::Result<ExitStatus> {
    let file = &withdrawn.schedule;
    let (problem, schedule) = (file.problem(), file.schedule());
    match args.output.as_deref() {
        Some(path) => {
            let contents = match plan_file::format_of(Some(path), args.format)? {
                PlanFormat::Json => file.to_json().into_bytes(),
                PlanFormat::Binary => file.to_bytes(),
                PlanFormat::Text => text::steps(&problem, schedule, usize::MAX).into_bytes(),
                PlanFormat::Svg => plan_file::picture(&problem, schedule, PictureFormat::Svg).into_bytes(),
                PlanFormat::Html => plan_file::picture(&problem, schedule, PictureFormat::Html).into_bytes(),
            };
            output::write(path, &contents)?;
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
        PlanError::Checkpoint(_) => {
            let path = checkpoint.map(|checkpoint| checkpoint.path().display().to_string()).unwrap_or_default();
            bail!("{path}: {error}; delete the file, or use another one with --checkpoint");
        }
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
