//! `lockstep time`: the time of a schedule on a network with bandwidths and latencies.

use anyhow::Context;
use lockstep::files::{message_line, to_json_rows};

use super::times;
use crate::args::TimeArgs;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::{input, output};

pub(crate) fn run(args: &TimeArgs) -> anyhow::Result<ExitStatus> {
    CommandFiles::new().read("the schedule", &args.file)?;
    let file = input::schedule(&args.file)?;
    if let Err(violation) = lockstep::verify(&file.problem(), file.schedule()) {
        output::print(&format!("invalid: {}\n", message_line(&violation.to_string())))?;
        return Ok(ExitStatus::Negative);
    }
    let unit = times::unit(file.topology(), args.unit).with_context(|| input::name(&args.file))?;
    let times = times::of_sizes(&file.problem(), file.schedule(), unit, &args.size);
    output::print(&if args.json { to_json_rows(&times, 1) } else { times::table(&times) })?;
    Ok(ExitStatus::Success)
}
