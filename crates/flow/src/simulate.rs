//! Event-driven simulation of programs on a network.

use lockstep_schedule::Budget;
use lockstep_topology::{ChannelId, Topology};
use tracing::instrument;

use crate::error::{MAX_LISTED, SimulationError, Waiting};
use crate::event_queue::EventQueue;
use crate::matching::awaited_flows;
use crate::options::{Clock, RateModel, SimulationOptions};
use crate::programs::{Event, Programs, TaskId};
use crate::rates::{EqualShare, MaxMinProgress, Progress};
use crate::routed_flows::RoutedFlows;
use crate::simulation::{FlowSpan, FlowTimes, Link, LinkUse, Simulation, SimulationEvent};

/// Relative tolerance within which times are equal.
const TOLERANCE: f64 = 1e-12;

/// Marks a flow that no task waits for.
const NO_TASK: u32 = u32::MAX;

/// Simulates programs on a network and returns their times and link use.
///
/// Each task executes the events of its program in order. A send starts a flow without waiting, a receive waits for the
/// arrival of its flow, and a computation takes its time. Flows progress at the rates of [`SimulationOptions::rates`],
/// which change only when a flow starts or ends. A flow without links arrives at once. The result does not depend on the
/// number of threads.
///
/// A channel of capacity `b` carries `b` times [`SimulationOptions::capacity`]. If the network says what one unit of capacity
/// is, a unit of data is a byte, and the [time unit](time_unit_ps) follows. Then a flow arrives the latencies of its channels
/// after its last byte was sent.
///
/// Routing takes one search of O(nodes + channels) per sending terminal, and memory for all paths. With equal shares, each end
/// of a flow takes O(log n) per link of its path, and per flow whose bottleneck may change, for `n` flows per link. Each start
/// also examines the flows of its links. With max-min rates, a start or an end takes time proportional to the number of flows
/// on the links of all affected flows.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use lockstep_flow::{
///     Clock, DEFAULT_CAPACITY, Endpoints, RateModel, Routing, SimulationOptions, Workload, WorkloadOptions, simulate,
/// };
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:4x4".parse()?;
/// let workload = WorkloadOptions { tasks: 16, flows_per_task: 10, size: 100_000, seed: 1 };
/// let programs = Workload::Chained.programs(&workload)?;
/// let mut options = SimulationOptions {
///     tasks_per_terminal: NonZeroU32::MIN,
///     routing: Routing::SpTree,
///     rates: RateModel::EqualShare,
///     clock: Clock::Integer,
///     endpoints: Endpoints::Direct,
///     capacity: DEFAULT_CAPACITY,
///     outstanding: None,
///     startup: 0.0,
///     seed: 1,
/// };
/// let tree = simulate(&torus, &programs, &options)?;
/// options.routing = Routing::EcmpSplit;
/// let split = simulate(&torus, &programs, &options)?;
/// assert!(split.makespan < tree.makespan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns a [`SimulationError`] if the options or programs are invalid, do not fit the network, or deadlock.
///
/// # Source
///
/// The dynamic engine of `INRFlow`: Navaridas, Pascual, Erickson, Stewart and Luján, *`INRFlow`: an interconnection
/// networks research flow-level simulation framework*, JPDC 130, 2019. Routing, continuous time and max-min rates are
/// additions.
pub fn simulate(
    topology: &Topology,
    programs: &Programs,
    options: &SimulationOptions,
) -> Result<Simulation, SimulationError> {
    simulate_within(topology, programs, options, &Budget::unlimited(), |_| {})
}

/// Simulates as [`simulate`], within the time of a budget. Evaluations do not count. `observe` receives a report many times
/// per second.
///
/// # Errors
///
/// The same as for [`simulate`].
#[instrument(level = "debug", skip_all, fields(network = topology.name(), tasks = programs.task_count()))]
pub fn simulate_within(
    topology: &Topology,
    programs: &Programs,
    options: &SimulationOptions,
    budget: &Budget,
    mut observe: impl FnMut(SimulationEvent),
) -> Result<Simulation, SimulationError> {
    options.check()?;
    programs.check_events()?;
    let awaited = awaited_flows(programs)?;
    let routed = RoutedFlows::new(topology, programs, options)?;
    let time_unit_ps = time_unit_ps(topology, options);
    let mut is_over = |event| {
        observe(event);
        budget.interruption().is_some()
    };
    let End { time, flows, events, is_cut_short } = match options.rates {
        RateModel::EqualShare => {
            SimulationRun::<EqualShare>::new(programs, &awaited, &routed, options, time_unit_ps).finish(&mut is_over)?
        }
        RateModel::MaxMin => SimulationRun::<MaxMinProgress>::new(programs, &awaited, &routed, options, time_unit_ps)
            .finish(&mut is_over)?,
    };
    let busiest = if is_cut_short { None } else { busiest(topology, &routed, options.capacity * time) };
    Ok(Simulation { makespan: time, flow_times: FlowTimes::of(&flows), busiest, events, flows, is_cut_short })
}

/// Returns the picoseconds of a time unit, if the network says what one unit of capacity is: the time in which a channel of
/// capacity 1 carries [`SimulationOptions::capacity`] bytes.
pub fn time_unit_ps(topology: &Topology, options: &SimulationOptions) -> Option<f64> {
    Some(options.capacity * 1e12 / topology.unit_bytes_per_second()? as f64)
}

/// Returns the link that carried the most units for its capacity. `possible` is the number of units that a link of capacity 1
/// could have carried.
fn busiest(topology: &Topology, routed: &RoutedFlows, possible: f64) -> Option<LinkUse> {
    let loads = routed.loads();
    let share = |number: usize, units: f64| units / routed.link_capacity(number as u32);
    let busier = |best: (usize, f64), next: (usize, f64)| {
        if share(next.0, next.1) > share(best.0, best.1) { next } else { best }
    };
    let (number, units) = loads.into_iter().enumerate().reduce(busier)?;
    let possible = possible * routed.link_capacity(number as u32);
    let link = match (number.checked_sub(routed.resource_count), routed.access_count) {
        (None, _) => {
            let of_resource = |channel: &ChannelId| topology.resource(*channel).index() == number;
            Link::Channel(topology.channels().find(of_resource)?)
        }
        (Some(access), count) if access < count => Link::Injection(access as u32),
        (Some(access), count) => Link::Ejection((access - count) as u32),
    };
    (units > 0.0).then(|| LinkUse { link, units, share: (units / possible).min(1.0) })
}

/// Number of changes of the rates between two reports.
const CHANGES_PER_REPORT: u32 = 64;

/// The end of a simulation.
struct End {
    time: f64,
    flows: Vec<FlowSpan>,
    /// Number of subflows and computations that ended.
    events: u64,
    is_cut_short: bool,
}

/// The progress of a task in its program.
#[derive(Clone, Copy)]
struct TaskProgress {
    /// The next event.
    event: usize,
    /// The next flow that it sends.
    flow: u32,
    /// The next receive, in the order of tasks and events.
    receive: u32,
    /// Number of its active flows.
    outstanding: u32,
    /// True if it waits for one of its own flows to end.
    is_blocked: bool,
}

/// The state of a running simulation.
struct SimulationRun<'a, P> {
    programs: &'a Programs,
    /// The flow of each receive, in the order of tasks and events.
    awaited: &'a [u32],
    routed: &'a RoutedFlows,
    clock: Clock,
    most_outstanding: u32,
    startup: f64,
    /// Number of arrivals in the numbers of events.
    arrivals: u32,
    now: f64,
    tasks: Vec<TaskProgress>,
    /// Tasks that wait at a barrier.
    at_barrier: Vec<u32>,
    /// Tasks that can continue now.
    ready: Vec<u32>,
    spans: Vec<FlowSpan>,
    /// Number of subflows of each flow that have not arrived.
    missing: Vec<u32>,
    /// The task that waits for each flow.
    waiter: Vec<u32>,
    /// The ends of computations, numbered by task, the arrivals of subflows, and the ends of the start-up times of flows.
    queue: EventQueue,
    /// The active subflows.
    progress: P,
    /// Time units per picosecond; 0 if latencies do not count.
    units_per_ps: f64,
    started: Vec<u32>,
    ended: Vec<u32>,
    /// Number of flows that have arrived.
    arrived: usize,
    events: u64,
}

impl<'a, P: Progress> SimulationRun<'a, P> {
    fn new(
        programs: &'a Programs,
        awaited: &'a [u32],
        routed: &'a RoutedFlows,
        options: &SimulationOptions,
        time_unit_ps: Option<f64>,
    ) -> Self {
        let flows = routed.flow_count();
        let units_per_ps = time_unit_ps.filter(|_| routed.has_latencies()).map_or(0.0, f64::recip);
        let arrivals = if units_per_ps > 0.0 { routed.subflow_count() } else { 0 };
        let starts = if options.startup > 0.0 { flows } else { 0 };
        let (mut flow, mut receive) = (0, 0);
        let at_start = |events: &Vec<Event>| {
            let progress = TaskProgress { event: 0, flow, receive, outstanding: 0, is_blocked: false };
            flow += events.iter().filter(|event| matches!(event, Event::Send { .. })).count() as u32;
            receive += events.iter().filter(|event| matches!(event, Event::Receive { .. })).count() as u32;
            progress
        };
        Self {
            programs,
            awaited,
            routed,
            clock: options.clock,
            startup: options.startup,
            arrivals: arrivals as u32,
            most_outstanding: options.outstanding.map_or(u32::MAX, u32::from),
            now: 0.0,
            tasks: programs.tasks.iter().map(at_start).collect(),
            at_barrier: Vec::new(),
            ready: (0..programs.task_count() as u32).collect(),
            spans: vec![FlowSpan { start: 0.0, end: 0.0 }; flows],
            missing: (0..flows as u32).map(|flow| routed.subflows(flow).len() as u32).collect(),
            waiter: vec![NO_TASK; flows],
            queue: EventQueue::new(programs.task_count() + arrivals + starts),
            units_per_ps,
            progress: P::new(routed, options.capacity),
            started: Vec::new(),
            ended: Vec::new(),
            arrived: 0,
            events: 0,
        }
    }

    /// Runs to the end, or until `is_over` returns true.
    fn finish(mut self, is_over: &mut dyn FnMut(SimulationEvent) -> bool) -> Result<End, SimulationError> {
        let mut rounds = 0u32;
        loop {
            while let Some(task) = self.ready.pop() {
                self.continue_task(task);
            }
            if !self.started.is_empty() || !self.ended.is_empty() {
                self.started.sort_unstable();
                self.progress.update(self.routed, self.now, &self.ended, &self.started);
                self.started.clear();
                self.ended.clear();
            }
            let events = self.queue.first().map(|(time, _)| time).into_iter();
            let Some(next) = events.chain(self.progress.next_end()).min_by(f64::total_cmp) else { break };
            rounds = rounds.wrapping_add(1);
            if rounds.is_multiple_of(CHANGES_PER_REPORT) {
                let (arrived, flows) = (self.arrived, self.spans.len());
                if is_over(SimulationEvent { now: self.now, arrived, flows }) {
                    return Ok(self.cut_short());
                }
            }
            // Events within rounding of each other end together, so that rounding does not cause extra updates.
            let slack = next * TOLERANCE;
            let until = match self.clock {
                Clock::Real => {
                    self.now = next;
                    next + slack
                }
                Clock::Integer => {
                    self.now = (next - slack).ceil().max(self.now);
                    self.now + slack
                }
            };
            self.progress.take_ended(until, &mut self.ended);
            for place in 0..self.ended.len() {
                self.end(self.ended[place]);
            }
            while let Some((_, event)) = self.queue.first().filter(|&(time, _)| time <= until) {
                self.queue.remove_first();
                self.complete(event);
            }
        }
        self.check_finished()?;
        Ok(End { time: self.now, flows: self.spans, events: self.events, is_cut_short: false })
    }

    /// Returns the state of a simulation that was stopped, with the flows that have arrived.
    fn cut_short(self) -> End {
        let arrived = self.spans.iter().zip(&self.missing).filter(|&(_, &missing)| missing == 0);
        let flows = arrived.map(|(&span, _)| span).collect();
        End { time: self.now, flows, events: self.events, is_cut_short: true }
    }

    /// Executes the events of a task until it must wait.
    fn continue_task(&mut self, task: u32) {
        let events = &self.programs.tasks[task as usize];
        while let Some(event) = events.get(self.tasks[task as usize].event) {
            let progress = &mut self.tasks[task as usize];
            match *event {
                Event::Send { .. } => {
                    if progress.outstanding == self.most_outstanding {
                        progress.is_blocked = true;
                        return;
                    }
                    let flow = progress.flow;
                    progress.flow += 1;
                    progress.outstanding += 1;
                    progress.event += 1;
                    self.send(flow);
                }
                Event::Receive { .. } => {
                    let flow = self.awaited[progress.receive as usize];
                    if self.missing[flow as usize] > 0 {
                        self.waiter[flow as usize] = task;
                        return;
                    }
                    progress.receive += 1;
                    progress.event += 1;
                }
                Event::Barrier => {
                    self.at_barrier.push(task);
                    if self.at_barrier.len() < self.tasks.len() {
                        return;
                    }
                    for waiting in self.at_barrier.drain(..) {
                        self.tasks[waiting as usize].event += 1;
                        if waiting != task {
                            self.ready.push(waiting);
                        }
                    }
                }
                Event::Compute { time } => {
                    progress.event += 1;
                    if time > 0 {
                        self.queue.set(task, self.now + time as f64);
                        return;
                    }
                }
            }
        }
    }

    /// Starts a flow.
    fn send(&mut self, flow: u32) {
        self.spans[flow as usize].start = self.now;
        if self.startup > 0.0 {
            self.queue.set(self.tasks.len() as u32 + self.arrivals + flow, self.now + self.startup);
        } else {
            self.begin(flow);
        }
    }

    /// Begins to send a flow over its links.
    fn begin(&mut self, flow: u32) {
        for subflow in self.routed.subflows(flow) {
            if self.routed.links(subflow).is_empty() {
                self.arrive(subflow);
            } else {
                self.started.push(subflow);
            }
        }
    }

    /// Handles the end of a subflow.
    fn end(&mut self, subflow: u32) {
        let latency = self.routed.latency_ps(subflow) as f64 * self.units_per_ps;
        if latency > 0.0 {
            self.queue.set(self.tasks.len() as u32 + subflow, self.now + latency);
        } else {
            self.arrive(subflow);
        }
    }

    /// Handles the end of a computation or of a start-up time, or the arrival of a subflow.
    fn complete(&mut self, event: u32) {
        let tasks = self.tasks.len() as u32;
        if let Some(flow) = event.checked_sub(tasks + self.arrivals) {
            self.begin(flow);
        } else if let Some(arrived) = event.checked_sub(tasks) {
            self.arrive(arrived);
        } else {
            self.events += 1;
            self.ready.push(event);
        }
    }

    /// Handles the arrival of a subflow.
    fn arrive(&mut self, subflow: u32) {
        self.events += 1;
        let flow = self.routed.flow[subflow as usize] as usize;
        self.missing[flow] -= 1;
        if self.missing[flow] > 0 {
            return;
        }
        self.arrived += 1;
        self.spans[flow].end = self.now;
        let sender = self.routed.sender[flow];
        let progress = &mut self.tasks[sender as usize];
        progress.outstanding -= 1;
        if std::mem::take(&mut progress.is_blocked) {
            self.ready.push(sender);
        }
        let waiter = std::mem::replace(&mut self.waiter[flow], NO_TASK);
        if waiter != NO_TASK {
            self.ready.push(waiter);
        }
    }

    /// Verifies that no task is deadlocked.
    fn check_finished(&self) -> Result<(), SimulationError> {
        let tasks = self.tasks.iter().zip(&self.programs.tasks).enumerate();
        let waiting = tasks.filter_map(|(task, (progress, events))| match *events.get(progress.event)? {
            Event::Receive { from, tag } => {
                Some(Waiting { task: TaskId::from_index(task), event: progress.event, from, tag })
            }
            // Blocked tasks continue when their flows end, computations end, and a barrier waits for other tasks.
            Event::Send { .. } | Event::Compute { .. } | Event::Barrier => None,
        });
        let stuck = waiting.clone().count();
        if stuck == 0 {
            Ok(())
        } else {
            Err(SimulationError::Deadlock { stuck, waiting: waiting.take(MAX_LISTED).collect() })
        }
    }
}
