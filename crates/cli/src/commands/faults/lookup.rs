//! `lockstep faults lookup`: the plan for a fault set, from a recovery book.

use anyhow::{Context, bail, ensure};
use lockstep::files::message_line;
use lockstep::{BOOK_KIND, BookError, FaultOutcome, RecoveryBook};

use super::book_page;
use crate::args::{LookupArgs, PlanFormat};
use crate::command_files::CommandFiles;
use crate::commands::plan_file;
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::text::{self, Sheet};
use crate::{input, output, step_table};

/// Maximum number of transfers in a list.
const MAX_LISTED: usize = 1024;

pub(super) fn run(args: &LookupArgs) -> anyhow::Result<ExitStatus> {
    let name = || input::name(&args.book);
    let format = plan_file::format_of(args.output.as_deref(), args.format)?;
    if args.failures.is_empty() && format != PlanFormat::Html {
        bail!(
            "expected --fail-link, --fail-channel, --fail-node or --fail-nic, or the page of all faults: -o book.html"
        );
    }
    let mut files = CommandFiles::new();
    files.read("the book", &args.book)?;
    let output = files.write_to("--output", args.output.as_deref())?;
    let book = match input::sealed(&args.book, BOOK_KIND)?
        .map_err(BookError::from)
        .and_then(|bytes| RecoveryBook::read(&bytes))
    {
        Err(error @ BookError::NoPlans) => bail!("{}: {error}; write a book with --book", name()),
        book => book.with_context(name)?,
    };
    let remedy = if args.failures.is_empty() {
        "choose faults with --fail-link, and write their plan to a .json, .lsb or .txt file"
    } else {
        plan_file::WITHOUT_LIMIT
    };
    plan_file::refuse_large_picture(&book.before().schedule.problem(), format, args.output.as_deref(), remedy)?;
    if args.failures.is_empty() {
        ensure!(!args.json, "--json: a book has one plan per set of faults; choose a set with --fail-link");
        let page = book_page::html(&book).with_context(name)?;
        let Some(output) = output else { bail!("expected -o book.html, the page of all faults") };
        output.write(&page)?;
        return Ok(ExitStatus::Success);
    }
    let faults = args.failures.set().of(book.topology()).with_context(name)?;
    let Some(recovery) = book.look_up(&faults).with_context(name)? else {
        let what = faults.name(book.topology());
        output::error(&anyhow::anyhow!("{}: no plan for {what}; the book has plans for {}", name(), book.sets()));
        return Ok(ExitStatus::Negative);
    };
    let (outcome, plan) = (recovery.degradation.outcome, recovery.plan);
    let (Some(plan), FaultOutcome::Planned(planned)) = (plan, &outcome) else {
        if let FaultOutcome::Lost(loss) = &outcome {
            output::print(&format!("{}\n", message_line(&loss.describe(book.topology()))))?;
        }
        return Ok(ExitStatus::Negative);
    };
    let problem = plan.problem();
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, &problem);
    sheet.line("schedule", format!("{}, {}", text::steps_of_plan(&plan), plan.verdict()));
    sheet.line("lower bound", text::bound(plan.lower_bound(), plan.topology()));
    if let Some(changes) = planned.changes {
        let words =
            [(changes.kept, "kept"), (changes.lost, "lost"), (changes.moved, "moved"), (changes.added, "added")];
        let words = words.map(|(count, what)| format!("{count} {what}"));
        sheet.line("transfers", words.join(", "));
    }
    sheet.line("found by", format!("{}, seed {}", plan.engine(), plan.seed()));
    let is_data = output.as_ref().is_some_and(Output::is_standard);
    let json = || plan_file::file(&plan, None).to_json();
    if let Some(output) = output {
        output.write_bytes(&plan_file::contents(&plan, None, &sheet, format), json)?;
    }
    match args.output.as_deref() {
        _ if args.json => output::print(&json())?,
        _ if is_data => {}
        Some(path) => {
            sheet.line("written to", path.display().to_string());
            output::print(&sheet.to_text())?;
        }
        None => {
            let steps = step_table::at_most(&problem, plan.schedule(), MAX_LISTED);
            output::print(&(sheet.to_text() + &steps))?;
        }
    }
    Ok(ExitStatus::Success)
}
