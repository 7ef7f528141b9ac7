//! `lockstep bound`: lower bounds on the number of steps.

use anyhow::Context;
use lockstep::files::to_json_rows;
use lockstep::{LowerBound, Problem};
use lockstep_report::Table;

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
    drop(unfinished);
    drop(progress);
    if budget.stop_after(0).is_some() {
        output::note(verbosity, "stopped early; the bounds of expensive rules may be missing or lower than possible");
    }
    for bound in &bounds {
        check(bound, &problem)?;
    }
    if args.json {
        output::print(&to_json_rows(&bounds, 1))?;
        return Ok(ExitStatus::Success);
    }
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &problem);
    let mut table = Table::new(["steps", "rule", "reason"]);
    for bound in &bounds {
        let reason = bound.certificate.explain(problem.topology()).to_string();
        table.push([bound.steps.to_string(), bound.rule.to_string(), reason]);
    }
    output::print(&format!("{}\n{}", sheet.to_text(), table.to_text()))?;
    Ok(ExitStatus::Success)
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
