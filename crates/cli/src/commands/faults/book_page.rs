//! The page of a recovery book: the plan of the network, and a plan for each set of faults.

use anyhow::Context;
use lockstep::{Consequence, FaultOutcome, Plan, PlanFigures, RecoveryBook, Topology};
use lockstep_report::{FaultEntry, PageLimits, PlanFacts, ScheduleVerdict, recovery_html};

use crate::commands::plan_file;
use crate::text::counted;

/// The faults of a row, its figures, and its network and plan.
struct Row {
    name: String,
    network: Topology,
    outcome: FaultOutcome,
    plan: Option<Plan>,
}

/// Writes the page of a book.
pub(super) fn html(book: &RecoveryBook) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for faults in book.faults() {
        // Checks that the network has the faults, before their names.
        let network = faults.apply_to(book.topology())?;
        let Some(Consequence { degradation, plan }) = book.look_up(faults)? else { continue };
        rows.push(Row { name: faults.name(book.topology()), network, outcome: degradation.outcome, plan });
    }
    let before = book.before().clone().check().context("the plan without faults")?;
    let entries: Vec<FaultEntry<'_>> = rows.iter().map(|row| entry(row, before.step_count())).collect();
    let (problem, schedule) = (before.problem(), before.schedule());
    let facts = plan_file::with_command(plan_file::plan_facts(&before));
    Ok(recovery_html(&problem, schedule, &facts, &entries, &PageLimits::BROWSER))
}

fn entry(row: &Row, before: u32) -> FaultEntry<'_> {
    let (summary, facts) = match (&row.outcome, &row.plan) {
        (FaultOutcome::Planned(figures), plan) => {
            (summary(figures, before), plan.as_ref().map(|plan| facts(figures, plan)).unwrap_or_default())
        }
        (FaultOutcome::Lost(loss), _) => {
            let bound = format!("{}.", loss.describe(&row.network));
            let facts = PlanFacts { verdict: ScheduleVerdict::Impossible, bound, details: Vec::new() };
            ("impossible".to_owned(), facts)
        }
    };
    let plan = row.plan.as_ref().map(|plan| (plan.problem(), plan.schedule()));
    FaultEntry { name: row.name.clone(), summary, facts, network: &row.network, plan }
}

/// Returns the steps after faults, and the difference from those before.
fn summary(figures: &PlanFigures, before: u32) -> String {
    let steps = counted(figures.steps as usize, "step");
    match figures.steps.checked_sub(before) {
        Some(0) => format!("{steps}, as before"),
        Some(more) => format!("{steps}, {more} more"),
        None => format!("{steps}, {} fewer", before - figures.steps),
    }
}

fn facts(figures: &PlanFigures, plan: &Plan) -> PlanFacts {
    let mut facts = plan_file::plan_facts(plan);
    if let Some(changes) = figures.changes {
        let words =
            [(changes.kept, "kept"), (changes.lost, "lost"), (changes.moved, "moved"), (changes.added, "added")];
        let words = words.map(|(count, what)| format!("{count} {what}")).join(", ");
        facts.details.push(["Transfers of the plan before".to_owned(), words]);
    }
    facts
}
