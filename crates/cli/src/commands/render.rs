//! `lockstep render`: pictures of schedules and of rings.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use lockstep::schedule::Schedule;
use lockstep::{PlanFile, Problem};
use lockstep_report::{PaperFigure, PaperLayout, comparison_html};

use super::{plan_file, ring_file};
use crate::args::{PaperArgs, PictureFormat, PlanFormat, RenderArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input::Saved;
use crate::output::{Output, extension};
use crate::standard_streams::is_standard;
use crate::text::path_name;
use crate::{input, output};

/// The view of schedules of any size.
const WITHOUT_LIMIT: &str = "write a timeline with lockstep export --to perfetto";

pub(crate) fn run(args: &RenderArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    let format = match (args.format, extension(path).as_str()) {
        (Some(format), _) => format,
        (None, "svg") => PictureFormat::Svg,
        (None, "html" | "htm") => PictureFormat::Html,
        (None, "pdf") => PictureFormat::Pdf,
        (None, _) if is_standard(path) => PictureFormat::Svg,
        _ => bail!("{}: unknown extension; choose svg, html or pdf with --format", path_name(path)),
    };
    match format {
        PictureFormat::Html if args.paper.is_given() => {
            bail!("--steps, --width and --pages apply to pictures for print; write an .svg or a .pdf file")
        }
        PictureFormat::Svg if args.paper.pages.is_some_and(|pages| pages > 1) => {
            bail!("an SVG file has one page; write a .pdf file, or leave out --pages")
        }
        PictureFormat::Svg | PictureFormat::Pdf if args.second.is_some() => {
            bail!("two schedules are drawn side by side on a page; write an .html file")
        }
        _ => {}
    }
    let mut files = CommandFiles::new();
    for file in std::iter::once(&args.file).chain(&args.second) {
        files.read("the schedule", file)?;
    }
    let output = files.write("--output", path)?;
    if let Some(second) = &args.second {
        let [first, second] = [page_of(&args.file, verbosity)?, page_of(second, verbosity)?];
        output.write(&comparison_html([(&first.0, &first.1), (&second.0, &second.1)]))?;
        return Ok(ExitStatus::Success);
    }
    let (saved, name) = (input::saved(&args.file)?, input::name(&args.file));
    if let (Saved::Rings(rings), PictureFormat::Svg | PictureFormat::Pdf, None) = (&saved, format, &args.paper.steps) {
        ensure!(args.paper.pages.is_none_or(|pages| pages == 1), "rings are drawn on one page; leave out --pages");
        let (figure, violation) = ring_file::picture(rings, args.paper.width).with_context(|| name.clone())?;
        if let Some(violation) = violation {
            output::note(verbosity, &format!("{name}: the rings are invalid: {violation}"));
        }
        write(output, &figure, (format, &name), verbosity)?;
        return Ok(ExitStatus::Success);
    }
    let saved = saved.in_steps().with_context(|| name.clone())?;
    let Some(file) = saved.schedule() else {
        bail!("{name}: symmetric schedules cannot be drawn; draw the plan of a small network");
    };
    let pictured = match format {
        PictureFormat::Html => PlanFormat::Html,
        PictureFormat::Svg => PlanFormat::Svg,
        PictureFormat::Pdf => PlanFormat::Pdf,
    };
    plan_file::refuse_large_picture(&file.problem(), pictured, args.output.as_deref(), WITHOUT_LIMIT)?;
    if let (Saved::Plan(plan), PictureFormat::Html) = (&saved, format) {
        output.write(&plan_page(plan, &name, verbosity))?;
        return Ok(ExitStatus::Success);
    }
    let (problem, schedule) = (file.problem(), file.schedule());
    if let Err(violation) = lockstep::verify(&problem, schedule) {
        output::note(verbosity, &format!("{name}: the schedule is invalid: {violation}"));
    }
    if format == PictureFormat::Pdf || args.paper.is_given() {
        let figure = figure(&problem, schedule, &args.paper, verbosity).with_context(|| name.clone())?;
        write(output, &figure, (format, &name), verbosity)?;
        return Ok(ExitStatus::Success);
    }
    let picture = plan_file::picture(&problem, schedule, format);
    output.write_bytes(&picture, || String::from_utf8_lossy(&picture).into_owned())?;
    Ok(ExitStatus::Success)
}

/// Writes a picture for print as SVG or PDF.
fn write(
    output: Output,
    figure: &PaperFigure,
    (format, name): (PictureFormat, &str),
    verbosity: Verbosity,
) -> anyhow::Result<()> {
    if format == PictureFormat::Svg {
        return output.write(&figure.to_svg());
    }
    if let Some(letter) = figure.missing_letter() {
        let what =
            format!("the standard fonts of PDF have no '{letter}' and show ? for it; an SVG file has all letters");
        output::note(verbosity, &format!("{name}: {what}"));
    }
    output.write_bytes(&figure.to_pdf(), || figure.to_svg())
}

/// Draws the chosen steps for print.
fn figure(
    problem: &Problem<'_>,
    schedule: &Schedule,
    args: &PaperArgs,
    verbosity: Verbosity,
) -> anyhow::Result<PaperFigure> {
    let count = schedule.step_count();
    let steps = args.steps.as_ref().map(|ranges| ranges.indexes(count)).transpose().map_err(anyhow::Error::msg)?;
    let all = steps.is_none();
    let figure = PaperFigure::new(
        problem,
        schedule,
        &PaperLayout {
            width_mm: args.width.unwrap_or(PaperLayout::A4.width_mm),
            pages: args.pages.map_or(1, usize::from),
            steps,
            ..PaperLayout::A4
        },
    )?;
    let drawn = figure.steps_drawn();
    if all && drawn < count {
        output::note(
            verbosity,
            &format!("the first {drawn} of {count} steps fit; choose others with --steps, or more pages with --pages"),
        );
    }
    Ok(figure)
}

/// Returns the name and the page of a file.
fn page_of(path: &Path, verbosity: Verbosity) -> anyhow::Result<(String, String)> {
    let (saved, name) = (input::saved_steps(path)?, input::name(path));
    let Some(file) = saved.schedule() else {
        bail!("{name}: symmetric schedules cannot be drawn; draw the plan of a small network");
    };
    let (problem, schedule) = (file.problem(), file.schedule());
    plan_file::refuse_large_picture(&problem, PlanFormat::Html, Some(path), WITHOUT_LIMIT)?;
    let page = if let Saved::Plan(plan) = &saved {
        plan_page(plan, &name, verbosity)
    } else {
        if let Err(violation) = lockstep::verify(&problem, schedule) {
            output::note(verbosity, &format!("{name}: the schedule is invalid: {violation}"));
        }
        let page = plan_file::picture(&problem, schedule, PictureFormat::Html);
        String::from_utf8_lossy(&page).into_owned()
    };
    Ok((name, page))
}

/// Writes the page of a plan. Checks its claims before, because the page repeats them.
fn plan_page(plan: &PlanFile, name: &str, verbosity: Verbosity) -> String {
    let facts = match plan.clone().check() {
        Ok(plan) => plan_file::plan_facts(&plan),
        Err(violation) => {
            output::note(verbosity, &format!("{name}: the plan is invalid: {violation}"));
            plan_file::refused_facts(&violation)
        }
    };
    plan_file::page(&plan.schedule.problem(), plan.schedule.schedule(), &facts)
}
