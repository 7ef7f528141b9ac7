//! `lockstep plan`: a schedule and its distance from the lower bound.

mod islands;
pub(super) mod local;
mod next;
pub(super) mod outcome;
mod symmetric;

use std::time::Instant;

use anyhow::bail;
use lockstep::schedule::StopReason;
use lockstep::{CHECKPOINT_KIND, CutShort, Ending, Event, PlanError, PlanOptions, Planner, Workers};

use self::outcome::{deliver, keep, refuse};
use super::{plan_file, time_limit, times};
use crate::args::{PlanArgs, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::explain::Explanation;
use crate::output::{self, Output};
use crate::plan_progress::PlanProgress;
use crate::problem_input::{self, ProblemInput};
use crate::progress::Progress;
use crate::signals::{cancel_on_signal, exit_at_deadline};

pub(crate) fn run(args: &PlanArgs, verbosity: Verbosity, workers: &dyn Workers) -> anyhow::Result<ExitStatus> {
    if args.large.local {
        return local::run(args, verbosity);
    }
    args.cost.check_bytes()?;
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
    let options = options.without(&args.without);
    let has_islands = args.islands.get() > 1;
    if has_islands || options.engines.writes_checkpoints(args.engine) {
        checkpoint = CheckpointFile::new(args.checkpoint.as_deref(), output.as_ref(), &mut files)?;
    }
    let format = plan_file::format_of(args.output.as_deref(), args.format)?;
    let budget = args.budget.begin();
    let reading = exit_at_deadline(&budget, time_limit::too_short(args.budget), None);
    let input = ProblemInput::new(&args.problem, verbosity)?;
    let problem = input.problem()?;
    if output.is_some() {
        plan_file::refuse_large_picture(&problem, format, args.output.as_deref(), plan_file::WITHOUT_LIMIT)?;
    }
    args.cost.check(&input.topology)?;
    if args.size.is_some() {
        times::unit(&input.topology, args.problem.network.unit())?;
    }
    if !has_islands && workers.count() > 0 {
        output::note(verbosity, "one search runs in one process; --islands N divides N searches");
    }
    if has_islands {
        let files = (output.map(|output| (output, format)), checkpoint);
        return islands::run(problem, options, files, args, verbosity, workers);
    }
    let saved =
        checkpoint.as_mut().map(|checkpoint| checkpoint.read(CHECKPOINT_KIND, verbosity)).transpose()?.flatten();

    let started = Instant::now();
    let progress = Progress::new(verbosity, &budget);
    drop(reading);
    let late = exit_at_deadline(&budget, time_limit::too_short(args.budget), Some(progress.notes()));
    let mut unfinished = Some((late, cancel_on_signal(&budget, "the search", &progress)?));
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
        Err(error) => refuse(error, args, checkpoint.as_mut(), verbosity),
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
