//! `lockstep bound`: lower bounds on the number of steps.

use anyhow::Context;
use lockstep::files::to_json_rows;
use lockstep::schedule::Picoseconds;
use lockstep::topology::{Quantity, Sizes};
use lockstep::{Budget, LowerBound, Problem, Timing, time_bound};
use lockstep_report::Table;
use serde::Serialize;

use super::times;
use crate::args::{BoundArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::problem_input::{self, ProblemInput};
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};

pub(crate) fn run(args: &BoundArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    problem_input::add_files(&args.problem, &mut CommandFiles::new())?;
    let input = ProblemInput::new(&args.problem, verbosity)?;
    let problem = input.problem()?;
    if args.size.is_some() {
        times::unit(&input.topology, args.problem.network.unit())?;
    }
    let budget = args.budget.begin().without(&args.without);
    let progress = Progress::new(verbosity, &budget);
    progress.set_done(0, 1);
    let unfinished = cancel_on_signal(&budget, "the bounds", &progress)?;
    let mut best = 0;
    let bounds = lockstep::bounds::all_within(&problem, &budget, |event| {
        best = best.max(event.steps.unwrap_or(0));
        progress.set_bound((best > 0).then(|| counted(best as usize, "step")));
        progress.set_done(event.done as u64, event.total as u64);
        progress.set_work(format!("{} of {}", event.done, counted(event.total, "rule")));
    });
    let times = args.size.as_ref().map(|sizes| times_of(&problem, sizes, args, &budget)).transpose()?;
    drop(unfinished);
    drop(progress);
    if budget.stop_after(0).is_some() {
        output::note(verbosity, "stopped early; the bounds of expensive rules may be missing or lower than possible");
    }
    for bound in &bounds {
        check(bound, &problem)?;
    }
    if args.json {
        output::print(&match times {
            Some(times) => to_json_rows(&BoundTimes { bounds, times }, 2),
            None => to_json_rows(&bounds, 1),
        })?;
        return Ok(ExitStatus::Success);
    }
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &problem);
    let mut table = Table::new(["steps", "rule", "reason"]);
    for bound in &bounds {
        let reason = bound.certificate.explain(problem.topology()).to_string();
        table.push([bound.steps.to_string(), bound.rule.to_string(), reason]);
    }
    let times = times.map(|times| format!("\n{}", table_of(&times))).unwrap_or_default();
    output::print(&format!("{}\n{}{times}", sheet.to_text(), table.to_text()))?;
    Ok(ExitStatus::Success)
}

/// The bounds, and the least times of `--size`, as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BoundTimes {
    bounds: Vec<LowerBound>,
    times: Vec<LeastTime>,
}

/// The time that every schedule takes at least for one size, by both clocks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LeastTime {
    bytes: u64,
    synchronous_ps: u128,
    asynchronous_ps: u128,
}

/// Returns the least times for the sizes of `--size`.
fn times_of(problem: &Problem<'_>, sizes: &Sizes, args: &BoundArgs, budget: &Budget) -> anyhow::Result<Vec<LeastTime>> {
    let unit = times::unit(problem.topology(), args.problem.network.unit())?;
    let bound = time_bound(problem, unit, budget)?;
    let least = |bytes| LeastTime {
        bytes,
        synchronous_ps: bound.time(Timing::Synchronous, bytes).number(),
        asynchronous_ps: bound.time(Timing::Asynchronous, bytes).number(),
    };
    Ok(sizes.table().into_iter().map(least).collect())
}

fn table_of(times: &[LeastTime]) -> String {
    let mut table = Table::new(["size", "synchronous, at least", "asynchronous, at least"]);
    let text = |picoseconds| format!("{:.3}", Picoseconds::new(picoseconds));
    for time in times {
        let [synchronous, asynchronous] = [time.synchronous_ps, time.asynchronous_ps].map(text);
        table.push([Quantity::Size.format(time.bytes), synchronous, asynchronous]);
    }
    table.to_text()
}

/// Checks the certificate of a bound before it is printed.
pub(super) fn check(bound: &LowerBound, problem: &Problem<'_>) -> anyhow::Result<()> {
    bound.check(problem).with_context(|| {
        format!(
            "the certificate of the rule '{}' is refused; this is a bug, please report it with the network",
            bound.rule
        )
    })
}
