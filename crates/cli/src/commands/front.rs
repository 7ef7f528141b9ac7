//! `lockstep front`: the best schedule for every size, and a lower bound of its time.

use anyhow::{Context, ensure};
use lockstep::files::to_json_rows;
use lockstep::schedule::{NotFound, Picoseconds, StopReason};
use lockstep::{
    AlgorithmTimes, Budget, Front, FrontError, FrontEvent, FrontOptions, PlanError, Problem, Timing, Topology,
};
use lockstep_report::{PageLimits, Table};
use serde::Serialize;

use super::front_directory::FrontDirectory;
use super::front_page;
use super::size_ranges::{Range, ranges, size};
use super::time_limit;
use crate::args::{SizeFrontArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::problem_input::{self, ProblemInput};
use crate::progress::Progress;
use crate::signals::{cancel_on_signal, exit_at_deadline};
use crate::text::{self, Sheet, counted};

/// The latency of the channels of a network without latencies, unless another one is given: 1 us.
const DEFAULT_LATENCY_PS: u64 = 1_000_000;

pub(crate) fn run(args: &SizeFrontArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    ensure!(args.problem.model.chunks.get() == 1, "--chunks: a front chooses the chunks; limit them by --max-chunks");
    ensure!(args.problem.blocks.is_none(), "--blocks: a front chooses the blocks; remove the option");
    output::check_plot(args.plot.as_deref())?;
    let sizes = args.sizes.bounds();
    let mut files = CommandFiles::new();
    problem_input::add_files(&args.problem, &mut files)?;
    let plot = files.write_to("--plot", args.plot.as_deref())?;
    let open = |directory| FrontDirectory::open(directory, args.plot.as_deref(), &mut files);
    let directory = args.output.as_deref().map(open).transpose()?;
    let budget = args.budget.begin().without(&args.without);
    let reading = exit_at_deadline(&budget, time_limit::too_short_for_front(args.budget), None);
    let mut input = ProblemInput::new(&args.problem, verbosity)?;
    if let Some(timed) = with_times(&input.topology, args.latency, args.problem.network.unit(), verbosity)? {
        input.topology = timed;
    }
    let problem = input.problem()?;
    if directory.is_some()
        && let Some(reason) = PageLimits::BROWSER.refuse_network(problem.topology())
    {
        output::note(verbosity, &format!("the plans get no pages: {reason}"));
    }
    let options = FrontOptions {
        sizes,
        chunks: args.max_chunks,
        seed: args.seed,
        engine: args.engine,
        timing: if args.asynchronous { Timing::Asynchronous } else { Timing::Synchronous },
        ..FrontOptions::default()
    };
    let progress = Progress::new(verbosity, &budget);
    progress.set_work("lower bound".to_owned());
    drop(reading);
    let late = exit_at_deadline(&budget, time_limit::too_short_for_front(args.budget), Some(progress.notes()));
    let mut unfinished = Some((late, cancel_on_signal(&budget, "the front", &progress)?));
    let front = lockstep::front(&problem, &options, &budget, |event| {
        unfinished.take();
        show(&progress, event, sizes[1]);
    });
    drop(unfinished);
    drop(progress);
    let front = front.map_err(|error| match error {
        FrontError::Plan(PlanError::NotFound(NotFound::Unfinished { reason: StopReason::Deadline })) => {
            time_limit::too_short_for_front(args.budget)
        }
        FrontError::NoUnit { .. } => anyhow::Error::new(error).context("add --unit, such as --unit 25GB/s"),
        error => error.into(),
    })?;
    if front.is_cut_short {
        output::note(verbosity, "stopped early; more schedules can be on the front; --budget sets a longer time");
    }
    let rest = budget.for_first_result();
    let times = times(&front, sizes, &rest);
    if times.iter().any(|time| time.asynchronous_ps.is_none()) {
        output::note(verbosity, "the time limit ended the computation of the asynchronous times");
    }
    let algorithms = if args.algorithms { lockstep::algorithm_times(&problem, &rest)? } else { Vec::new() };
    if args.algorithms && rest.interruption().is_some() {
        output::note(verbosity, "the time limit ended the work on the algorithms; some of them may be missing");
    }
    if let Some(plot) = plot {
        let is_page = args.plot.as_deref().is_some_and(output::is_page);
        plot.write(&if is_page {
            front_page::html(&problem, &front, &algorithms, sizes, false)
        } else {
            super::front_plot::svg(&problem, &front, &algorithms, sizes)
        })?;
    }
    if let Some(directory) = directory {
        directory.write(&problem, &front, &algorithms, sizes)?;
    }
    output::print(&match args.json {
        true => to_json(&front, times, &algorithms, sizes),
        false if args.algorithms => {
            format!("{}\n{}", to_text(&problem, &front, &times), algorithms_to_text(&times, &algorithms))
        }
        false => to_text(&problem, &front, &times),
    })?;
    Ok(ExitStatus::Success)
}

/// Shows one more schedule: the bound and the best time of the largest size.
fn show(progress: &Progress, event: FrontEvent, largest: u64) {
    let FrontEvent { chunks, steps, width_sum, time, time_bound, done, total, .. } = event;
    let of_size = |time| format!("{time:.3} for {}", size(largest));
    progress.set_bound(Some(of_size(time_bound)));
    progress.set_best(time.map(of_size));
    progress.set_done(done as u64, total as u64);
    let [chunks, steps] = [(chunks, "chunk"), (steps, "step")].map(|(count, noun)| counted(count as usize, noun));
    progress.set_work(format!("{chunks} in {steps} of width {width_sum} together"));
}

/// Returns the network with the unit and the latency of the arguments, where it has none.
pub(super) fn with_times(
    topology: &Topology,
    latency: Option<u64>,
    unit: Option<u64>,
    verbosity: Verbosity,
) -> anyhow::Result<Option<Topology>> {
    let latency_ps = match latency {
        Some(_) if topology.has_latencies() => {
            anyhow::bail!("--latency: {} has latencies; remove the option", topology.name())
        }
        Some(latency) => latency,
        None if topology.has_latencies() => return Ok(None),
        None => DEFAULT_LATENCY_PS,
    };
    let unit = topology.unit_bytes_per_second().or(unit);
    let unit = unit.with_context(|| {
        format!(
            "{}: the network has no bandwidths; give that of one unit of capacity, such as --unit 25GB/s",
            topology.name()
        )
    })?;
    if latency.is_none() {
        output::note(verbosity, "latency: 1us for every channel; use --latency to choose another");
    }
    Ok(Some(topology.with_times(unit, latency_ps)?))
}

/// The time of one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Time {
    pub(super) bytes: u64,
    /// The number of the schedule, from 1.
    plan: usize,
    synchronous_ps: u128,
    /// Missing if the time limit ended its computation.
    #[serde(skip_serializing_if = "Option::is_none")]
    asynchronous_ps: Option<u128>,
    at_least_ps: u128,
    /// Of the compared time.
    #[serde(skip_serializing_if = "Option::is_none")]
    algbw_bytes_per_second: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    busbw_bytes_per_second: Option<u64>,
}

impl Time {
    fn new(front: &Front, bytes: u64, asynchronous: Option<Picoseconds>) -> Self {
        let place = front.best(bytes);
        let (plan, size) = (&front.plans[place], front.plans[place].size(bytes));
        let synchronous = plan.time(Timing::Synchronous, bytes);
        let compared = match front.timing {
            Timing::Synchronous => Some(synchronous),
            Timing::Asynchronous => asynchronous,
        };
        Self {
            bytes,
            plan: place + 1,
            synchronous_ps: synchronous.number(),
            asynchronous_ps: asynchronous.map(Picoseconds::number),
            at_least_ps: front.bound.time(front.timing, bytes).number(),
            algbw_bytes_per_second: compared.map(|time| size.algorithm_bandwidth(time)),
            busbw_bytes_per_second: compared.map(|time| size.bus_bandwidth(time)),
        }
    }
}

/// Returns the times of all sizes, as far as they are computed within the budget.
fn times(front: &Front, sizes: [u64; 2], budget: &Budget) -> Vec<Time> {
    let sizes: Vec<u64> = lockstep::sizes_between(sizes).collect();
    let asynchronous = front.times(Timing::Asynchronous, &sizes, budget);
    sizes.into_iter().zip(asynchronous).map(|(bytes, time)| Time::new(front, bytes, time)).collect()
}

/// Returns the times of the front and of all algorithms, one row per size.
fn algorithms_to_text(times: &[Time], algorithms: &[AlgorithmTimes]) -> String {
    if algorithms.is_empty() {
        return "no combining algorithm supports this problem\n".to_owned();
    }
    let names = algorithms.iter().map(|times| &times.name[..]);
    let mut table = Table::new(["size", "front"].into_iter().chain(names));
    for row in times {
        let times = algorithms.iter().map(|times| times.time(row.bytes));
        let times = [Picoseconds::new(row.synchronous_ps)].into_iter().chain(times);
        table.push([size(row.bytes)].into_iter().chain(times.map(|time| format!("{time:.3}"))));
    }
    table.to_text()
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FrontJson {
    compared: usize,
    cut_short: bool,
    least_steps: u32,
    least_latency_ps: u64,
    bound: Option<lockstep::LowerBound>,
    plans: Vec<Range>,
    times: Vec<Time>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    algorithms: Vec<AlgorithmTime>,
}

/// The time of an algorithm for one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AlgorithmTime {
    algorithm: String,
    bytes: u64,
    synchronous_ps: u128,
}

fn to_json(front: &Front, times: Vec<Time>, algorithms: &[AlgorithmTimes], sizes: [u64; 2]) -> String {
    let times_of = |times: &AlgorithmTimes, bytes| AlgorithmTime {
        algorithm: times.name.clone(),
        bytes,
        synchronous_ps: times.time(bytes).number(),
    };
    let of_algorithms =
        algorithms.iter().flat_map(|times| lockstep::sizes_between(sizes).map(|bytes| times_of(times, bytes)));
    let json = FrontJson {
        compared: front.compared,
        cut_short: front.is_cut_short,
        least_steps: front.bound.latency.steps,
        least_latency_ps: front.bound.latency.picoseconds,
        bound: front.bound.widths.clone(),
        plans: ranges(front, sizes),
        times,
        algorithms: of_algorithms.collect(),
    };
    to_json_rows(&json, 2)
}

fn to_text(problem: &Problem<'_>, front: &Front, times: &[Time]) -> String {
    let mut sheet = Sheet::default();
    text::describe(&mut sheet, problem);
    let latency = Picoseconds::new(front.bound.latency.picoseconds.into());
    let mut least = format!("{}, {latency}", text::counted(front.bound.latency.steps as usize, "step"));
    let [numerator, denominator] = front.bound.width_per_chunk(problem);
    if numerator > 0 {
        let rule = front.bound.widths.as_ref().map(|bound| format!(" ({})", bound.rule)).unwrap_or_default();
        let width = if denominator == 1 { numerator.to_string() } else { format!("{numerator}/{denominator}") };
        least = format!("{least}, width {width} per chunk{rule}");
    }
    sheet.line("at least", least);
    sheet.line("compared", text::counted(front.compared, "schedule"));
    let mut plans = Table::new(["plan", "from", "chunks", "steps", "width", "latency", "engine"]);
    for (place, plan) in front.plans.iter().enumerate() {
        plans.push([
            (place + 1).to_string(),
            size(plan.least_size),
            plan.file.collective().chunks().to_string(),
            plan.steps.to_string(),
            plan.cost.width_sum.to_string(),
            format!("{:.3}", Picoseconds::new(plan.cost.latency_ps)),
            plan.engine.clone(),
        ]);
    }
    let names = match front.timing {
        Timing::Synchronous => ["time", "at least", "asynchronous"],
        Timing::Asynchronous => ["asynchronous", "at least", "synchronous"],
    };
    let mut table = Table::new(["size", "plan"].into_iter().chain(names).chain(["algbw", "busbw"]));
    let time = |picoseconds| format!("{:.3}", Picoseconds::new(picoseconds));
    let optional = |text: Option<String>| text.unwrap_or_else(|| "not computed".to_owned());
    let bandwidth = |bytes: Option<u64>| optional(bytes.map(|bytes| format!("{:.3} GB/s", bytes as f64 / 1e9)));
    for row in times {
        let (synchronous, asynchronous) = (time(row.synchronous_ps), optional(row.asynchronous_ps.map(time)));
        let [compared, other] = match front.timing {
            Timing::Synchronous => [synchronous, asynchronous],
            Timing::Asynchronous => [asynchronous, synchronous],
        };
        table.push([
            size(row.bytes),
            row.plan.to_string(),
            compared,
            time(row.at_least_ps),
            other,
            bandwidth(row.algbw_bytes_per_second),
            bandwidth(row.busbw_bytes_per_second),
        ]);
    }
    format!("{}\n{}\n{}", sheet.to_text(), plans.to_text(), table.to_text())
}
