//! Fronts by evolution.

use anyhow::{Context, anyhow, ensure};
use lockstep::Budget;
use lockstep::design::{CheckpointError, DesignProblem, Front, checkpoint, resume};
use lockstep::pareto::{Evolution, EvolutionError, EvolutionOptions};

use super::front;
use super::machine::describe;
use crate::args::{FrontArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::output;
use crate::progress::{Checkpoint, GenerationBar};
use crate::signals::cancel_on_signal;
use crate::text::{Sheet, counted};

pub(super) fn run(problem: &DesignProblem<'_>, args: &FrontArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let (options, generations) = (args.evolution.options(), args.evolution.generations());
    say_what_is_in_vain(problem, verbosity);
    let mut file = Checkpoint::new(args.checkpoint.as_deref(), args.output.as_deref());
    let saved = file.as_mut().map(|file| file.read(verbosity)).transpose()?.flatten();
    let stop = Budget::unlimited();
    cancel_on_signal(&stop, "the evolution after this generation", verbosity)?;
    let mut evolution = match (saved, &file) {
        (Some(bytes), Some(file)) => {
            go_on(problem, options, generations, &bytes).with_context(|| file.path().display().to_string())?
        }
        _ => Evolution::new(problem, options).map_err(in_words)?,
    };

    let bar = GenerationBar::new(verbosity, generations);
    let is_stopped = || stop.stop_after(0).is_some();
    while evolution.generation() < generations && !is_stopped() {
        evolution.advance().map_err(in_words)?;
        bar.see(&evolution);
        if let Some(file) = file.as_mut().filter(|file| file.is_due()) {
            file.write(&checkpoint(problem, &evolution));
        }
    }
    bar.end();
    let is_finished = evolution.generation() >= generations;
    if !is_finished {
        output::note(verbosity, "interrupted; this is the front so far");
        if let Some(file) = &mut file {
            file.write(&checkpoint(problem, &evolution));
        }
    }
    let front = Front::of_evolution(problem, &evolution);
    front::deliver(&front, describe_search(problem, &evolution, is_finished), args, verbosity)?;
    if let Some(file) = &mut file {
        file.settle(is_finished, verbosity);
    }
    Ok(ExitStatus::Success)
}

/// The evolution that an interrupted run has saved.
fn go_on<'a>(
    problem: &'a DesignProblem<'a>,
    options: EvolutionOptions,
    generations: u64,
    bytes: &[u8],
) -> anyhow::Result<Evolution<'a, DesignProblem<'a>>> {
    let evolution = resume(problem, options, bytes).map_err(|error| match error {
        CheckpointError::File(_) => anyhow!("{error}; delete it, or choose another with --checkpoint"),
        error => error.into(),
    })?;
    let generation = evolution.generation();
    ensure!(
        generation <= generations,
        "the checkpoint is of generation {generation}; delete it, or ask for as many generations"
    );
    Ok(evolution)
}

/// Says where an option changes nothing.
fn say_what_is_in_vain(problem: &DesignProblem<'_>, verbosity: Verbosity) {
    let machine = problem.machine();
    if problem.rules().external == 0.0 {
        return;
    }
    if machine.cabinets() == 1 {
        output::note(verbosity, "--pext changes nothing: no cable leaves the only cabinet");
    } else if machine.chassis() == 1 {
        output::note(verbosity, "--pext changes nothing: every cable leaves a cabinet of one chassis");
    }
}

/// An error with the options that are its remedy.
fn in_words(error: EvolutionError) -> anyhow::Error {
    match error {
        EvolutionError::NoneFeasible => anyhow!(
            "no network turns up that is connected, keeps --odd and --ports, and has all scores; loosen them, or choose other objectives"
        ),
        error => error.into(),
    }
}

/// The machine, and how its front was found.
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
