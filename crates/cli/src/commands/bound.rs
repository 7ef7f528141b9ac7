//! `lockstep bound`: lower bounds on the number of steps.

use std::time::{Duration, Instant};

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
    let of_rules = with_time_for_a_check(&problem, &budget);
    let bounds = lockstep::bounds::all_within(&problem, &of_rules, |event| {
        best = best.max(event.steps.unwrap_or(0));
        progress.set_bound((best > 0).then(|| counted(best as usize, "step")));
        progress.set_done(event.done as u64, event.total as u64);
        progress.set_work(format!("{} of {}", event.done, counted(event.total, "rule")));
    });
    let found = bounds.len();
    let bounds = checked(bounds, &problem, &budget)?;
    let times = args.size.as_ref().map(|sizes| times_of(&problem, sizes, args, &budget)).transpose()?;
    drop(unfinished);
    drop(progress);
    if of_rules.interruption().is_some() || bounds.len() < found {
        output::note(verbosity, "stopped early; the bounds of some rules may be missing or lower than possible");
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

/// Returns the budget of the rules: it leaves time for the check of a certificate, which reads all messages.
fn with_time_for_a_check(problem: &Problem<'_>, budget: &Budget) -> Budget {
    const TIME_PER_MESSAGE: Duration = Duration::from_nanos(30);
    let Some(left) = budget.time_left() else { return budget.clone() };
    let check = TIME_PER_MESSAGE * u32::try_from(problem.messages().len()).unwrap_or(u32::MAX);
    budget.clone().within(left.saturating_sub(check))
}

/// Checks the certificates of the bounds, the best one first. Those that are not checked in time are left out: no check is
/// interrupted, so none begins that would be late if it took as long as the longest so far.
fn checked(mut bounds: Vec<LowerBound>, problem: &Problem<'_>, budget: &Budget) -> anyhow::Result<Vec<LowerBound>> {
    let mut longest = Duration::ZERO;
    for place in 0..bounds.len() {
        let is_late = budget.time_left().is_some_and(|left| left < longest) || budget.interruption().is_some();
        if place > 0 && is_late {
            bounds.truncate(place);
            break;
        }
        let begin = Instant::now();
        check(&bounds[place], problem)?;
        longest = longest.max(begin.elapsed());
    }
    Ok(bounds)
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

#[cfg(test)]
mod tests {
    use lockstep::{Collective, CommunicationModel, Topology};

    use super::*;

    #[test]
    fn the_best_bound_is_checked_even_if_the_time_is_over() {
        let torus: Topology = "torus:4x4".parse().unwrap();
        let exchange = Collective::all_to_all();
        let problem = Problem::new(&torus, &exchange, CommunicationModel::wormhole()).unwrap();
        let bounds = lockstep::bounds::all(&problem);
        assert!(bounds.len() > 1);
        let of = |bounds: &[LowerBound], budget| checked(bounds.to_vec(), &problem, &budget);
        assert_eq!(of(&bounds, Budget::unlimited()).unwrap(), bounds);
        assert_eq!(of(&bounds, Budget::seconds(0)).unwrap(), bounds[..1]);
        let wrong = LowerBound { steps: bounds[0].steps + 1, ..bounds[0].clone() };
        assert!(of(&[wrong], Budget::seconds(0)).is_err());
    }

    #[test]
    fn the_rules_leave_time_for_a_check_of_many_messages() {
        let torus: Topology = "torus:32x32".parse().unwrap();
        let exchange = Collective::all_to_all();
        let problem = Problem::new(&torus, &exchange, CommunicationModel::wormhole()).unwrap();
        let left = |budget: &Budget| with_time_for_a_check(&problem, budget).time_left();
        assert_eq!(left(&Budget::unlimited()), None);
        // A million messages take 30 ms.
        assert_eq!(left(&Budget::time(Duration::from_millis(20))), Some(Duration::ZERO));
        assert!(left(&Budget::seconds(3600)) > Some(Duration::from_mins(50)));
    }
}
