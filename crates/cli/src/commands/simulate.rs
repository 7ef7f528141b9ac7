//! `lockstep simulate`: simulated run time of communication.

use std::borrow::Cow;
use std::num::NonZeroU32;

use anyhow::{Context, anyhow, ensure};
use lockstep::files::{to_json_line, to_json_rows};
use lockstep::flow::{
    Clock, Endpoints, FlowSpan, FlowTimes, Link, LinkUse, Programs, RateModel, Routing, Simulation, SimulationOptions,
    StepMode, WorkloadOptions, simulate_within, time_unit_ps,
};
use lockstep::topology::Quantity;
use lockstep::{Budget, Topology};
use lockstep_report::Table;
use serde::Serialize;

use crate::args::{SimulateArgs, TrafficArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input::Saved;
use crate::output::Output;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::{input, output};

pub(crate) fn run(args: &SimulateArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let remedy = "task programs are written as JSON; name the file .json";
    output::check_extension(args.write_programs.as_deref(), &["json"], remedy)?;
    let mut files = CommandFiles::new();
    args.spec.iter().try_for_each(|spec| args.network.add_files(spec, &mut files))?;
    args.traffic.schedule.iter().try_for_each(|path| files.read("--schedule", path))?;
    args.traffic.programs.iter().try_for_each(|path| files.read("--programs", path))?;
    let written = files.write_to("--write-programs", args.write_programs.as_deref())?;
    let is_data = written.as_ref().is_some_and(Output::is_standard);
    ensure!(
        !(is_data && args.json),
        "--write-programs: standard output cannot carry both programs and --json; give a file"
    );
    let sizes = args.traffic.size.table();
    ensure!(written.is_none() || sizes.len() == 1, "--write-programs: the programs of each size differ; give one size");
    let traffic = Traffic::read(args, verbosity)?;
    let options = args.options(&traffic.topology);
    let budget = Budget::unlimited();
    let progress = Progress::new(verbosity, &budget);
    let mut unfinished = Some(cancel_on_signal(&budget, "the simulation", &progress)?);
    let mut written = written;
    let mut results = Vec::new();
    for &size in &sizes {
        let programs = traffic.programs(args, size)?;
        if let Some(output) = written.take() {
            output.write(&programs.to_json())?;
        }
        let tasks = programs.task_count();
        if tasks > usize::from(u16::MAX) && results.is_empty() {
            let terminals = traffic.topology.terminal_count();
            output::note(verbosity, &format!("{} on {terminals} terminals", counted(tasks, "task")));
        }
        progress.set_work("routing the flows".to_owned());
        let simulation = simulate_within(&traffic.topology, &programs, &options, &budget, |event| {
            unfinished.take();
            progress.set_bound(Some(format!("{} time units", rounded(event.now))));
            progress.set_done(event.arrived as u64, event.flows as u64);
            progress.set_work(format!("{} of {}", event.arrived, counted(event.flows, "flow")));
        });
        let mut simulation = simulation.with_context(|| traffic.name.clone())?;
        let flow_count = simulation.flows.len();
        if !args.all {
            simulation.flows = Vec::new();
        }
        let routing = programs.needs_routing().then_some(options.routing);
        let size = args.traffic.programs.is_none().then_some(size);
        results.push(SimulationResult { traffic: &traffic, size, tasks, flow_count, routing, options, simulation });
        if results.last().is_some_and(|result| result.simulation.is_cut_short) {
            break;
        }
    }
    drop(unfinished);
    drop(progress);
    if results.last().is_some_and(|result| result.simulation.is_cut_short) {
        output::note(verbosity, "interrupted; the time is that of the flows that have arrived");
    }
    let text = match &results[..] {
        [result] if args.json => result.to_json(args.all),
        [result] => result.to_text(),
        results if args.json => results.iter().map(|result| result.to_json_line(args.all)).collect(),
        results => table(results),
    };
    if is_data {
        output::print_beside(&text);
    } else {
        output::print(&text)?;
    }
    Ok(ExitStatus::Success)
}

/// The network, and what runs on it.
struct Traffic {
    topology: Topology,
    /// Description of the programs.
    name: String,
    source: Source,
}

/// What the programs are made from.
enum Source {
    /// The transfers of a schedule.
    Schedule(Box<Saved>),
    /// The programs of a file.
    Programs(Programs),
    /// A workload.
    Workload,
}

impl Traffic {
    /// Reads the files of the command line.
    fn read(args: &SimulateArgs, verbosity: Verbosity) -> anyhow::Result<Self> {
        let traffic = &args.traffic;
        if let Some(path) = &traffic.schedule {
            let saved = input::saved_steps(path)?;
            let name = input::name(path);
            let file = saved.schedule().with_context(|| {
                format!("{name}: a symmetric schedule holds one source only; plan without --symmetric")
            })?;
            let topology = args.network.apply_to(file.topology().clone(), verbosity)?;
            let name = match traffic.steps {
                StepMode::Free => format!("the schedule of {name}"),
                StepMode::Synchronous => format!("the schedule of {name}, synchronous steps"),
            };
            return Ok(Self { topology, name, source: Source::Schedule(Box::new(saved)) });
        }
        let spec = args.spec.as_deref().ok_or_else(|| anyhow!("expected a network or --schedule"))?;
        let topology = args.network.apply_to(args.network.read(spec, verbosity)?, verbosity)?;
        if let Some(path) = &traffic.programs {
            let name = input::name(path);
            let text = input::text(path, "programs, as --write-programs writes them")?;
            let programs = Programs::from_json(&text).with_context(|| name.clone())?;
            return Ok(Self { topology, name, source: Source::Programs(programs) });
        }
        Ok(Self { topology, name: traffic.workload.to_string(), source: Source::Workload })
    }

    /// Returns the programs for flows or messages of a size.
    fn programs(&self, args: &SimulateArgs, size: u64) -> anyhow::Result<Cow<'_, Programs>> {
        let TrafficArgs { workload, steps, flows, tasks, seed, schedule, .. } = &args.traffic;
        match &self.source {
            Source::Programs(programs) => Ok(Cow::Borrowed(programs)),
            Source::Schedule(saved) => {
                let file = saved.schedule().context("the schedule was read")?;
                let programs = Programs::of_schedule(&file.problem(), file.schedule(), size, *steps);
                let name = || schedule.as_deref().map(input::name).unwrap_or_default();
                Ok(Cow::Owned(programs.with_context(name)?))
            }
            Source::Workload => {
                let tasks = u64::from(tasks.get()) * self.topology.terminal_count() as u64;
                let tasks = u32::try_from(tasks)
                    .ok()
                    .with_context(|| format!("--tasks: {tasks} tasks exceed the limit of 2^32 - 1; use fewer"))?;
                let options = WorkloadOptions { tasks, flows_per_task: *flows, size, seed: *seed };
                Ok(Cow::Owned(workload.programs(&options)?))
            }
        }
    }
}

/// The result of a simulation.
struct SimulationResult<'a> {
    traffic: &'a Traffic,
    /// The size of each flow or message; `None` for the programs of a file.
    size: Option<u64>,
    tasks: usize,
    flow_count: usize,
    /// `None` if each flow has a path of its own.
    routing: Option<Routing>,
    options: SimulationOptions,
    simulation: Simulation,
}

/// The result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SimulationRecord<'a> {
    network: &'a str,
    traffic: &'a str,
    /// The size of each flow or message, unless programs have flows of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    tasks: usize,
    flow_count: usize,
    options: UsedOptions,
    /// Picoseconds of a time unit, if the network has bandwidths.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_unit_ps: Option<f64>,
    makespan: f64,
    flow_times: Option<FlowTimes>,
    busiest: Option<LinkUse>,
    events: u64,
    /// Set if an interruption ended the simulation.
    #[serde(skip_serializing_if = "is_false")]
    cut_short: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<&'a [FlowSpan]>,
}

/// The options in the result: those of [`SimulationOptions`], with a routing only if it was used.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct UsedOptions {
    tasks_per_terminal: NonZeroU32,
    routing: Option<Routing>,
    rates: RateModel,
    clock: Clock,
    endpoints: Endpoints,
    capacity: f64,
    outstanding: Option<NonZeroU32>,
    startup: f64,
    seed: u64,
}

impl SimulationResult<'_> {
    fn used_options(&self) -> UsedOptions {
        let SimulationOptions {
            tasks_per_terminal, rates, clock, endpoints, capacity, outstanding, startup, seed, ..
        } = self.options;
        let routing = self.routing;
        UsedOptions { tasks_per_terminal, routing, rates, clock, endpoints, capacity, outstanding, startup, seed }
    }

    fn to_json(&self, all: bool) -> String {
        to_json_rows(&self.record(all), 2)
    }

    fn to_json_line(&self, all: bool) -> String {
        to_json_line(&self.record(all))
    }

    fn record(&self, all: bool) -> SimulationRecord<'_> {
        let Simulation { makespan, flow_times, busiest, events, flows, is_cut_short } = &self.simulation;
        SimulationRecord {
            network: self.traffic.topology.name(),
            traffic: &self.traffic.name,
            size: self.size,
            tasks: self.tasks,
            flow_count: self.flow_count,
            options: self.used_options(),
            time_unit_ps: time_unit_ps(&self.traffic.topology, &self.options),
            makespan: *makespan,
            flow_times: *flow_times,
            busiest: *busiest,
            events: *events,
            cut_short: *is_cut_short,
            flows: all.then_some(flows),
        }
    }

    fn to_text(&self) -> String {
        let mut sheet = self.sheet();
        let Simulation { makespan, flow_times, is_cut_short, .. } = &self.simulation;
        let unit = self.unit().map(|unit| format!(" of {unit}")).unwrap_or_default();
        let least = if *is_cut_short { "at least " } else { "" };
        sheet.line("time", format!("{least}{} time units{unit}", rounded(*makespan)));
        if let Some(FlowTimes { least, mean, median, greatest }) = flow_times {
            let [least, median, mean, greatest] = [*least, *median, *mean, *greatest].map(rounded);
            sheet.line("flow times", format!("{least} to {greatest}, median {median}, mean {mean}"));
        }
        if let Some(busiest) = self.busiest() {
            sheet.line("busiest link", busiest);
        }
        sheet.to_text()
    }

    /// Returns the lines that do not depend on the size.
    fn sheet(&self) -> Sheet {
        let SimulationOptions { rates, clock, endpoints, capacity, startup, .. } = self.options;
        let topology = &self.traffic.topology;
        let mut sheet = Sheet::default();
        sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
        let noun = if self.simulation.is_cut_short { "arrived flow" } else { "flow" };
        let counts = [counted(self.tasks, "task"), counted(self.flow_count, noun)].join(", ");
        sheet.line("traffic", format!("{}: {counts}", self.traffic.name));
        let startup = if startup > 0.0 { format!(", start-up {startup} time units") } else { String::new() };
        sheet.line(
            "links",
            format!("{rates}, {capacity} units per time unit, {clock} time, tasks connected: {endpoints}{startup}"),
        );
        let routing = self.routing.map_or("none: each flow has its own path".to_owned(), |routing| routing.to_string());
        sheet.line("routing", routing);
        sheet
    }

    /// Returns the time unit, if the network has bandwidths.
    fn unit(&self) -> Option<String> {
        let picoseconds = time_unit_ps(&self.traffic.topology, &self.options)?;
        Some(format!("{} us", rounded(picoseconds / 1e6)))
    }

    /// Describes the busiest link.
    fn busiest(&self) -> Option<String> {
        let LinkUse { link, units, share } = self.simulation.busiest?;
        let topology = &self.traffic.topology;
        let name = |terminal: u32| {
            let node = topology.terminals().get(terminal as usize);
            node.map_or_else(|| terminal.to_string(), |node| topology.node_name(*node).to_owned())
        };
        let link = match link {
            Link::Channel(channel) => {
                [topology.tail(channel), topology.head(channel)].map(|node| topology.node_name(node)).join("->")
            }
            Link::Injection(terminal) => format!("into the network at {}", name(terminal)),
            Link::Ejection(terminal) => format!("out of the network at {}", name(terminal)),
        };
        Some(format!("{link}: {} units, {:.1} % of the time", rounded(units), 100.0 * share))
    }
}

/// Returns the results for several sizes, a line for each. Times are in time units.
fn table(results: &[SimulationResult<'_>]) -> String {
    let Some(first) = results.first() else { return String::new() };
    let mut sheet = first.sheet();
    sheet.line("time unit", first.unit().unwrap_or_else(|| "that of --capacity".to_owned()));
    let mut table = Table::new(["size", "time", "least flow", "median", "mean", "greatest", "busiest link"]);
    for result in results {
        let Simulation { makespan, flow_times, is_cut_short, .. } = &result.simulation;
        let least = if *is_cut_short { "at least " } else { "" };
        let times = flow_times.map(|FlowTimes { least, median, mean, greatest }| [least, median, mean, greatest]);
        let [shortest, median, mean, longest] = times.map_or([const { String::new() }; 4], |times| times.map(rounded));
        table.push([
            result.size.map(|size| Quantity::Size.format(size)).unwrap_or_default(),
            format!("{least}{}", rounded(*makespan)),
            shortest,
            median,
            mean,
            longest,
            result.busiest().unwrap_or_default(),
        ]);
    }
    format!("{}\n{}", sheet.to_text(), table.to_text())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Rounds a number for people.
fn rounded(value: f64) -> String {
    if (value - value.round()).abs() < 5e-4 { format!("{value:.0}") } else { format!("{value:.3}") }
}
