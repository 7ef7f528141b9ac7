//! Every schedule is valid and has no unneeded transfer, for any problem.

use lockstep_construct::schedule;
use lockstep_schedule::strategy::{Instance, any_model, instance, instance_with_capacities};
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, Message, NotFound, Problem, ProblemError, Receivers, Routing, ScatterRule,
    StopReason, Switching, verify,
};
use lockstep_topology::strategy::{any_topology, shuffled};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

const ANY_LENGTH: u32 = u32::MAX;

fn first(problem: &Problem<'_>, seed: u64) -> lockstep_schedule::Schedule {
    schedule(problem, ANY_LENGTH, seed, &Budget::evaluations(1)).unwrap()
}

/// Generates problems of all kinds, on networks with and without capacities.
fn any_instance(max_nodes: usize) -> impl Strategy<Value = Instance> {
    prop_oneof![2 => instance(max_nodes), 1 => instance_with_capacities(max_nodes)]
}

/// Returns a budget with a deadline that does not pass: with any length, the first schedule is the quick one.
fn quick() -> Budget {
    Budget::unlimited().ended_at_check(u64::MAX, 0)
}

/// Returns true if no terminal needs to relay messages, so that one transfer per delivery is enough.
fn needs_no_relay(problem: &Problem<'_>) -> bool {
    let messages = problem.messages();
    let to_all = |message| messages.receivers(message) == Receivers::AllOthers;
    messages.ids().all(to_all) || problem.model().is_direct() && messages.is_scatter()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(100))]

    #[test]
    fn every_schedule_is_valid_and_delivers_once(instance in any_instance(12), seed in any::<u64>()) {
        let problem = instance.problem();
        let schedule = first(&problem, seed);
        let report = verify(&problem, &schedule);
        prop_assert!(report.is_ok(), "{}", report.unwrap_err());
        let report = report.unwrap();
        prop_assert_eq!(report.redundant, 0);
        prop_assert!(schedule.steps().all(|(_, step)| !step.is_empty()));
        if needs_no_relay(&problem) {
            prop_assert_eq!(report.relays, 0);
        }
    }

    /// With a deadline, the first schedule is a quick one.
    #[test]
    fn a_quick_schedule_is_valid(instance in any_instance(12), seed in any::<u64>()) {
        let problem = instance.problem();
        let schedule = schedule(&problem, ANY_LENGTH, seed, &quick()).unwrap();
        let report = verify(&problem, &schedule);
        prop_assert!(report.is_ok(), "{}", report.unwrap_err());
        prop_assert_eq!(report.unwrap().redundant, 0);
    }

    /// Wherever the time ends, there is a valid schedule or an error that says so, and more time never gives a longer one.
    #[test]
    fn more_time_never_takes_more_steps(
        instance in any_instance(9), seed in any::<u64>(), grace in 0..40u64, first in 1..20u64,
    ) {
        let problem = instance.problem();
        let mut known = usize::MAX;
        for check in std::iter::successors(Some(first), |check| Some(check + 1 + check / 3)).take(16) {
            // On one thread, the order of the checks is that of the work.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let budget = Budget::evaluations(1 << 12).ended_at_check(check, grace);
            match pool.install(|| schedule(&problem, ANY_LENGTH, seed, &budget)) {
                Ok(schedule) => {
                    let steps = verify(&problem, &schedule).unwrap().steps;
                    prop_assert!(steps <= known, "{steps} steps with {check} checks, {known} with fewer");
                    known = steps;
                }
                Err(error) => {
                    let stopped = matches!(error, NotFound::Unfinished { reason: StopReason::Deadline });
                    prop_assert!(stopped && known == usize::MAX, "{error}");
                }
            }
        }
    }

    /// Detours keep the schedule valid, and more attempts never take more steps.
    #[test]
    fn more_attempts_never_take_more_steps(instance in any_instance(9), seed in any::<u64>()) {
        let problem = instance.problem();
        let aim = first(&problem, seed).step_count() as u32 - 1;
        let mut before = u32::MAX;
        for evaluations in [1, 1 << 13] {
            match schedule(&problem, aim, seed, &Budget::evaluations(evaluations)) {
                Ok(shorter) => {
                    before = shorter.step_count() as u32;
                    prop_assert!(before <= aim);
                    let report = verify(&problem, &shorter);
                    prop_assert!(report.is_ok(), "{}", report.unwrap_err());
                }
                Err(NotFound::TooLong { steps, reached }) => {
                    prop_assert_eq!(steps, aim);
                    prop_assert!((aim + 1..=before).contains(&reached));
                    before = reached;
                }
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }

    #[test]
    fn node_numbers_do_not_matter(topology in any_topology(10).prop_flat_map(shuffled), model in any_model()) {
        let root = topology.terminals()[0];
        let collectives = [
            Collective::broadcast(root),
            Collective::all_to_all(),
            Collective::all_reduce(),
            Collective::gather(root),
        ];
        for collective in collectives {
            let Ok(problem) = Problem::new(&topology, &collective, model) else { continue };
            let report = verify(&problem, &first(&problem, 1));
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
        }
    }
}

/// Returns a line of terminals that do not route, so that messages are relayed.
fn line_without_routers(length: usize) -> Topology {
    let mut line = TopologyBuilder::new("line");
    let nodes: Vec<NodeId> = (0..length).map(|place| line.node(place.to_string(), true, Some(false))).collect();
    nodes.windows(2).for_each(|pair| {
        line.link(pair[0], pair[1]);
    });
    line.build().unwrap()
}

#[test]
fn terminals_that_do_not_route_relay() {
    let line = line_without_routers(5);
    let model = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let ends = [line.terminals()[0], line.terminals()[4]];
    let (exchange, total) = (Collective::many_to_many_scatter(&ends, &ends), Collective::all_to_all());
    let broadcast = Collective::many_to_many_broadcast(&ends[..1], &[line.terminals()[2], ends[1]]);
    for (collective, steps) in [(exchange, 4), (total, 6), (broadcast, 4)] {
        let problem = Problem::new(&line, &collective, model).unwrap();
        let found = schedule(&problem, ANY_LENGTH, 1, &Budget::evaluations(1)).unwrap();
        // The ends are four hops apart; the middle channel separates two terminals from three.
        assert!((steps..=steps + 2).contains(&verify(&problem, &found).unwrap().steps), "{}", found.step_count());
    }
}

#[test]
fn store_and_forward_relays_only_for_distant_receivers() {
    let ring: Topology = "ring:9".parse().unwrap();
    let [source, near, far] = [0, 1, 4].map(|place| ring.terminals()[place]);
    let message = Message { source, receivers: vec![near, far] };
    let collective = Collective::custom(vec![message]);
    let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
    let report = verify(&problem, &first(&problem, 1)).unwrap();
    // One direction, over two relays that are no receivers.
    assert_eq!((report.steps, report.deliveries, report.relays), (4, 2, 2));
}

/// Returns a ring of four in which the channels `a -> b` and `c -> d` share a bus.
fn ring_with_a_bus() -> Topology {
    let mut ring = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c", "d"].map(|name| ring.terminal(name));
    let forward = [0, 1, 2, 3].map(|place| ring.channel(nodes[place], nodes[(place + 1) % 4]));
    ring.share([forward[0], forward[2]]);
    for place in 0..4 {
        ring.channel(nodes[(place + 1) % 4], nodes[place]);
    }
    ring.build().unwrap()
}

#[test]
fn no_transfer_uses_a_bus_twice() {
    let ring = ring_with_a_bus();
    for routing in [Routing::Minimal, Routing::Any] {
        let model = CommunicationModel { routing, ..CommunicationModel::wormhole() };
        for collective in [Collective::all_to_all(), Collective::all_gather()] {
            let problem = Problem::new(&ring, &collective, model).unwrap();
            for seed in 0..20 {
                verify(&problem, &first(&problem, seed)).unwrap();
                verify(&problem, &schedule(&problem, ANY_LENGTH, seed, &quick()).unwrap()).unwrap();
            }
        }
    }
}

/// Returns a line `a -> b -> c` on one bus.
fn bus() -> Topology {
    let mut line = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c"].map(|name| line.terminal(name));
    let channels = [line.channel(nodes[0], nodes[1]), line.channel(nodes[1], nodes[2])];
    line.share(channels);
    line.build().unwrap()
}

#[test]
fn a_broadcast_over_a_bus_goes_hop_by_hop() {
    let bus = bus();
    let collective = Collective::broadcast(bus.terminals()[0]);
    for routing in [Routing::Minimal, Routing::Any] {
        let model = CommunicationModel { routing, ..CommunicationModel::wormhole() };
        let problem = Problem::new(&bus, &collective, model).unwrap();
        assert_eq!(verify(&problem, &first(&problem, 1)).unwrap().steps, 2);
    }
}

/// Without relays, the only path uses the bus twice.
#[test]
fn a_bus_is_used_twice_only_by_two_transfers() {
    let line = bus();
    let nodes = line.terminals();
    let collective = Collective::many_to_many_scatter(&nodes[..1], &nodes[2..]);
    let direct = CommunicationModel::wormhole();
    let error = Problem::new(&line, &collective, direct).unwrap_err();
    assert!(matches!(error, ProblemError::Unreachable { .. }), "{error}");
    let relayed = CommunicationModel { scatter: ScatterRule::Relay, ..direct };
    let stored = CommunicationModel { switching: Switching::StoreAndForward, ..direct };
    for model in [relayed, stored] {
        let problem = Problem::new(&line, &collective, model).unwrap();
        for budget in [Budget::evaluations(1), quick()] {
            let schedule = schedule(&problem, ANY_LENGTH, 1, &budget).unwrap();
            assert_eq!(verify(&problem, &schedule).unwrap().steps, 2);
        }
    }
}

/// The walk over `a` is shorter, but its two channels share a resource.
#[test]
fn a_legal_detour_replaces_a_shorter_illegal_walk() {
    let mut network = TopologyBuilder::new("detour");
    let [from, to] = ["from", "to"].map(|name| network.terminal(name));
    let [a, b, c] = ["a", "b", "c"].map(|name| network.switch(name));
    let wire = [network.channel(from, a), network.channel(a, to)];
    network.share(wire);
    for (tail, head) in [(from, b), (b, c), (c, to)] {
        network.channel(tail, head);
    }
    let network = network.build().unwrap();
    for collective in [Collective::broadcast(from), Collective::scatter(from)] {
        for routing in [Routing::Minimal, Routing::Any] {
            let model = CommunicationModel { routing, ..CommunicationModel::wormhole() };
            let problem = Problem::new(&network, &collective, model).unwrap();
            let found = first(&problem, 1);
            assert_eq!((verify(&problem, &found).unwrap().longest_path, found.step_count()), (3, 1));
        }
    }
}

#[test]
fn detours_pass_only_through_nodes_that_route() {
    for (routes, steps) in [(true, 1), (false, 2)] {
        let mut triangle = TopologyBuilder::new("triangle");
        let [from, to, corner] =
            [("from", true), ("to", true), ("corner", routes)].map(|(name, on)| triangle.node(name, true, Some(on)));
        for (tail, head) in [(from, to), (from, corner), (corner, to)] {
            triangle.channel(tail, head);
        }
        let triangle = triangle.build().unwrap();
        let pair = Collective::many_to_many_scatter(&[from], &[to]).with_chunks(2.try_into().unwrap());
        let model = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
        let problem = Problem::new(&triangle, &pair, model).unwrap();
        let reached = match schedule(&problem, 1, 1, &Budget::evaluations(1 << 14)) {
            Ok(schedule) => verify(&problem, &schedule).unwrap().steps,
            Err(NotFound::TooLong { reached, .. }) => reached as usize,
            Err(other) => panic!("{other}"),
        };
        assert_eq!(reached, steps);
    }
}

#[test]
fn problems_that_are_too_large_are_unsupported() {
    let ring: Topology = "ring:100000".parse().unwrap();
    let model = CommunicationModel::store_and_forward();
    for collective in [Collective::all_gather(), Collective::all_reduce()] {
        let problem = Problem::new(&ring, &collective, model).unwrap();
        let error = schedule(&problem, ANY_LENGTH, 1, &Budget::evaluations(1)).unwrap_err();
        assert!(matches!(error, NotFound::Unsupported { .. }), "{error}");
    }
}
