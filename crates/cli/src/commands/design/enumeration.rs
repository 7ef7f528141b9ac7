//! `lockstep design --exhaustive`: a front by enumeration of all networks.

use std::ops::ControlFlow;

use lockstep::Budget;
use lockstep::design::{DesignProblem, Front, enumerate_observed};

use super::front::{self, FrontOutputs};
use super::machine::describe;
use crate::args::{FrontArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::output;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{Sheet, counted};

pub(super) fn run(
    problem: &DesignProblem<'_>,
    links: u32,
    outputs: FrontOutputs,
    args: &FrontArgs,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let stop = Budget::unlimited();
    let progress = Progress::new(verbosity, &stop);
    progress.set_done(0, 1);
    let mut unfinished = Some(cancel_on_signal(&stop, "the enumeration", &progress)?);
    let enumeration = enumerate_observed(problem, links, |event| {
        unfinished.take_if(|_| event.done > 0);
        progress.set_done(event.done as u64, event.total as u64);
        progress.set_work(format!("{} of {} scored", event.done, counted(event.total, "network")));
        if stop.stop_after(0).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    drop(unfinished);
    drop(progress);
    let is_whole = enumeration.scored == enumeration.classes;
    if !is_whole {
        output::note(verbosity, "interrupted; this is the front of the networks scored so far");
    }
    let front = Front::of_enumeration(problem, &enumeration)?;
    let mut sheet = Sheet::default();
    sheet.line("machine", describe(&problem.machine()));
    sheet.line("choices", format!("{} ways to use {} slots per chassis", enumeration.choices, enumeration.links));
    sheet.line("networks", format!("{} up to isomorphism", enumeration.classes));
    let interrupted = if is_whole { String::new() } else { format!(", of {} scored, interrupted", enumeration.scored) };
    sheet.line("scored", format!("{} connected and allowed{interrupted}", enumeration.designs.len()));
    front::deliver(&front, sheet, outputs, args, verbosity)?;
    Ok(ExitStatus::Success)
}
