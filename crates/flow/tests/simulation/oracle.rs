//! Comparison with a slow reference simulation that recomputes all rates at each event.

use std::num::NonZeroU32;

use lockstep_flow::{
    Clock, DEFAULT_CAPACITY, Endpoints, Event, Programs, RateModel, Routing, SimulationError, SimulationOptions,
    TaskId, simulate,
};
use lockstep_paths::ShortestPaths;
use lockstep_topology::{Topology, strategy};
use proptest::prelude::*;
use proptest::sample::Index;

/// An active flow: its sender, its index, and the links and remaining units of each subflow.
struct Flow {
    sender: usize,
    number: usize,
    parts: Vec<(Vec<usize>, f64)>,
}

/// The links of all subflows between each pair of tasks.
struct SubflowLinks {
    link_count: usize,
    parts: Vec<Vec<Vec<Vec<usize>>>>,
}

impl SubflowLinks {
    /// Returns one subflow per shortest path, or `None` if there are more than 64 paths.
    fn new(topology: &Topology, tasks: usize, options: &SimulationOptions) -> Option<Self> {
        let paths = ShortestPaths::all_pairs(topology).unwrap();
        let on_each = options.tasks_per_terminal.get() as usize;
        let terminal = |task: usize| topology.terminals()[task / on_each];
        let access = |task: usize| if options.endpoints == Endpoints::TaskLinks { task } else { task / on_each };
        let resources = topology.resource_count();
        let parts_between = |from: usize, to: usize| -> Option<Vec<Vec<usize>>> {
            if paths.count(terminal(from), terminal(to)) > 64 {
                return None;
            }
            let links = |path: Vec<lockstep_topology::ChannelId>| {
                let mut links: Vec<usize> =
                    path.into_iter().map(|channel| topology.resource(channel).index()).collect();
                if options.endpoints != Endpoints::Direct {
                    links.extend([resources + 2 * access(from), resources + 2 * access(to) + 1]);
                }
                links
            };
            Some(paths.paths(terminal(from), terminal(to)).map(links).collect())
        };
        let parts =
            (0..tasks).map(|from| (0..tasks).map(|to| parts_between(from, to)).collect()).collect::<Option<_>>()?;
        Some(Self { link_count: resources + 2 * tasks, parts })
    }
}

fn equal_shares(flows: &[Flow], link_count: usize) -> Vec<f64> {
    let parts: Vec<&Vec<usize>> = flows.iter().flat_map(|flow| &flow.parts).map(|(links, _)| links).collect();
    let mut count = vec![0; link_count];
    parts.iter().flat_map(|links| links.iter()).for_each(|&link| count[link] += 1);
    let fullest = |links: &&Vec<usize>| links.iter().map(|&link| count[link]).max().unwrap_or(1);
    parts.iter().map(|links| DEFAULT_CAPACITY / f64::from(fullest(links))).collect()
}

fn max_min(flows: &[Flow], link_count: usize) -> Vec<f64> {
    let parts: Vec<&Vec<usize>> = flows.iter().flat_map(|flow| &flow.parts).map(|(links, _)| links).collect();
    let mut rates = vec![None; parts.len()];
    loop {
        let share = |link: usize| {
            let crossings = |links: &Vec<usize>| links.iter().filter(|&&other| other == link).count() as f64;
            let with = || parts.iter().zip(&rates);
            let used: f64 = with().map(|(links, rate)| crossings(links) * rate.unwrap_or(0.0)).sum();
            let open: f64 = with().filter(|(_, rate)| rate.is_none()).map(|(links, _)| crossings(links)).sum();
            (open > 0.0).then(|| (DEFAULT_CAPACITY - used) / open)
        };
        let shares = (0..link_count).filter_map(|link| Some((share(link)?, link)));
        let Some((least, fullest)) = shares.min_by(|one, other| one.0.total_cmp(&other.0)) else {
            return rates.into_iter().map(|rate| rate.unwrap_or(f64::INFINITY)).collect();
        };
        for (links, rate) in parts.iter().zip(&mut rates) {
            if rate.is_none() && links.contains(&fullest) {
                *rate = Some(least);
            }
        }
    }
}

/// Returns the makespan and the arrival of each flow, or `None` for a deadlock.
fn reference_simulation(
    programs: &Programs,
    network: &SubflowLinks,
    options: &SimulationOptions,
) -> Option<(f64, Vec<f64>)> {
    let tasks = programs.task_count();
    let is_between = |event: &Event, to: usize| matches!(event, Event::Send { to: other, .. } if other.index() == to);
    let first =
        |task: usize| programs.tasks[..task].iter().flatten().filter(|e| matches!(e, Event::Send { .. })).count();
    // A receive waits for the send with the same index between the two tasks. There are no tags.
    let awaited = |task: usize, event: usize| {
        let Event::Receive { from, .. } = programs.tasks[task][event] else { panic!("a receive") };
        let is_like = |other: &&Event| matches!(other, Event::Receive { from: also, .. } if *also == from);
        let nth = programs.tasks[task][..event].iter().filter(is_like).count();
        let sends = programs.tasks[from.index()].iter().filter(|event| matches!(event, Event::Send { .. }));
        let place = sends.enumerate().filter(|(_, event)| is_between(event, task)).nth(nth).unwrap().0;
        first(from.index()) + place
    };
    // The number of barriers among the first events of a task.
    let barriers = |task: usize, events: usize| {
        programs.tasks[task].iter().take(events).filter(|event| matches!(event, Event::Barrier)).count()
    };
    let mut now = 0.0;
    let mut next = vec![0; tasks];
    let mut sent = vec![0; tasks];
    let mut computes_until = vec![f64::NEG_INFINITY; tasks];
    let mut arrived = vec![None; first(tasks)];
    let mut flows: Vec<Flow> = Vec::new();
    // Flows with the ends of their start-up times.
    let mut starting: Vec<(f64, Flow)> = Vec::new();
    loop {
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for task in 0..tasks {
                let Some(event) = programs.tasks[task].get(next[task]) else { continue };
                let sent_flows = flows.iter().chain(starting.iter().map(|(_, flow)| flow));
                let outstanding = sent_flows.filter(|flow| flow.sender == task).count();
                let goes_on = computes_until[task] <= now
                    && match event {
                        Event::Send { .. } => options.outstanding.is_none_or(|most| outstanding < most.get() as usize),
                        Event::Receive { .. } => arrived[awaited(task, next[task])].is_some(),
                        Event::Compute { .. } => true,
                        // All tasks have passed as many barriers, or wait at the next one.
                        Event::Barrier => (0..tasks).all(|other| {
                            let waits = usize::from(computes_until[other] <= now);
                            barriers(other, next[other] + waits) > barriers(task, next[task])
                        }),
                    };
                if !goes_on {
                    continue;
                }
                has_changed = true;
                next[task] += 1;
                match event {
                    Event::Send { to, size, .. } => {
                        let paths = &network.parts[task][to.index()];
                        let size = *size as f64 / paths.len() as f64;
                        let parts = paths.iter().map(|links| (links.clone(), size)).collect();
                        let flow = Flow { sender: task, number: first(task) + sent[task], parts };
                        starting.push((now + options.startup, flow));
                        sent[task] += 1;
                    }
                    Event::Receive { .. } | Event::Barrier => {}
                    Event::Compute { time } => computes_until[task] = now + *time as f64,
                }
            }
            flows.extend(starting.extract_if(.., |(start, _)| *start <= now + 1e-9).map(|(_, flow)| flow));
            flows.retain_mut(|flow| {
                flow.parts.retain(|(links, rest)| !links.is_empty() && *rest > 0.0);
                let is_there = flow.parts.is_empty();
                if is_there {
                    arrived[flow.number] = Some(now);
                    has_changed = true;
                }
                !is_there
            });
        }
        let rates = match options.rates {
            RateModel::EqualShare => equal_shares(&flows, network.link_count),
            RateModel::MaxMin => max_min(&flows, network.link_count),
        };
        let rests = flows.iter().flat_map(|flow| flow.parts.iter().map(|(_, rest)| *rest));
        let ends = rests.zip(&rates).map(|(rest, rate)| rest / rate);
        let computes = computes_until.iter().filter(|&&until| until > now).map(|until| until - now);
        let starts = starting.iter().map(|(start, _)| start - now);
        let Some(mut step) = ends.chain(computes).chain(starts).min_by(f64::total_cmp) else { break };
        if options.clock == Clock::Integer {
            step = (step - 1e-9).ceil();
        }
        now += step;
        let parts = flows.iter_mut().flat_map(|flow| &mut flow.parts);
        for ((_, rest), rate) in parts.zip(&rates) {
            *rest -= rate * step;
            // The remainder is a rounding error.
            *rest = if *rest < 1e-7 { 0.0 } else { *rest };
        }
    }
    let all_done = next.iter().zip(&programs.tasks).all(|(&next, events)| next == events.len());
    all_done.then(|| (now, arrived.into_iter().map(|time| time.unwrap()).collect()))
}

/// Programs of random flows and computations with random dependencies, sometimes with a deadlock.
fn programs(tasks: usize, steps: Vec<(Index, Index, u8, Option<u8>, bool, bool)>, twisted: bool) -> Programs {
    let mut programs = Programs { tasks: vec![Vec::new(); tasks] };
    let mut late = Vec::new();
    for (from, to, size, compute, waits, meets) in steps {
        let (from, to) = (from.index(tasks), to.index(tasks));
        let size = 500 * (u64::from(size) + 1);
        programs.tasks[from].push(Event::Send { to: TaskId::from_index(to), size, tag: 0, path: [].into() });
        if let Some(time) = compute {
            programs.tasks[from].push(Event::Compute { time: time.into() });
        }
        if meets {
            programs.tasks.iter_mut().for_each(|events| events.push(Event::Barrier));
        }
        late.push((from, to));
        if waits {
            for (from, to) in late.drain(..) {
                programs.tasks[to].push(Event::Receive { from: TaskId::from_index(from), tag: 0 });
            }
        }
    }
    for (from, to) in late {
        programs.tasks[to].push(Event::Receive { from: TaskId::from_index(from), tag: 0 });
    }
    if twisted {
        // The first event of a task becomes its last.
        let first = &mut programs.tasks[0];
        let places = first.len().min(1);
        first.rotate_left(places);
    }
    programs
}

fn options() -> impl Strategy<Value = SimulationOptions> {
    let rates = prop::sample::select(RateModel::ALL);
    let clock = prop::sample::select(Clock::ALL);
    let endpoints = prop::sample::select(Endpoints::ALL);
    let (on_each, outstanding) = (1..=2u32, prop::option::of(1..=2u32));
    let startup = prop::sample::select(&[0.0, 0.0, 0.75, 2.0][..]);
    (rates, clock, endpoints, on_each, outstanding, startup).prop_map(
        |(rates, clock, endpoints, on_each, outstanding, startup)| SimulationOptions {
            tasks_per_terminal: NonZeroU32::new(on_each).unwrap(),
            routing: Routing::EcmpSplit,
            rates,
            clock,
            endpoints,
            capacity: DEFAULT_CAPACITY,
            outstanding: outstanding.and_then(NonZeroU32::new),
            startup,
            seed: 1,
        },
    )
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(300))]

    #[test]
    fn simulation_matches_the_reference(
        topology in strategy::any_topology(7),
        options in options(),
        steps in prop::collection::vec(
            (any::<Index>(), any::<Index>(), 0..8u8, prop::option::weighted(0.2, 0..6u8), prop::bool::weighted(0.3),
                prop::bool::weighted(0.1)), 0..40,
        ),
        twisted in prop::bool::weighted(0.2),
    ) {
        let tasks = topology.terminal_count() * options.tasks_per_terminal.get() as usize;
        let programs = programs(tasks, steps, twisted);
        let Some(network) = SubflowLinks::new(&topology, tasks, &options) else { return Ok(()) };
        prop_assert_eq!(programs.check(), Ok(()));
        let slow = reference_simulation(&programs, &network, &options);
        match simulate(&topology, &programs, &options) {
            Ok(fast) => {
                let (makespan, ends) = slow.unwrap();
                prop_assert!(is_near(fast.makespan, makespan), "{} instead of {makespan}", fast.makespan);
                for (flow, end) in fast.flows.iter().zip(ends) {
                    prop_assert!(is_near(flow.end, end), "{flow:?} instead of {end}");
                }
            }
            Err(error) => {
                prop_assert!(matches!(error, SimulationError::Deadlock { .. }), "{error}");
                prop_assert_eq!(slow, None);
            }
        }
    }
}
