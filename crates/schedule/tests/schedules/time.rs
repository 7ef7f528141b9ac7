//! The time of schedules, against a simulation of events.

use std::num::NonZeroU64;

use lockstep_schedule::strategy::{Instance, instance_with_capacities, scheduled};
use lockstep_schedule::{
    AsynchronousCost, Budget, Collective, CollectiveName, CollectiveSize, CommunicationModel, Message, MessageId,
    Pattern, Picoseconds, Ports, Problem, Schedule, TransferSpeed, verify,
};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology, TopologyBuilder};
use proptest::prelude::*;

/// A transfer of the simulation.
struct Job {
    step: usize,
    message: MessageId,
    ends: [NodeId; 2],
    parts: Vec<Part>,
    units: u32,
    latency: u128,
    /// Begin, end of the transmission and arrival, once it has begun.
    times: Option<[u128; 3]>,
}

/// A part of the network that a transfer occupies, with its capacity.
type Part = (PartName, u32);

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartName {
    Resource(ResourceId),
    SendPorts(NodeId),
    ReceivePorts(NodeId),
}

fn parts(problem: &Problem<'_>, path: &[ChannelId]) -> Vec<Part> {
    let topology = problem.topology();
    let of_channel =
        |&channel: &ChannelId| (PartName::Resource(topology.resource(channel)), topology.capacity(channel));
    let mut parts: Vec<Part> = path.iter().map(of_channel).collect();
    if let Ports::Limit(limit) = problem.model().ports {
        let [first, last] = [path[0], *path.last().unwrap()];
        parts.push((PartName::SendPorts(topology.tail(first)), limit.get()));
        parts.push((PartName::ReceivePorts(topology.head(last)), limit.get()));
    }
    parts
}

fn jobs(problem: &Problem<'_>, schedule: &Schedule) -> Vec<Job> {
    let topology = problem.topology();
    let mut jobs = Vec::new();
    for (step, transfers) in schedule.steps() {
        let used: Vec<Part> = transfers.iter().flat_map(|transfer| parts(problem, transfer.path)).collect();
        for transfer in transfers.iter() {
            let (first, last) = (transfer.path[0], *transfer.path.last().unwrap());
            let own = parts(problem, transfer.path);
            let share = |part: &Part| part.1 / used.iter().filter(|&other| other == part).count() as u32;
            jobs.push(Job {
                step,
                message: transfer.message,
                ends: [topology.tail(first), topology.head(last)],
                units: own.iter().map(share).min().unwrap().max(1),
                parts: own,
                latency: transfer.path.iter().map(|&channel| u128::from(topology.latency_ps(channel))).sum(),
                times: None,
            });
        }
    }
    jobs
}

/// Goes from event to event, and starts every transfer as soon as it may begin.
fn simulate(problem: &Problem<'_>, schedule: &Schedule, speed: TransferSpeed) -> u128 {
    let messages = problem.messages();
    let adds = matches!(problem.collective().pattern(), Pattern::Reduce | Pattern::ReduceBroadcast);
    let holder = |message| match problem.collective().pattern() {
        Pattern::Gather => messages.receivers_iter(message).next().unwrap(),
        _ => messages.source(message),
    };
    let mut jobs = jobs(problem, schedule);
    let mut time = 0u128;
    while jobs.iter().any(|job| job.times.is_none()) {
        for place in 0..jobs.len() {
            let job = &jobs[place];
            let brings =
                |other: &&Job| other.step < job.step && other.message == job.message && other.ends[1] == job.ends[0];
            let has_arrived = |other: &Job| other.times.is_some_and(|[.., arrival]| arrival <= time);
            let is_ready = if adds {
                jobs.iter().filter(brings).all(has_arrived)
            } else {
                job.ends[0] == holder(job.message) || jobs.iter().filter(brings).any(has_arrived)
            };
            let has_room = job.parts.iter().all(|part| {
                let mut earlier = jobs[..place].iter().filter(|other| other.parts.contains(part));
                let busy = jobs.iter().filter(|other| other.parts.contains(part));
                let busy =
                    busy.filter(|other| other.times.is_some_and(|[begin, sent, _]| begin <= time && time < sent));
                let units: u32 = busy.map(|other| other.units).sum();
                earlier.all(|other| other.times.is_some()) && units + job.units <= part.1
            });
            if job.times.is_none() && is_ready && has_room {
                let per_second = u128::from(speed.unit_bytes_per_second.get()) * u128::from(job.units);
                let sent = time + (u128::from(speed.chunk_bytes) * 1_000_000_000_000).div_ceil(per_second);
                jobs[place].times = Some([time, sent, sent + jobs[place].latency]);
            }
        }
        let events = jobs.iter().filter_map(|job| job.times).flatten();
        time = events.filter(|&event| event > time).min().unwrap_or(time + 1);
    }
    jobs.iter().filter_map(|job| job.times).map(|[.., arrival]| arrival).max().unwrap_or(0)
}

/// Gives the channels latencies.
fn with_latencies(instance: &Instance, latencies: &[u64]) -> Instance {
    let mut document = serde_json::to_value(&instance.topology).unwrap();
    let of = |channel: ChannelId| latencies[channel.index() % latencies.len()];
    document["latency_ps"] = instance.topology.channel_numbers().map(of).collect();
    Instance { topology: serde_json::from_value(document).unwrap(), ..instance.clone() }
}

proptest! {
    #[test]
    fn the_asynchronous_time_is_that_of_a_simulation_and_at_most_the_synchronous_one(
        (instance, schedule) in scheduled(instance_with_capacities(7)),
        latencies in prop::collection::vec(prop_oneof![Just(0), 0..3_000_000u64], 1..5),
        chunk_bytes in prop_oneof![Just(0u64), 1..5_000u64], unit in 1_000_000u64..3_000_000_000,
    ) {
        let instance = with_latencies(&instance, &latencies);
        let problem = instance.problem();
        let speed = TransferSpeed { chunk_bytes, unit_bytes_per_second: NonZeroU64::new(unit).unwrap() };
        let asynchronous = speed.asynchronous_time(&problem, &schedule);
        prop_assert!(asynchronous <= speed.synchronous_time(problem.topology(), &schedule));
        prop_assert_eq!(asynchronous, Picoseconds::new(simulate(&problem, &schedule, speed)));
    }

    /// One cost gives the times of all sizes, which end with the time of the budget.
    #[test]
    fn a_cost_has_the_time_of_each_speed_or_says_that_the_time_is_over(
        (instance, schedule) in scheduled(instance_with_capacities(7)),
        chunk_bytes in prop::collection::vec(0..5_000u64, 3), unit in 1_000_000u64..3_000_000_000,
    ) {
        let problem = instance.problem();
        let unit_bytes_per_second = NonZeroU64::new(unit).unwrap();
        let speeds: Vec<TransferSpeed> =
            chunk_bytes.into_iter().map(|chunk_bytes| TransferSpeed { chunk_bytes, unit_bytes_per_second }).collect();
        let (unlimited, ended) = (Budget::unlimited(), Budget::seconds(0));
        let cost = AsynchronousCost::of(&problem, &schedule, &unlimited).unwrap();
        let alone: Vec<_> = speeds.iter().map(|speed| Some(speed.asynchronous_time(&problem, &schedule))).collect();
        prop_assert_eq!(cost.times(speeds.clone(), &unlimited), alone);
        if schedule.transfer_count() > 0 {
            prop_assert!(AsynchronousCost::of(&problem, &schedule, &ended).is_none());
            prop_assert_eq!(cost.times(speeds, &ended), vec![None; 3]);
        }
    }

    /// The times of transfers are those from which the times of schedules follow, and no slot carries more than it can.
    #[test]
    fn the_last_arrival_is_the_time_and_no_slot_exceeds_its_capacity(
        (instance, schedule) in scheduled(instance_with_capacities(7)),
        latencies in prop::collection::vec(prop_oneof![Just(0), 0..3_000_000u64], 1..5),
        chunk_bytes in 1..5_000u64, unit in 1_000_000u64..3_000_000_000,
    ) {
        let instance = with_latencies(&instance, &latencies);
        let (problem, topology) = (instance.problem(), &instance.topology);
        let speed = TransferSpeed { chunk_bytes, unit_bytes_per_second: NonZeroU64::new(unit).unwrap() };
        let synchronous = speed.synchronous_times(topology, &schedule);
        let asynchronous = speed.asynchronous_times(&problem, &schedule);
        for (times, end) in [
            (&synchronous, speed.synchronous_time(topology, &schedule)),
            (&asynchronous, speed.asynchronous_time(&problem, &schedule)),
        ] {
            prop_assert_eq!(times.len(), schedule.transfer_count());
            prop_assert!(times.iter().all(|times| times.begin <= times.sent && times.sent <= times.arrival));
            prop_assert_eq!(times.iter().map(|times| times.arrival).max(), Some(end).filter(|_| !times.is_empty()));
        }
        let transfers: Vec<_> = schedule.steps().flat_map(|(_, step)| step.iter()).collect();
        for (transfer, times) in transfers.iter().zip(&asynchronous) {
            for &channel in transfer.path {
                let resource = topology.resource(channel);
                let uses = transfers.iter().zip(&asynchronous).filter(|(other, of_other)| {
                    let shares = other.path.iter().any(|&other| topology.resource(other) == resource);
                    shares && of_other.begin <= times.begin && times.begin < of_other.sent
                });
                prop_assert!(uses.count() <= topology.resource_capacity(resource) as usize);
            }
        }
    }
}

/// Two fast links and a slow one: a -12- b -1- c, with 25 GB/s per unit.
fn line() -> Topology {
    let mut line = TopologyBuilder::new("line");
    let [a, b, c] = ["a", "b", "c"].map(|name| line.terminal(name));
    let (fast, slow) = (line.link(a, b), line.link(b, c));
    line.set_bandwidth(fast, 300_000_000_000);
    line.set_bandwidth(slow, 25_000_000_000);
    line.set_latency(fast, 700_000);
    line.set_latency(slow, 1_300_000);
    line.build().unwrap()
}

#[test]
fn a_chunk_takes_the_latencies_and_the_transmission_of_its_channels() {
    let (line, broadcast) = (line(), Collective::broadcast(NodeId::new(0)));
    let problem = Problem::new(&line, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    for channel in [0, 2] {
        schedule.begin_step();
        schedule.push(MessageId::new(0), &[ChannelId::new(channel)]);
    }
    let speed = TransferSpeed::of(&line, &broadcast, 300_000).unwrap();
    // 12 us at 25 GB/s, and 1 us at 300 GB/s.
    assert_eq!(speed.synchronous_time(&line, &schedule).number(), 700_000 + 12_000_000 + 1_300_000 + 12_000_000);
    assert_eq!(speed.asynchronous_time(&problem, &schedule).number(), 700_000 + 1_000_000 + 1_300_000 + 12_000_000);
    // In the second step, the message begins when its data is there, or when the first step has ended.
    assert_eq!(speed.asynchronous_times(&problem, &schedule)[1].begin.number(), 700_000 + 1_000_000);
    assert_eq!(speed.synchronous_times(&line, &schedule)[1].begin.number(), 700_000 + 12_000_000);
}

/// Three transfers of two channels each, any two of which share one: in turns, they take three times as long as one, and
/// side by side at half of the bandwidth, twice as long.
#[test]
fn transfers_of_a_wide_step_share_their_channels_if_turns_take_longer() {
    let mut network = TopologyBuilder::new("triangle");
    let corners = ["a", "b", "c"].map(|name| network.switch(name));
    let sides = [0, 1, 2].map(|place| network.channel(corners[place], corners[(place + 1) % 3]));
    let mut paths = Vec::new();
    for place in 0..3 {
        let [source, target] = ["source", "target"].map(|end| network.terminal(format!("{end} {place}")));
        let first = network.channel(source, corners[place]);
        let last = network.channel(corners[(place + 2) % 3], target);
        paths.push([first, sides[place], sides[(place + 1) % 3], last]);
    }
    let network = network.build().unwrap();
    let terminals = network.terminals().to_vec();
    let messages = terminals.chunks(2).map(|pair| Message { source: pair[0], receivers: vec![pair[1]] });
    let pairs = Collective::custom(messages.collect());
    let problem = Problem::new(&network, &pairs, CommunicationModel::wormhole()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step_of_width(2.try_into().unwrap());
    for (message, path) in (0..).map(MessageId::new).zip(&paths) {
        schedule.push(message, path);
    }
    verify(&problem, &schedule).unwrap();
    let speed = TransferSpeed { chunk_bytes: 1_000, unit_bytes_per_second: NonZeroU64::new(1_000_000_000).unwrap() };
    assert_eq!(simulate(&problem, &schedule, speed), 3_000_000);
    assert_eq!(speed.asynchronous_time(&problem, &schedule).number(), 2_000_000);
    assert!(speed.asynchronous_times(&problem, &schedule).iter().all(|time| time.arrival.number() == 2_000_000));
}

/// A channel of two units carries a message in half of the time, but one port sends one unit.
#[test]
fn a_port_sends_one_unit_at_a_time() {
    let mut pair = TopologyBuilder::new("pair");
    let [a, b] = ["a", "b"].map(|name| pair.terminal(name));
    let link = pair.link(a, b);
    pair.set_capacity(link, 2);
    let (pair, broadcast) = (pair.build().unwrap(), Collective::broadcast(a));
    let mut schedule = Schedule::new();
    schedule.begin_step();
    schedule.push(MessageId::new(0), &[link[0]]);
    let speed = TransferSpeed { chunk_bytes: 1_000, unit_bytes_per_second: NonZeroU64::new(1_000_000_000).unwrap() };
    for (ports, time) in [(Ports::All, 500_000), (Ports::limit(1).unwrap(), 1_000_000)] {
        let model = CommunicationModel { ports, ..CommunicationModel::store_and_forward() };
        let problem = Problem::new(&pair, &broadcast, model).unwrap();
        assert_eq!(speed.asynchronous_time(&problem, &schedule).number(), time, "{ports} ports");
    }
}

#[test]
fn a_wide_step_has_one_latency() {
    let (line, broadcast) = (line(), Collective::broadcast(NodeId::new(0)).with_chunks(2.try_into().unwrap()));
    let mut schedule = Schedule::new();
    schedule.begin_step_of_width(2.try_into().unwrap());
    (0..2).for_each(|chunk| schedule.push(MessageId::new(chunk), &[ChannelId::new(2)]));
    let speed = TransferSpeed::of(&line, &broadcast, 50_000).unwrap();
    assert_eq!(speed.chunk_bytes, 25_000);
    assert_eq!(speed.synchronous_time(&line, &schedule).number(), 1_300_000 + 2 * 1_000_000);
}

#[test]
fn sizes_are_those_of_nccl_tests() {
    let ring: Topology = "ring:8".parse().unwrap();
    let size = |name: CollectiveName, chunks: u32| {
        let root = name.has_root().then_some(NodeId::new(0));
        let collective = name.with_root(root).unwrap().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&ring, &collective, CommunicationModel::wormhole()).unwrap();
        let size = CollectiveSize::new(&problem, 8_000);
        (size.message_bytes, size.bus_factor)
    };
    assert_eq!(size(CollectiveName::AllGather, 3), (1_000, [7, 8]));
    assert_eq!(size(CollectiveName::ReduceScatter, 1), (1_000, [7, 8]));
    assert_eq!(size(CollectiveName::AllToAll, 1), (1_000, [7, 8]));
    assert_eq!(size(CollectiveName::AllReduce, 2), (1_000, [14, 8]));
    assert_eq!(size(CollectiveName::Broadcast, 1), (8_000, [1, 1]));
    assert_eq!(size(CollectiveName::Reduce, 1), (8_000, [1, 1]));

    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
    let size = CollectiveSize::new(&problem, 1_000_000_000);
    let second = Picoseconds::new(1_000_000_000_000);
    assert_eq!((size.algorithm_bandwidth(second), size.bus_bandwidth(second)), (1_000_000_000, 875_000_000));
    assert_eq!(CollectiveSize::new(&problem, u64::MAX).bus_bandwidth(Picoseconds::new(0)), u64::MAX);
}

#[test]
fn a_network_without_a_unit_has_no_time() {
    let ring: Topology = "ring:4".parse().unwrap();
    assert_eq!(TransferSpeed::of(&ring, &Collective::all_gather(), 1_000), None);
}
