//! `lockstep render`: pictures of schedules.

use std::path::Path;

use anyhow::bail;

use super::plan_file;
use crate::args::{PictureFormat, RenderArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
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
    let Some(file) = saved.schedule() else {
        bail!("{}: symmetric schedules cannot be drawn; draw the plan of a small network", input::name(&args.file));
    };
    let (problem, schedule) = (file.problem(), file.schedule());
    if let Err(violation) = lockstep::verify(&problem, schedule) {
        output::note(verbosity, &format!("{}: the schedule is invalid: {violation}", input::name(&args.file)));
    }
    output.write(&plan_file::picture(&problem, schedule, format))?;
    Ok(ExitStatus::Success)
}
