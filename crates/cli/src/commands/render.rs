//! `lockstep render`: pictures of schedules.

use std::path::Path;

use anyhow::bail;
use lockstep::PlanFile;

use super::plan_file;
use crate::args::{PictureFormat, RenderArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input::Saved;
use crate::output::extension;
use crate::standard_streams::is_standard;
use crate::{input, output};

pub(crate) fn run(args: &RenderArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    let format = match (args.format, extension(path).as_str()) {
        (Some(format), _) => format,
        (None, "svg") => PictureFormat::Svg,
        (None, "html" | "htm") => PictureFormat::Html,
        (None, _) if is_standard(path) => PictureFormat::Svg,
        _ => bail!("{}: unknown extension; choose svg or html with --format", path.display()),
    };
    let mut files = CommandFiles::new();
    files.read("the schedule", &args.file)?;
    let output = files.write("--output", path)?;
    let saved = input::saved(&args.file)?;
    let name = input::name(&args.file);
    let Some(file) = saved.schedule() else {
        bail!("{name}: symmetric schedules cannot be drawn; draw the plan of a small network");
    };
    if let (Saved::Plan(plan), PictureFormat::Html) = (&saved, format) {
        output.write(&plan_page(plan, &name, verbosity))?;
        return Ok(ExitStatus::Success);
    }
    let (problem, schedule) = (file.problem(), file.schedule());
    if let Err(violation) = lockstep::verify(&problem, schedule) {
        output::note(verbosity, &format!("{name}: the schedule is invalid: {violation}"));
    }
    output.write(&plan_file::picture(&problem, schedule, format))?;
    Ok(ExitStatus::Success)
}

/// Writes the page of a plan. Checks its claims before, because the page repeats them.
fn plan_page(plan: &PlanFile, name: &str, verbosity: Verbosity) -> String {
    let facts = match plan.clone().check() {
        Ok(_) => plan_file::plan_facts(plan),
        Err(violation) => {
            output::note(verbosity, &format!("{name}: the plan is invalid: {violation}"));
            plan_file::refused_facts(&violation)
        }
    };
    plan_file::page(&plan.schedule.problem(), plan.schedule.schedule(), &facts)
}
