//! `lockstep plan`: a schedule, and how good it is.

use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use lockstep::schedule::{NotFound, StopReason};
use lockstep::{CutShort, Engine, Plan, PlanError, PlanOptions, Planner};

use super::{Answer, extension, local, stop_on_signal, symmetric};
use crate::args::{PlanArgs, PlanFormat, Talk};
use crate::explain::Explanation;
use crate::model::Question;
use crate::progress::{Checkpoint, Watch};
use crate::text::{self, Sheet, counted};
use crate::{input, output};

pub(crate) fn run(args: &PlanArgs, talk: Talk) -> anyhow::Result<Answer> {
    if args.large.local {
        return local::run(args, talk);
    }
    if args.large.symmetric {
        return symmetric::run(args, talk);
    }
    let question = Question::new(&args.problem, talk)?;
    let problem = question.problem()?;
    let options = PlanOptions { engine: args.engine, steps: args.steps, seed: args.seed };
    let mut planner = Planner::new(problem, options);
    let checkpoint = Checkpoint::new(args.checkpoint.as_deref(), args.output.as_deref());
    let mut checkpoint = checkpoint.filter(|_| args.engine != Engine::Construct);
    if let Some(checkpoint) = &mut checkpoint
        && let Some(saved) = checkpoint.read(talk)?
    {
        planner = planner.from_checkpoint(saved);
    }

    let started = Instant::now();
    let budget = args.budget.begin();
    stop_on_signal(&budget, "the search", talk)?;
    let mut watch = Watch::new(talk, checkpoint.as_mut());
    let mut explanation = Explanation::default();
    let result = planner.run(&budget, |event| {
        watch.see(&event);
        explanation.see(&event);
    });
    watch.end();
    match result {
        Ok(plan) => {
            let seconds = args.timing.then(|| started.elapsed().as_secs_f64());
            deliver(&plan, seconds, args, talk)?;
            explain(&explanation, args)?;
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.settle(plan.cut_short() != Some(CutShort::Interrupt), talk);
            }
            Ok(Answer::Yes)
        }
        Err(error) => refuse(error, checkpoint.as_mut(), talk),
    }
}

/// Writes the plan wherever it is wanted.
fn deliver(plan: &Plan, seconds: Option<f64>, args: &PlanArgs, talk: Talk) -> anyhow::Result<()> {
    match plan.cut_short() {
        Some(CutShort::Interrupt) => output::note(talk, "interrupted; this is the best schedule so far"),
        Some(CutShort::Deadline) => output::note(
            talk,
            "the time was over, so the result depends on the clock: another run may find another schedule",
        ),
        None => {}
    }
    // A copy of the schedule, which may be large.
    let file = || plan.to_file(seconds);
    write(args, || file().to_json(), || file().to_bytes())?;
    match args.output.as_deref() {
        Some(path) if input::is_standard(path) => Ok(()),
        _ if args.json => output::print(&file().to_json()),
        Some(_) if talk.quiet => Ok(()),
        path => output::print(&describe(plan, path, args)?),
    }
}

/// Says how the plan came about, if that is wanted; beside the plan where that is data for programs.
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

/// Writes to the file that is wanted, if one is, in its format.
pub(super) fn write(
    args: &PlanArgs,
    json: impl FnOnce() -> String,
    binary: impl FnOnce() -> Vec<u8>,
) -> anyhow::Result<()> {
    write_file(args.output.as_deref(), args.format, json, binary)
}

/// Writes a plan to the file that is wanted, if one is, in the format that is wanted or that the extension says.
pub(super) fn write_file(
    path: Option<&Path>,
    format: Option<PlanFormat>,
    json: impl FnOnce() -> String,
    binary: impl FnOnce() -> Vec<u8>,
) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let by_extension = || match extension(path).as_str() {
        "lsb" | "bin" => PlanFormat::Binary,
        _ => PlanFormat::Json,
    };
    let bytes = match format.unwrap_or_else(by_extension) {
        PlanFormat::Json => json().into_bytes(),
        PlanFormat::Binary => binary(),
    };
    output::write(path, &bytes)
}

/// The plan for people; with its steps unless they are in a file.
fn describe(plan: &Plan, file: Option<&Path>, args: &PlanArgs) -> anyhow::Result<String> {
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &plan.problem());
    sheet.line("schedule", format!("{}, {}", counted(plan.step_count() as usize, "step"), plan.verdict()));
    sheet.line("lower bound", text::bound(plan.lower_bound(), plan.topology()));
    sheet.line("transfers", text::transfers(plan.verification()));
    if let Some(time) = text::time(plan.schedule(), args.cost)? {
        sheet.line("time", time);
    }
    let cut_short = match plan.cut_short() {
        Some(CutShort::Deadline) => ", cut short by the clock",
        Some(CutShort::Interrupt) => ", interrupted",
        None => "",
    };
    sheet.line("found by", format!("{}, seed {}{cut_short}", plan.engine(), plan.seed()));
    if let Some(file) = file {
        sheet.line("written to", file.display().to_string());
        return Ok(sheet.to_text());
    }
    Ok(sheet.to_text() + &text::steps(&plan.problem(), plan.schedule()))
}

/// Says why there is no plan: the answer is no, or the question is wrong.
fn refuse(error: PlanError, checkpoint: Option<&mut Checkpoint>, talk: Talk) -> anyhow::Result<Answer> {
    let reason = match &error {
        PlanError::Impossible { .. } | PlanError::Refused { .. } => None,
        PlanError::NotFound(NotFound::Stopped { reason, .. }) => Some(*reason),
        PlanError::NotFound(NotFound::TooLong { .. }) => Some(StopReason::Evaluations),
        PlanError::Checkpoint(_) => {
            let path = checkpoint.map(|checkpoint| checkpoint.path().display().to_string()).unwrap_or_default();
            bail!("{path}: {error}; delete it, or choose another with --checkpoint");
        }
        _ => return Err(error.into()),
    };
    output::error(&error.into());
    if let (Some(reason), Some(checkpoint)) = (reason, checkpoint) {
        checkpoint.settle(reason == StopReason::Evaluations, talk);
    }
    Ok(Answer::No)
}
