//! `lockstep expect`: what a collective should reach on a machine, beside what it reaches.

mod algorithms;
mod expectation;
mod plot;
mod record;

use anyhow::{Context, ensure};
use lockstep::files::to_json_rows;
use lockstep::topology::{Quantity, Sizes};
use lockstep_measure::format::{ReadOptions, read};
use lockstep_measure::{Observed, ObservedRequest};
use lockstep_tune::Ranks;

use self::algorithms::Algorithms;
use self::expectation::Expectation;
pub(crate) use self::record::ExpectRecord;
use super::rivals::RivalProblem;
use super::times;
use crate::args::{ExpectArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::text::path_name;
use crate::{input, output};

pub(crate) fn run(args: &ExpectArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    output::check_plot(args.output.as_deref())?;
    let mut files = CommandFiles::new();
    args.network.add_files(&args.spec, &mut files)?;
    args.rings.iter().try_for_each(|path| files.read("--rings", path))?;
    args.against.iter().try_for_each(|path| files.read("--against", path))?;
    let output = files.write_to("--output", args.output.as_deref())?;

    let topology = args.network.apply_to(args.network.read(&args.spec, verbosity)?, verbosity)?;
    let unit = times::unit(&topology, args.network.unit())?;
    ensure!(
        args.latency.is_none() || !topology.has_latencies(),
        "--latency: {} has latencies; remove the option",
        topology.name()
    );
    let topology = match args.latency {
        None if topology.has_latencies() || topology.unit_bytes_per_second().is_some() => topology,
        latency => topology.with_times(unit.get(), latency.unwrap_or(0))?,
    };
    let members = args.of_ranks.members(&topology)?;
    let root = args.of_ranks.root_rank(&topology, &members)?;
    let observed = observed(args, members.len(), verbosity)?;
    let sizes = sizes(args, observed.as_ref())?;
    let bounds = [sizes[0], sizes[sizes.len() - 1]];
    if !topology.has_latencies() {
        let text = "the network has no latencies: times of small sizes are too short; give --latency, or fit a network";
        output::note(verbosity, text);
    }
    let costs = args.of_ranks.costs(&topology);
    let ranks = Ranks { topology: &topology, members: &members, root, costs };
    let problem = RivalProblem { spec: &args.spec, ranks, best_plan: &args.best_plan, sizes: bounds };
    let rival = problem.rival(args.collective)?;
    rival.note(verbosity);
    let algorithms = Algorithms::new(args, &ranks, &rival, verbosity)?;
    let expectation = Expectation { ranks, collective: args.collective, algorithms, rival, observed, sizes };
    let record = ExpectRecord::new(&expectation, args.check);
    if let Some(output) = output {
        let is_page = args.output.as_deref().is_some_and(output::is_page);
        output.write(&if is_page { plot::page(&expectation) } else { plot::svg(&expectation) })?;
    }
    output::print(&if args.json { to_json_rows(&record, 2) } else { record.to_text(&topology) })?;
    Ok(if record.is_below_check() { ExitStatus::Negative } else { ExitStatus::Success })
}

/// Reads the measured sweep.
fn observed(args: &ExpectArgs, ranks: usize, verbosity: Verbosity) -> anyhow::Result<Option<Observed>> {
    let Some(path) = &args.against else { return Ok(None) };
    let text = input::text(path, "the output of a benchmark")?;
    let ranks = u32::try_from(ranks).unwrap_or(u32::MAX);
    let reading = read(&text, &ReadOptions { ranks: Some(ranks), ..ReadOptions::default() });
    let reading = reading.with_context(|| format!("--against: {}", input::name(path)))?;
    for note in &reading.notes {
        output::note(verbosity, &format!("{}: {note}", path_name(path)));
    }
    let request = ObservedRequest { collective: args.collective, ranks, number: args.run };
    let observed = Observed::of_runs(&reading.runs, &request);
    Ok(Some(observed.with_context(|| format!("--against: {}", input::name(path)))?))
}

/// Returns the sizes in ascending order: those of the option, those that were measured, or the default.
fn sizes(args: &ExpectArgs, observed: Option<&Observed>) -> anyhow::Result<Vec<u64>> {
    let measured = || observed.map(|observed| observed.times.iter().map(|&(bytes, _)| bytes).collect::<Vec<u64>>());
    let mut sizes = match &args.size {
        Some(sizes) => sizes.table(),
        None => measured().unwrap_or_else(|| Sizes::default().table()),
    };
    sizes.sort_unstable();
    sizes.dedup();
    if let Some(observed) = observed
        && !sizes.iter().any(|&bytes| observed.time(bytes).is_some())
    {
        let size = |place: usize| Quantity::Size.format(observed.times[place].0);
        let last = observed.times.len() - 1;
        anyhow::bail!(
            "--size: none of the sizes was measured; the file has {} to {}, and nothing is extrapolated",
            size(0),
            size(last)
        );
    }
    Ok(sizes)
}
