//! `lockstep simulate`: simulated run time of communication.

use std::num::NonZeroU32;

use anyhow::{Context, anyhow, ensure};
use lockstep::files::to_json_rows;
use lockstep::flow::{
    Clock, Endpoints, FlowSpan, FlowTimes, Link, LinkUse, Programs, RateModel, Routing, Simulation, SimulationOptions,
    StepMode, WorkloadOptions, simulate_within, time_unit_ps,
};
use lockstep::{Budget, Topology};
use serde::Serialize;

use crate::args::{SimulateArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output::Output;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::{input, output};

pub(crate) fn run(args: &SimulateArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let remedy = "task programs are written as JSON; name the file .json";
    output::check_extension(args.write_programs.as_deref(), &["json"], remedy)?;
    let mut files = CommandFiles::new();
    args.spec.iter().try_for_each(|spec| files.read_network(spec))?;
    args.traffic.schedule.iter().try_for_each(|path| files.read("--schedule", path))?;
    args.traffic.programs.iter().try_for_each(|path| files.read("--programs", path))?;
    let written = files.write_to("--write-programs", args.write_programs.as_deref())?;
    let is_data = written.as_ref().is_some_and(Output::is_standard);
    ensure!(
        !(is_data && args.json),
        "--write-programs: standard output cannot carry both programs and --json; give a file"
    );
    let (topology, programs, traffic) = traffic_of(args, verbosity)?;
    let options = args.options(&topology);
    if let Some(output) = written {
        output.write(&programs.to_json())?;
    }
    let tasks = programs.task_count();
    if tasks > usize::from(u16::MAX) {
        output::note(verbosity, &format!("{} on {} terminals", counted(tasks, "task"), topology.terminal_count()));
    }
    let budget = Budget::unlimited();
    let progress = Progress::new(verbosity, &budget);
    progress.set_work("routing the flows".to_owned());
    let mut unfinished = Some(cancel_on_signal(&budget, "the simulation", &progress)?);
    let simulation = simulate_within(&topology, &programs, &options, &budget, |event| {
        unfinished.take();
        progress.set_bound(Some(format!("{} time units", rounded(event.now))));
        progress.set_done(event.arrived as u64, event.flows as u64);
        progress.set_work(format!("{} of {}", event.arrived, counted(event.flows, "flow")));
    });
    drop(unfinished);
    drop(progress);
    let simulation = simulation.with_context(|| traffic.clone())?;
    if simulation.is_cut_short {
        output::note(verbosity, "interrupted; the time is that of the flows that have arrived");
    }
    let routing = programs.needs_routing().then_some(options.routing);
    let result = SimulationResult { topology: &topology, traffic, tasks, routing, options, simulation };
    let text = if args.json { result.to_json(args.all) } else { result.to_text() };
    if is_data {
        output::print_beside(&text);
    } else {
        output::print(&text)?;
    }
    Ok(ExitStatus::Success)
}

/// Returns the network, the programs that run on it, and a description of the programs.
fn traffic_of(args: &SimulateArgs, verbosity: Verbosity) -> anyhow::Result<(Topology, Programs, String)> {
    let traffic = &args.traffic;
    if let Some(path) = &traffic.schedule {
        let saved = input::saved(path)?;
        let name = input::name(path);
        let file = saved
            .schedule()
            .with_context(|| format!("{name}: a symmetric schedule holds one source only; plan without --symmetric"))?;
        let topology = args.network.apply_to(file.topology().clone(), verbosity)?;
        let programs = Programs::of_schedule(&file.problem(), file.schedule(), traffic.size, traffic.steps);
        return Ok((
            topology,
            programs.with_context(|| name.clone())?,
            match traffic.steps {
                StepMode::Free => format!("the schedule of {name}"),
                StepMode::Synchronous => format!("the schedule of {name}, synchronous steps"),
            },
        ));
    }
    let spec = args.spec.as_deref().ok_or_else(|| anyhow!("expected a network or --schedule"))?;
    let topology = args.network.apply_to(args.network.read(spec, verbosity)?, verbosity)?;
    if let Some(path) = &traffic.programs {
        let name = input::name(path);
        return Ok((
            topology,
            Programs::from_json(&input::text(path, "programs, as --write-programs writes them")?)
                .with_context(|| name.clone())?,
            name,
        ));
    }
    let tasks = u64::from(traffic.tasks.get()) * topology.terminal_count() as u64;
    let tasks = u32::try_from(tasks)
        .ok()
        .with_context(|| format!("--tasks: {tasks} tasks exceed the limit of 2^32 - 1; use fewer"))?;
    let size = WorkloadOptions { tasks, flows_per_task: traffic.flows, size: traffic.size, seed: traffic.seed };
    Ok((topology, traffic.workload.programs(&size)?, traffic.workload.to_string()))
}

/// The result of a simulation.
struct SimulationResult<'a> {
    topology: &'a Topology,
    /// Description of the traffic.
    traffic: String,
    tasks: usize,
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
        let Simulation { makespan, flow_times, busiest, events, flows, is_cut_short } = &self.simulation;
        let record = SimulationRecord {
            network: self.topology.name(),
            traffic: &self.traffic,
            tasks: self.tasks,
            flow_count: flows.len(),
            options: self.used_options(),
            time_unit_ps: time_unit_ps(self.topology, &self.options),
            makespan: *makespan,
            flow_times: *flow_times,
            busiest: *busiest,
            events: *events,
            cut_short: *is_cut_short,
            flows: all.then_some(flows),
        };
        to_json_rows(&record, 2)
    }

    fn to_text(&self) -> String {
        let Simulation { makespan, flow_times, busiest, flows, is_cut_short, .. } = &self.simulation;
        let SimulationOptions { rates, clock, endpoints, capacity, startup, .. } = self.options;
        let mut sheet = Sheet::default();
        sheet.line("network", format!("{}: {}", self.topology.name(), text::size(self.topology)));
        let noun = if *is_cut_short { "arrived flow" } else { "flow" };
        let counts = [counted(self.tasks, "task"), counted(flows.len(), noun)].join(", ");
        sheet.line("traffic", format!("{}: {counts}", self.traffic));
        let startup = if startup > 0.0 { format!(", start-up {startup} time units") } else { String::new() };
        sheet.line(
            "links",
            format!("{rates}, {capacity} units per time unit, {clock} time, tasks connected: {endpoints}{startup}"),
        );
        let routing = self.routing.map_or("none: each flow has its own path".to_owned(), |routing| routing.to_string());
        sheet.line("routing", routing);
        let unit = time_unit_ps(self.topology, &self.options);
        let unit = unit.map(|picoseconds| format!(" of {} us", rounded(picoseconds / 1e6))).unwrap_or_default();
        let least = if *is_cut_short { "at least " } else { "" };
        sheet.line("time", format!("{least}{} time units{unit}", rounded(*makespan)));
        if let Some(FlowTimes { least, mean, median, greatest }) = flow_times {
            let [least, median, mean, greatest] = [*least, *median, *mean, *greatest].map(rounded);
            sheet.line("flow times", format!("{least} to {greatest}, median {median}, mean {mean}"));
        }
        if let Some(LinkUse { link, units, share }) = busiest {
            let name = |terminal: u32| {
                let node = self.topology.terminals().get(terminal as usize);
                node.map_or_else(|| terminal.to_string(), |node| self.topology.node_name(*node).to_owned())
            };
            let link = match link {
                Link::Channel(channel) => {
                    let ends = [self.topology.tail(*channel), self.topology.head(*channel)];
                    ends.map(|node| self.topology.node_name(node)).join("->")
                }
                Link::Injection(terminal) => format!("into the network at {}", name(*terminal)),
                Link::Ejection(terminal) => format!("out of the network at {}", name(*terminal)),
            };
            sheet
                .line("busiest link", format!("{link}: {} units, {:.1} % of the time", rounded(*units), 100.0 * share));
        }
        sheet.to_text()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Rounds a number for people.
fn rounded(value: f64) -> String {
    if (value - value.round()).abs() < 5e-4 { format!("{value:.0}") } else { format!("{value:.3}") }
}
