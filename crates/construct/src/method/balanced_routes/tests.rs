//! Tests of the whole method.

use lockstep_schedule::{
    Budget, Collective, CommunicationModel, DistributePhase, Ports, Problem, ScatterRule, StopReason, Switching, verify,
};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::*;
use crate::kit::testing::{any_instance, on_parallel_channels};

const STORE_AND_FORWARD: CommunicationModel = CommunicationModel::store_and_forward();
const RELAY: CommunicationModel = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };

/// Returns the fewest steps of some attempts, with every schedule verified; `None` if the method does not support the
/// problem.
fn reached(problem: &Problem<'_>, goal: u32, attempts: u64) -> Option<usize> {
    let budget = Budget::unlimited();
    let mut best = None;
    for attempt in 0..attempts {
        let request = MethodRequest { goal, attempts: attempt..attempt + 1, ..MethodRequest::first(problem, &budget) };
        let schedule = match (BALANCED_ROUTES.find)(&request) {
            Ok(schedule) => schedule,
            Err(MethodError::Unsupported) => return None,
            Err(miss) => panic!("{miss:?}"),
        };
        let report = verify(problem, &schedule).unwrap();
        assert_eq!(report.redundant, 0);
        best = best.into_iter().chain([report.steps]).min();
        if best.is_some_and(|steps| steps <= goal as usize) {
            break;
        }
    }
    best
}

/// Returns the best lower bound of a problem.
fn bound(problem: &Problem<'_>) -> u32 {
    on_parallel_channels(problem, |problem| {
        lockstep_bounds::all(problem).iter().map(|bound| bound.steps).max().unwrap()
    })
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(200))]

    /// No schedule beats the lower bound.
    #[test]
    fn every_schedule_is_valid(instance in any_instance(10)) {
        let whole = instance.problem();
        let model = whole.model();
        let relays = model.switching == Switching::StoreAndForward || model.scatter == ScatterRule::Relay;
        for phase in DistributePhase::all(&whole) {
            let problem = phase.problem(&whole);
            let is_served = problem.messages().is_scatter() && relays;
            let goal = if is_served { bound(&problem) } else { 0 };
            match reached(&problem, goal, 1) {
                Some(steps) => prop_assert!(is_served && steps >= goal as usize),
                None => prop_assert!(!is_served || !problem.topology().is_direct()),
            }
        }
    }
}

/// A network with the number of steps of its all-to-all, by distances and channels or by its middle cut.
const TIGHT: [(&str, usize); 12] = [
    ("hypercube:3", 4),
    ("hypercube:4", 8),
    ("hypercube:5", 16),
    ("ring:8", 8),
    ("ring:9", 10),
    ("kautz:3,2", 7),
    ("mesh:4x4", 16),
    ("mesh:3x6", 27),
    ("mesh:5x5", 30),
    ("torus:3x3", 3),
    ("torus:4x4", 8),
    ("torus:5x5", 15),
];

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(2))]

    /// Even if every channel must be busy in every step.
    #[test]
    fn total_exchange_reaches_its_bound(
        networks in Vec::from(TIGHT.map(|(spec, _)| shuffled(spec.parse::<Topology>().unwrap())))
    ) {
        for ((spec, steps), network) in TIGHT.iter().zip(networks) {
            let exchange = Collective::all_to_all();
            for model in [STORE_AND_FORWARD, RELAY] {
                let problem = Problem::new(&network, &exchange, model).unwrap();
                prop_assert_eq!(reached(&problem, *steps as u32, 8), Some(*steps), "{}", spec);
            }
        }
    }
}

/// No flow loads all channels with less than 8 after rounding up, by a linear program for each of the 36 channels.
#[test]
fn a_failed_channel_costs_one_step() {
    let kautz: Topology = "kautz:3,2".parse().unwrap();
    for dead in kautz.channels() {
        let mut rest = TopologyBuilder::new("kautz:3,2 with a dead channel");
        let nodes: Vec<NodeId> = kautz.nodes().map(|node| rest.terminal(kautz.node_name(node))).collect();
        for channel in kautz.channels().filter(|&channel| channel != dead) {
            rest.channel(nodes[kautz.tail(channel).index()], nodes[kautz.head(channel).index()]);
        }
        let rest = rest.build().unwrap();
        let exchange = Collective::all_to_all();
        let problem = Problem::new(&rest, &exchange, STORE_AND_FORWARD).unwrap();
        assert_eq!(reached(&problem, 8, 8), Some(8), "without {}", kautz.channel_name(dead));
    }
}

/// In the 4-cube and the 4x4 torus, the messages of each of 16 nodes cross 32 channels. Each port and each half-duplex
/// link carries one per step.
#[test]
fn ports_and_half_duplex_links_are_always_busy() {
    for spec in ["hypercube:4", "torus:4x4"] {
        let network: Topology = spec.parse().unwrap();
        let exchange = Collective::all_to_all();
        let hops: usize = 16 * 32;
        for limit in 1..=3 {
            let model = CommunicationModel { ports: Ports::limit(limit).unwrap(), ..STORE_AND_FORWARD };
            let problem = Problem::new(&network, &exchange, model).unwrap();
            let steps = hops.div_ceil(16 * limit as usize);
            assert_eq!(reached(&problem, steps as u32, 8), Some(steps), "{spec} with {limit} ports");
        }
        let half = network.half_duplex();
        let problem = Problem::new(&half, &exchange, STORE_AND_FORWARD).unwrap();
        let steps = hops.div_ceil(half.resource_count());
        assert_eq!(reached(&problem, steps as u32, 8), Some(steps), "{spec} in half duplex");
    }
}

#[test]
fn chunks_use_channels_that_one_message_leaves_idle() {
    // In a ring of five nodes, each sends messages over one and two channels, in both directions: 30 hops on 10
    // channels.
    let ring: Topology = "ring:5".parse().unwrap();
    for chunks in 1..=3 {
        let exchange = Collective::all_to_all().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&ring, &exchange, STORE_AND_FORWARD).unwrap();
        assert_eq!(reached(&problem, 3 * chunks, 8), Some(3 * chunks as usize));
    }
}

/// One channel is the shortest path of all messages; the others are detours.
#[test]
fn detours_relieve_a_congested_channel() {
    let mut ring = TopologyBuilder::new("a directed ring with one channel back");
    let nodes: Vec<NodeId> = (0..4).map(|place| ring.terminal(place.to_string())).collect();
    for (tail, head) in [(0, 1), (1, 0), (0, 2), (2, 3), (3, 1)] {
        ring.channel(nodes[tail], nodes[head]);
    }
    let ring = ring.build().unwrap();
    let pair = Collective::many_to_many_scatter(&nodes[..1], &nodes[1..2]).with_chunks(8.try_into().unwrap());
    let problem = Problem::new(&ring, &pair, STORE_AND_FORWARD).unwrap();
    // Five messages take the channel, and three take the detour early enough.
    assert_eq!(reached(&problem, 5, 1), Some(5));
}

#[test]
fn direct_scatter_is_not_supported() {
    let direct = CommunicationModel::wormhole();
    let cases = [
        ("torus:3x3", Collective::all_to_all(), direct),
        ("torus:3x3", Collective::all_gather(), STORE_AND_FORWARD),
        // All neighbours of terminals are switches.
        ("omega:8", Collective::all_to_all(), RELAY),
    ];
    for (spec, collective, model) in cases {
        let network: Topology = spec.parse().unwrap();
        let problem = Problem::new(&network, &collective, model).unwrap();
        assert_eq!(reached(&problem, 1, 1), None, "{spec}");
    }
}

#[test]
fn a_cancelled_budget_ends_the_first_attempt() {
    let torus: Topology = "torus:4x4".parse().unwrap();
    let exchange = Collective::all_to_all();
    let problem = Problem::new(&torus, &exchange, STORE_AND_FORWARD).unwrap();
    for check in 1..20 {
        let budget = Budget::unlimited().cancelled_at_check(check);
        let error = (BALANCED_ROUTES.find)(&MethodRequest::first(&problem, &budget)).err();
        assert!(error.is_none_or(|error| error == MethodError::Stopped(StopReason::Cancelled)), "check {check}");
    }
}

/// A scatter has one source. Its messages are routed in parts, so that the work ends with the budget.
#[test]
fn the_budget_ends_the_routes_of_one_source() {
    let (grid, scatter) = ("mesh:40x40".parse::<Topology>().unwrap(), Collective::scatter(NodeId::new(3)));
    let problem = Problem::new(&grid, &scatter, STORE_AND_FORWARD).unwrap();
    let budget = Budget::evaluations(1);
    let request = MethodRequest { below: 10_000, ..MethodRequest::first(&problem, &budget) };
    assert_eq!((BALANCED_ROUTES.find)(&request), Err(MethodError::Stopped(StopReason::Evaluations)));
    let work = request.work.evaluations().unwrap();
    assert!(work < problem.messages().len() as u64, "{work}");
}
