//! `lockstep faults lookup`: the plan for a fault set, from a recovery book.

use anyhow::{Context, bail};
use lockstep::{BookError, FaultOutcome, RecoveryBook};

use crate::args::LookupArgs;
use crate::commands::plan_file;
use crate::exit_status::ExitStatus;
use crate::text::{self, Sheet, counted};
use crate::{input, output};

pub(super) fn run(args: &LookupArgs) -> anyhow::Result<ExitStatus> {
    let name = || input::name(&args.book);
    let format = plan_file::format_of(args.output.as_deref(), args.format)?;
    if args.failures.is_empty() {
        bail!("expected --fail-link, --fail-channel or --fail-node");
    }
    let book = match RecoveryBook::read(&input::bytes(&args.book)?) {
        Err(error @ BookError::NoPlans) => bail!("{}: {error}; write a book with --book", name()),
        book => book.with_context(name)?,
    };
    let faults = args.failures.set().of(book.topology()).with_context(name)?;
    let Some(recovery) = book.look_up(&faults).with_context(name)? else {
        let what = faults.name(book.topology());
        output::error(&anyhow::anyhow!("{}: no plan for {what}; the book has plans for {}", name(), book.sets()));
        return Ok(ExitStatus::Negative);
    };
    let (outcome, plan) = (recovery.degradation.outcome, recovery.plan);
    let (Some(plan), FaultOutcome::Planned(planned)) = (plan, &outcome) else {
        if let FaultOutcome::Lost(loss) = &outcome {
            output::print(&format!("{}\n", text::printable(&loss.describe(book.topology()))))?;
        }
        return Ok(ExitStatus::Negative);
    };
    let problem = plan.schedule.problem();
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &problem);
    sheet.line("schedule", format!("{}, {}", counted(plan.steps as usize, "step"), plan.verdict));
    sheet.line("lower bound", text::bound(&plan.lower_bound, problem.topology()));
    if let Some(changes) = planned.changes {
        let words =
            [(changes.kept, "kept"), (changes.lost, "lost"), (changes.moved, "moved"), (changes.added, "added")];
        let words = words.map(|(count, what)| format!("{count} {what}"));
        sheet.line("transfers", words.join(", "));
    }
    sheet.line("found by", format!("{}, seed {}", plan.engine, plan.seed));
    if let Some(path) = &args.output {
        output::write(path, &plan_file::contents(&plan, &sheet, format))?;
    }
    match args.output.as_deref() {
        _ if args.json => output::print(&plan.to_json())?,
        Some(path) if input::is_standard(path) => {}
        Some(path) => {
            sheet.line("written to", path.display().to_string());
            output::print(&sheet.to_text())?;
        }
        None => {
            let steps = text::steps(&problem, plan.schedule.schedule(), text::MAX_LISTED);
            output::print(&(sheet.to_text() + &steps))?;
        }
    }
    Ok(ExitStatus::Success)
}
