//! `lockstep design`: a front by evolution.

use anyhow::anyhow;
use lockstep::design::{CHECKPOINT_KIND, DesignProblem, Front, checkpoint, resume};
use lockstep::pareto::{EqualPoints, Evolution, EvolutionError, EvolutionOptions};
use lockstep::{Budget, GenerationError, Workers, advance_generation};

use super::front::{self, FrontOutputs};
use super::machine::describe;
use crate::args::{FrontArgs, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{Sheet, counted};

pub(super) fn run(
    problem: &DesignProblem<'_>,
    outputs: FrontOutputs,
    mut file: Option<CheckpointFile>,
    args: &FrontArgs,
    verbosity: Verbosity,
    workers: &dyn Workers,
) -> anyhow::Result<ExitStatus> {
    let (options, generations) = (args.evolution.options(), args.evolution.generations());
    note_ineffective_options(problem, verbosity);
    let mut resumed = None;
    if let Some(file) = &mut file
        && let Some(saved) = file.read(CHECKPOINT_KIND, verbosity)?
    {
        match resume_from(problem, options, generations, &saved) {
            Ok(evolution) => resumed = Some(evolution),
            Err((error, is_torn)) => file.start_again(error.as_ref(), is_torn, verbosity)?,
        }
    }
    let stop = Budget::unlimited();
    let progress = Progress::new(verbosity, &stop);
    progress.set_done(0, generations);
    let unfinished = cancel_on_signal(&stop, "the evolution after this generation", &progress)?;
    let mut evolution = match resumed {
        Some(evolution) => evolution,
        None => Evolution::new(problem, options).map_err(with_advice)?,
    };
    drop(unfinished);

    let is_stopped = || stop.stop_after(0).is_some();
    while evolution.generation() < generations && !is_stopped() {
        match advance_generation(workers, problem, &mut evolution) {
            Err(GenerationError::Evolution(error)) => return Err(with_advice(error)),
            advanced => advanced?,
        }
        show(&progress, &evolution, generations);
        if let Some(file) = file.as_mut().filter(|file| file.is_due()) {
            file.write(&checkpoint(problem, &evolution));
        }
    }
    drop(progress);
    let is_finished = evolution.generation() >= generations;
    if !is_finished {
        output::note(verbosity, "interrupted; this is the front found");
        if let Some(file) = &mut file {
            file.write(&checkpoint(problem, &evolution));
        }
    }
    let front = Front::of_evolution(problem, &evolution);
    front::deliver(&front, describe_search(problem, &evolution, is_finished), outputs, args, verbosity)?;
    if let Some(file) = &mut file {
        file.settle(is_finished, verbosity);
    }
    Ok(ExitStatus::Success)
}

/// Shows the state of an evolution.
fn show(progress: &Progress, evolution: &Evolution<'_, DesignProblem<'_>>, generations: u64) {
    let (generation, evaluations) = (evolution.generation(), evolution.evaluations());
    progress.set_done(generation, generations);
    progress.set_best(Some(counted(evolution.front(EqualPoints::Remove).count(), "design")));
    progress
        .set_work(format!("generation {generation} of {generations}, {}", counted(evaluations as usize, "evaluation")));
}

/// Restores the evolution that an interrupted run saved. An error tells whether the file is torn.
fn resume_from<'a>(
    problem: &'a DesignProblem<'a>,
    options: EvolutionOptions,
    generations: u64,
    bytes: &[u8],
) -> Result<Evolution<'a, DesignProblem<'a>>, (anyhow::Error, bool)> {
    let evolution = resume(problem, options, bytes).map_err(|error| {
        let is_torn = error.is_torn();
        (error.into(), is_torn)
    })?;
    let generation = evolution.generation();
    if generation > generations {
        return Err((
            anyhow!("the checkpoint is at generation {generation}, behind --generations {generations}"),
            false,
        ));
    }
    Ok(evolution)
}

/// Prints a note for each option without effect.
fn note_ineffective_options(problem: &DesignProblem<'_>, verbosity: Verbosity) {
    let machine = problem.machine();
    if problem.rules().external == 0.0 {
        return;
    }
    if machine.cabinets() == 1 {
        output::note(verbosity, "--pext has no effect: there is only one cabinet");
    } else if machine.chassis() == 1 {
        output::note(verbosity, "--pext has no effect: cabinets of one chassis have external cables only");
    }
}

/// Adds the options that remedy an error.
fn with_advice(error: EvolutionError) -> anyhow::Error {
    match error {
        EvolutionError::NoneFeasible => anyhow!(
            "found no connected network that satisfies --odd and --ports and has all scores; relax these options, or choose other objectives"
        ),
        error => error.into(),
    }
}

/// Describes the machine and the search.
fn describe_search(
    problem: &DesignProblem<'_>,
    evolution: &Evolution<'_, DesignProblem<'_>>,
    is_finished: bool,
) -> Sheet {
    let options = evolution.options();
    let generations = counted(evolution.generation() as usize, "generation");
    let population = counted(options.population, "network");
    let interrupted = if is_finished { "" } else { ", interrupted" };
    let mut sheet = Sheet::default();
    sheet.line("machine", describe(&problem.machine()));
    sheet.line(
        "found by",
        format!("{}, {generations} of {population}, seed {}{interrupted}", options.algorithm, options.seed),
    );
    sheet.line("evaluations", format!("{}, {} of them discarded", evolution.evaluations(), evolution.discarded()));
    sheet
}
