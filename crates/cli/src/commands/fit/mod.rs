//! `lockstep fit`: the bandwidths and latencies of a network from the outputs of benchmarks.

mod record;
mod sheet;

use lockstep::files::to_json_rows;
use lockstep::topology::Topology;

pub(super) use self::record::FitRecord;
use super::network_file::NetworkOutput;
use crate::args::{FitArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::measured_input::{self, FitRequest};
use crate::{output, problem_input, text};

pub(crate) fn run(args: &FitArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let mut files = CommandFiles::new();
    args.network.add_files(&args.spec, &mut files)?;
    args.files.iter().try_for_each(|path| files.read("a measurement", path))?;
    let output = NetworkOutput::open(args.output.as_deref(), None, &mut files)?;
    let topology: Topology = args.network.read(&args.spec, verbosity)?;
    let topology = args.network.apply_to(topology, verbosity)?;
    let ranks = args.group.as_deref().map(|list| problem_input::node_list(&topology, "--group", list)).transpose()?;
    let request =
        FitRequest { kind: args.kind.map(Into::into), ranks: ranks.unwrap_or_default(), rate_unit: args.rate_unit };
    let fit = measured_input::fit(&topology, &args.files, request)?;
    let below = args.check.map(|percent| fit.kinds.iter().map(|kind| kind.below(f64::from(percent) / 100.0)).sum());
    let mut is_data = false;
    let mut written_to = None;
    if let Some(output) = output {
        is_data = output.is_standard();
        written_to = (!is_data).then(|| args.output.as_deref().map(text::path_name)).flatten();
        output.write_fit(&fit)?;
    }
    let report = if args.json {
        to_json_rows(&FitRecord::new(&topology, &fit), 3)
    } else {
        let mut report = sheet::report(&topology, &fit);
        if let Some((percent, below)) = args.check.zip(below) {
            let links = if below == 1 { "link or transfer gives" } else { "links and transfers give" };
            report.line("check", format!("{below} {links} less than {percent} %"));
        }
        if let Some(file) = written_to {
            report.line("written to", file);
        }
        report.to_text() + &sheet::tables(&fit)
    };
    if is_data {
        output::print_beside(&report);
    } else {
        output::print(&report)?;
    }
    for note in &fit.notes {
        output::note(verbosity, note);
    }
    let is_good = below.is_none_or(|below: usize| below == 0);
    Ok(if is_good { ExitStatus::Success } else { ExitStatus::Negative })
}
