//! The run of programs on a network, from one end of a flow or computation to the next.

use lockstep_topology::{ChannelId, Topology};
use tracing::instrument;

use crate::calendar::Calendar;
use crate::error::{NAMED, SimulationError, Waiting};
use crate::matching::awaited_flows;
use crate::options::{Clock, RateModel, SimulationOptions};
use crate::programs::{Event, Programs, TaskId};
use crate::rates::{EqualShare, MaxMin, Rates};
use crate::simulation::{FlowSpan, FlowTimes, Link, LinkUse, Simulation};
use crate::traffic::Traffic;

/// How far apart, relatively, times are that differ by more than rounding.
const TOLERANCE: f64 = 1e-12;

/// Nobody, nothing.
const NONE: u32 = u32::MAX;

/// How long programs take on a network, and how they use it.
///
/// Each task does the events of its program in their order: a send begins a flow and lets the task go on, a receive waits
/// until its flow has arrived, and a computation takes its time. Flows go at the rates that
/// [`SimulationOptions::rates`] says, which change only where a flow begins or ends. Flows have no latency; a flow that
/// crosses no link arrives at once. The same arguments give the same bytes, on any number of threads.
///
/// Takes one search of the network for each terminal that sends, and memory for all paths. After that every end of a flow
/// costs time in proportion to the flows on its links, with max-min rates to those whose rates change: few where tasks
/// wait for each other, but thousands where many flows that are split into parts of different sizes go at once.
///
/// **Source**: the dynamic engine of `INRFlow` (Navaridas et al., JPDC 130, 2019), for all its rules but routing, real time
/// and max-min rates.
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
/// [`SimulationError`]; a deadlock is one.
#[instrument(level = "debug", skip_all, fields(network = topology.name(), tasks = programs.task_count()))]
pub fn simulate(
    topology: &Topology,
    programs: &Programs,
    options: &SimulationOptions,
) -> Result<Simulation, SimulationError> {
    options.check()?;
    programs.check_events()?;
    let awaited = awaited_flows(programs)?;
    let traffic = Traffic::new(topology, programs, options)?;
    let (end, flows, events) = match options.rates {
        RateModel::EqualShare => Run::<EqualShare>::new(programs, &awaited, &traffic, options).finish()?,
        RateModel::MaxMin => Run::<MaxMin>::new(programs, &awaited, &traffic, options).finish()?,
    };
    let busiest = busiest(topology, &traffic, options.capacity * end);
    Ok(Simulation { makespan: end, flow_times: FlowTimes::of(&flows), busiest, events, flows })
}

/// The link that carried most, if each could have carried so many units.
fn busiest(topology: &Topology, traffic: &Traffic, possible: f64) -> Option<LinkUse> {
    let loads = traffic.loads();
    let (number, units) =
        loads.into_iter().enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let link = match (number.checked_sub(traffic.resource_count), traffic.access_count) {
        (None, _) => {
            let of_resource = |channel: &ChannelId| topology.resource(*channel).index() == number;
            Link::Channel(topology.channels().find(of_resource)?)
        }
        (Some(access), count) if access < count => Link::Injection(access as u32),
        (Some(access), count) => Link::Ejection((access - count) as u32),
    };
    (units > 0.0).then(|| LinkUse { link, units, share: (units / possible).min(1.0) })
}

/// Where a task is in its program.
#[derive(Clone, Copy)]
struct Progress {
    /// The next event.
    event: usize,
    /// The number of the next flow that it sends, and of the next receive.
    flow: u32,
    receive: u32,
    outstanding: u32,
    /// Whether it waits for one of its own flows to end.
    is_held: bool,
}

struct Run<'a, R> {
    programs: &'a Programs,
    /// The flow of each receive, in the order of tasks and events.
    awaited: &'a [u32],
    traffic: &'a Traffic,
    clock: Clock,
    most_outstanding: u32,
    now: f64,
    tasks: Vec<Progress>,
    /// Tasks that may go on now.
    ready: Vec<u32>,
    spans: Vec<FlowSpan>,
    /// Parts of each flow that have not arrived.
    missing: Vec<u32>,
    /// The task that waits for each flow.
    waiter: Vec<u32>,
    /// When parts end and, with numbers behind theirs, computations of tasks.
    calendar: Calendar,
    rates: R,
    /// Units that were left of each part when its rate changed last, when that was, and its rate.
    left: Vec<f64>,
    since: Vec<f64>,
    rate: Vec<f64>,
    started: Vec<u32>,
    ended: Vec<u32>,
    events: u64,
}

impl<'a, R: Rates> Run<'a, R> {
    fn new(programs: &'a Programs, awaited: &'a [u32], traffic: &'a Traffic, options: &SimulationOptions) -> Self {
        let (flows, parts) = (traffic.flow_count(), traffic.part_count());
        let (mut flow, mut receive) = (0, 0);
        let at_start = |events: &Vec<Event>| {
            let progress = Progress { event: 0, flow, receive, outstanding: 0, is_held: false };
            flow += events.iter().filter(|event| matches!(event, Event::Send { .. })).count() as u32;
            receive += events.iter().filter(|event| matches!(event, Event::Receive { .. })).count() as u32;
            progress
        };
        Self {
            programs,
            awaited,
            traffic,
            clock: options.clock,
            most_outstanding: options.outstanding.map_or(u32::MAX, u32::from),
            now: 0.0,
            tasks: programs.tasks.iter().map(at_start).collect(),
            ready: (0..programs.task_count() as u32).collect(),
            spans: vec![FlowSpan { start: 0.0, end: 0.0 }; flows],
            missing: (0..flows as u32).map(|flow| traffic.parts(flow).len() as u32).collect(),
            waiter: vec![NONE; flows],
            calendar: Calendar::new(parts + programs.task_count()),
            rates: R::new(traffic, options.capacity),
            left: vec![0.0; parts],
            since: vec![0.0; parts],
            rate: vec![0.0; parts],
            started: Vec::new(),
            ended: Vec::new(),
            events: 0,
        }
    }

    /// The time of the end, the times of all flows, and the number of things that ended.
    fn finish(mut self) -> Result<(f64, Vec<FlowSpan>, u64), SimulationError> {
        let mut changes = Vec::new();
        loop {
            while let Some(task) = self.ready.pop() {
                self.go_on(task);
            }
            if !self.started.is_empty() || !self.ended.is_empty() {
                self.started.sort_unstable();
                self.rates.update(self.traffic, &self.rate, &self.ended, &self.started, &mut changes);
                for (part, rate) in changes.drain(..) {
                    self.change_rate(part, rate);
                }
                self.started.clear();
                self.ended.clear();
            }
            let Some((next, _)) = self.calendar.first() else { break };
            // What ends within rounding of each other ends together, or rounding would take a turn of its own.
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
            while let Some((_, thing)) = self.calendar.first().filter(|&(time, _)| time <= until) {
                self.calendar.remove_first();
                self.end(thing);
            }
        }
        self.check_finished()?;
        Ok((self.now, self.spans, self.events))
    }

    /// Lets a task do events until it has to wait.
    fn go_on(&mut self, task: u32) {
        let events = &self.programs.tasks[task as usize];
        while let Some(event) = events.get(self.tasks[task as usize].event) {
            let progress = &mut self.tasks[task as usize];
            match *event {
                Event::Send { .. } => {
                    if progress.outstanding == self.most_outstanding {
                        progress.is_held = true;
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
                Event::Compute { time } => {
                    progress.event += 1;
                    if time > 0 {
                        self.calendar.set(self.traffic.part_count() as u32 + task, self.now + time as f64);
                        return;
                    }
                }
            }
        }
    }

    fn send(&mut self, flow: u32) {
        self.spans[flow as usize].start = self.now;
        let size = self.traffic.part_size[flow as usize];
        for part in self.traffic.parts(flow) {
            if self.traffic.links(part).is_empty() {
                self.arrive(part);
            } else {
                self.left[part as usize] = size;
                self.since[part as usize] = self.now;
                self.rate[part as usize] = 0.0;
                self.started.push(part);
            }
        }
    }

    fn change_rate(&mut self, part: u32, rate: f64) {
        let place = part as usize;
        self.left[place] -= self.rate[place] * (self.now - self.since[place]);
        self.left[place] = self.left[place].max(0.0);
        self.since[place] = self.now;
        self.rate[place] = rate;
        self.calendar.set(part, self.now + self.left[place] / rate);
    }

    fn end(&mut self, thing: u32) {
        if let Some(task) = thing.checked_sub(self.traffic.part_count() as u32) {
            self.events += 1;
            self.ready.push(task);
        } else {
            self.ended.push(thing);
            self.arrive(thing);
        }
    }

    fn arrive(&mut self, part: u32) {
        self.events += 1;
        let flow = self.traffic.flow[part as usize] as usize;
        self.missing[flow] -= 1;
        if self.missing[flow] > 0 {
            return;
        }
        self.spans[flow].end = self.now;
        let sender = self.traffic.sender[flow];
        let progress = &mut self.tasks[sender as usize];
        progress.outstanding -= 1;
        if std::mem::take(&mut progress.is_held) {
            self.ready.push(sender);
        }
        let waiter = std::mem::replace(&mut self.waiter[flow], NONE);
        if waiter != NONE {
            self.ready.push(waiter);
        }
    }

    fn check_finished(&self) -> Result<(), SimulationError> {
        let tasks = self.tasks.iter().zip(&self.programs.tasks).enumerate();
        let waiting = tasks.filter_map(|(task, (progress, events))| match *events.get(progress.event)? {
            Event::Receive { from, tag } => {
                Some(Waiting { task: TaskId::from_index(task), event: progress.event, from, tag })
            }
            // Held tasks go on when their flows end, and computations end.
            Event::Send { .. } | Event::Compute { .. } => None,
        });
        let stuck = waiting.clone().count();
        if stuck == 0 {
            Ok(())
        } else {
            Err(SimulationError::Deadlock { stuck, waiting: waiting.take(NAMED).collect() })
        }
    }
}
