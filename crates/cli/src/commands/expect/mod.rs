//! `lockstep expect`: what a collective should reach on a machine, beside what it reaches.

mod algorithms;
mod plot;
mod record;

use anyhow::{Context, ensure};
use lockstep::files::to_json_rows;
use lockstep::schedule::Picoseconds;
use lockstep::topology::{Quantity, Sizes};
use lockstep_measure::format::{ReadOptions, read};
use lockstep_measure::{Observed, ObservedRequest, Prediction, SweepPoint, SweepVerdict};

use self::algorithms::{Algorithms, RankedCollective};
pub(crate) use self::record::ExpectRecord;
use super::rivals::{Rival, RivalProblem};
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
    let of_ranks = RankedCollective { topology: &topology, members: &members, root, costs, name: args.collective };
    let problem = RivalProblem {
        spec: &args.spec,
        topology: &topology,
        members: &members,
        root: members[root],
        ports: args.of_ranks.ports,
        budget: args.budget,
        front: args.front.then_some(bounds),
    };
    let rival = problem.rival(args.collective)?;
    if rival.is_cut_short() {
        output::note(verbosity, "stopped early; better schedules may exist; --budget sets a longer time");
    }
    let algorithms = Algorithms::new(args, &of_ranks, &rival, verbosity)?;
    let expectation = Expectation { of_ranks, algorithms, rival, observed, sizes };
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

/// The times of a collective for several sizes.
struct Expectation<'a> {
    of_ranks: RankedCollective<'a>,
    algorithms: Option<Algorithms>,
    rival: Rival,
    observed: Option<Observed>,
    /// In ascending order, at least one.
    sizes: Vec<u64>,
}

impl Expectation<'_> {
    fn bound(&self, bytes: u64) -> Prediction {
        self.rival.bound(bytes)
    }

    /// Returns the name and the prediction of the fastest algorithm of the library.
    fn algorithm(&self, bytes: u64) -> Option<(&str, Prediction)> {
        self.algorithms.as_ref().and_then(|algorithms| algorithms.best(bytes))
    }

    fn plan(&self, bytes: u64) -> Option<Picoseconds> {
        self.rival.best(bytes)
    }

    fn measured_ps(&self, bytes: u64) -> Option<u128> {
        self.observed.as_ref().and_then(|observed| observed.time(bytes))
    }

    /// Returns the measured time beside its predictions.
    fn point(&self, bytes: u64) -> Option<SweepPoint> {
        let algorithm = self.algorithm(bytes).map(|(_, prediction)| prediction);
        Some(SweepPoint { bytes, bound: self.bound(bytes), algorithm, observed_ps: self.measured_ps(bytes)? })
    }

    /// Returns the verdict of all measured sizes.
    fn verdict(&self) -> Option<SweepVerdict> {
        let points: Vec<SweepPoint> = self.sizes.iter().filter_map(|&bytes| self.point(bytes)).collect();
        SweepVerdict::of(&points)
    }
}
