//! `lockstep plan --islands`: the best plan of several searches.

use std::time::Instant;

use anyhow::bail;
use lockstep::{
    CutShort, Event, ISLANDS_KIND, IslandError, IslandEvent, IslandPlanner, PlanError, PlanOptions, Problem, Workers,
};

use super::outcome::{deliver, keep, refuse};
use crate::args::{PlanArgs, PlanFormat, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::exit_status::ExitStatus;
use crate::output::{self, Output};
use crate::plan_progress::PlanProgress;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::units::BudgetArg;

/// Plans with islands. The checkpoint file keeps the plans of the finished ones.
pub(super) fn run(
    problem: Problem<'_>,
    options: PlanOptions<'_>,
    files: (Option<(Output, PlanFormat)>, Option<CheckpointFile>),
    args: &PlanArgs,
    verbosity: Verbosity,
    workers: &dyn Workers,
) -> anyhow::Result<ExitStatus> {
    let (output, mut checkpoint) = files;
    let BudgetArg::Evaluations(evaluations) = args.budget else {
        bail!("--islands: the plan must not depend on the clock; give --budget as a number of evaluations per island");
    };
    let mut planner = IslandPlanner::new(problem, options, args.islands);
    if let Some(file) = &mut checkpoint
        && let Some(saved) = file.read(ISLANDS_KIND, verbosity)?
    {
        match planner.clone().from_checkpoint(evaluations, &saved) {
            Ok(resumed) => planner = resumed,
            Err(error) => file.start_again(&error, error.is_torn(), verbosity)?,
        }
    }
    let started = Instant::now();
    let budget = args.budget.begin();
    let progress = Progress::new(verbosity, &budget);
    let mut unfinished = Some(cancel_on_signal(&budget, "the search", &progress)?);
    let mut shown = PlanProgress::new(&progress, &budget);
    let result = planner.run(workers, &budget, |event| match event {
        IslandEvent::Planner(event) => {
            if matches!(event, Event::Tried { steps: Some(_), .. } | Event::Search(_)) {
                unfinished = None;
            }
            shown.see(&event);
        }
        IslandEvent::Finished { checkpoint: state, .. } => {
            unfinished = None;
            if let Some(file) = &mut checkpoint {
                file.write(&state.write());
            }
        }
        _ => {}
    });
    drop(unfinished);
    drop(progress);
    let is_interrupted = budget.stop_after(0).is_some();
    match result {
        Ok(plan) => {
            if is_interrupted && plan.cut_short() != Some(CutShort::Interrupt) {
                output::note(verbosity, "interrupted; this is the best plan of the finished islands");
            }
            let seconds = args.timing.then(|| started.elapsed().as_secs_f64());
            deliver(&plan, seconds, output, !is_interrupted && !plan.is_optimal(), args, verbosity)?;
            if let Some(file) = &mut checkpoint {
                file.settle(!is_interrupted, verbosity);
            }
            Ok(ExitStatus::Success)
        }
        Err(IslandError::Plan(PlanError::BoundWithdrawn(withdrawn))) => keep(&withdrawn, output, args),
        Err(IslandError::Plan(error)) => refuse(error, args, checkpoint.as_mut(), verbosity),
        Err(error) => Err(error.into()),
    }
}
