//! Fronts by evolution.

use anyhow::{Context, ensure};
use lockstep::Budget;
use lockstep::design::{DesignProblem, Front, checkpoint, resume};
use lockstep::pareto::Evolution;

use super::{describe, front};
use crate::args::{FrontArgs, Talk};
use crate::commands::{Answer, stop_on_signal};
use crate::output;
use crate::progress::{Checkpoint, GenerationBar};
use crate::text::{Sheet, counted};

pub(super) fn run(problem: &DesignProblem<'_>, args: &FrontArgs, talk: Talk) -> anyhow::Result<Answer> {
    let (options, generations) = (args.evolution.options(), args.evolution.generations());
    say_what_is_in_vain(problem, talk);
    let mut file = Checkpoint::new(args.checkpoint.as_deref(), args.output.as_deref());
    let saved = file.as_mut().map(|file| file.read(talk)).transpose()?.flatten();
    let stop = Budget::unlimited();
    stop_on_signal(&stop, "the evolution after this generation", talk)?;
    let mut evolution = match (saved, &file) {
        (Some(bytes), Some(file)) => {
            let name = || file.path().display().to_string();
            let evolution = resume(problem, options, &bytes).with_context(name)?;
            let generation = evolution.generation();
            ensure!(
                generation <= generations,
                "{}: the checkpoint is of generation {generation}; delete it, or ask for as many generations or more",
                name()
            );
            evolution
        }
        _ => Evolution::new(problem, options)?,
    };

    let bar = GenerationBar::new(talk, generations);
    let is_stopped = || stop.stop_after(0).is_some();
    while evolution.generation() < generations && !is_stopped() {
        evolution.advance()?;
        bar.see(&evolution);
        if let Some(file) = file.as_mut().filter(|file| file.is_due()) {
            file.write(&checkpoint(problem, &evolution));
        }
    }
    bar.end();
    let is_finished = evolution.generation() >= generations;
    if !is_finished {
        output::note(talk, "interrupted; this is the front so far");
        if let Some(file) = &mut file {
            file.write(&checkpoint(problem, &evolution));
        }
    }
    let front = Front::of_evolution(problem, &evolution);
    front::deliver(&front, describe_search(problem, &evolution, is_finished), args, talk)?;
    if let Some(file) = &mut file {
        file.settle(is_finished, talk);
    }
    Ok(Answer::Yes)
}

/// Says where an option changes nothing.
fn say_what_is_in_vain(problem: &DesignProblem<'_>, talk: Talk) {
    let machine = problem.machine();
    if problem.rules().external == 0.0 {
        return;
    }
    if machine.cabinets() == 1 {
        output::note(talk, "--pext changes nothing: no cable leaves the only cabinet");
    } else if machine.chassis() == 1 {
        output::note(talk, "--pext changes nothing: every cable leaves a cabinet of one chassis");
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
