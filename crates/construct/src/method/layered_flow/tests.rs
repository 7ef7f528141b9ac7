//! Tests of the whole method.

use std::collections::BTreeSet;

use lockstep_model::port_limit;
use lockstep_paths::FlowNetwork;
use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Budget, Collective, CommunicationModel, MessageId, Ports, Problem, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::kit::testing::{any_network, broadcast_to, lower_bound, renumbered};

/// Returns the number of steps after up to eight attempts, with every schedule verified; `None` if the method does not
/// support the problem.
fn steps(problem: &Problem<'_>, goal: u32) -> Option<u32> {
    let budget = Budget::unlimited();
    let mut request = MethodRequest { goal, ..MethodRequest::first(problem, &budget) };
    for attempt in 0..8 {
        request.attempts = attempt..attempt + 1;
        if let Ok(schedule) = (LAYERED_FLOW.find)(&request) {
            let verified = verify(problem, &schedule).expect("a valid schedule");
            assert_eq!(verified.redundant, 0);
            request.below = verified.steps as u32;
        }
        if request.below <= goal {
            break;
        }
    }
    (request.below < u32::MAX).then_some(request.below)
}

fn model(routing: Routing, ports: Ports) -> CommunicationModel {
    CommunicationModel { routing, ports, ..CommunicationModel::wormhole() }
}

/// Returns the number of steps above the growth bound on a renumbered network.
fn gap(spec: &str, model: CommunicationModel) -> u32 {
    let topology = renumbered(&spec.parse().expect("a spec"));
    let root = topology.terminals()[topology.terminal_count() / 3];
    let collective = Collective::broadcast(root);
    let problem = Problem::new(&topology, &collective, model).expect("a connected network");
    let bound = lower_bound(&problem);
    steps(&problem, bound).expect("it serves every network") - bound
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    #[test]
    fn every_wormhole_network_is_supported(
        topology in any_network(16), root: Index, others in prop::collection::vec(any::<Index>(), 0..9),
        model in any_model(),
    ) {
        let (_, collective) = broadcast_to(&topology, root, &others);
        let model = CommunicationModel { switching: Switching::Wormhole, ..model };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let bound = lower_bound(&problem);
        let found = steps(&problem, bound).expect("it serves every network");
        prop_assert!(found >= bound);
        prop_assert_eq!(Some(found), steps(&problem, bound), "the same every time");
    }
}

/// Returns the fewest steps along any paths by exhaustive search over the sets of holders after each step. A maximum
/// flow decides whether one set can become another.
fn exhaustive_steps(problem: &Problem<'_>, root: NodeId) -> u32 {
    let (topology, ports) = (problem.topology(), problem.model().ports);
    let nodes = topology.node_count();
    let bit = |node: NodeId| 1u32 << node.number();
    let terminals = topology.terminals().iter().fold(0, |set, &node| set | bit(node));
    let receivers = problem.messages().receivers_iter(MessageId::new(0)).fold(0, |set, node| set | bit(node));
    let becomes = |old: u32, new: u32| {
        // Nodes send from a vertex of their own, so that paths do not pass through nodes that do not route.
        let mut network = FlowNetwork::new(2 * nodes + 2);
        for node in topology.nodes() {
            let sends = if old & bit(node) == 0 { 0 } else { port_limit(topology, ports, topology.out_channels(node)) };
            network.add_arc(2 * nodes, nodes + node.index(), sends);
            network.add_arc(node.index(), 2 * nodes + 1, u32::from(new & !old & bit(node) != 0));
            let passes = if topology.routes(node) { u32::MAX / 2 } else { 0 };
            network.add_arc(node.index(), nodes + node.index(), passes);
        }
        for channel in topology.channels() {
            network.add_arc(
                nodes + topology.tail(channel).index(),
                topology.head(channel).index(),
                topology.capacity(channel),
            );
        }
        network.max_flow(2 * nodes, 2 * nodes + 1) == u64::from((new & !old).count_ones())
    };
    let mut sets = BTreeSet::from([bit(root)]);
    for steps in 0.. {
        if sets.iter().any(|set| set & receivers == receivers) {
            return steps;
        }
        let supersets = |old: u32| {
            let grown = (0..1u32 << nodes).filter(move |new| new & !terminals == 0 && old & !new == 0);
            grown.filter(move |&new| becomes(old, new))
        };
        sets = sets.iter().flat_map(|&old| supersets(old)).collect();
    }
    unreachable!("some number of steps suffices")
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(24))]

    #[test]
    fn small_networks_take_the_fewest_steps_by_any_paths(
        topology in any_network(6), root: Index, some: bool, model in any_model(),
    ) {
        let root = *root.get(topology.terminals());
        let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
        let collective = if some && others.len() > 2 {
            Collective::many_to_many_broadcast(&[root], &others[1..])
        } else {
            Collective::broadcast(root)
        };
        let model = CommunicationModel { switching: Switching::Wormhole, routing: Routing::Any, ..model };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let fewest = exhaustive_steps(&problem, root);
        prop_assert_eq!(steps(&problem, fewest), Some(fewest));
    }
}

#[test]
fn regular_networks_meet_the_bound_by_any_paths() {
    let specs = [
        "torus:7x9",
        "torus:8x8",
        "torus:10x10",
        "torus:11x11",
        "torus:6x20",
        "torus:16x16",
        "torus:4x4x4",
        "torus:7x7x7",
        "mesh:4x4",
        "mesh:8x8",
        "hypercube:5",
        "hypercube:8",
        "hypercube:10",
        "kautz:3,2",
        "kautz:3,3",
        "kautz:2,5",
    ];
    for spec in specs {
        assert_eq!(gap(spec, model(Routing::Any, Ports::All)), 0, "{spec}");
    }
}

#[test]
fn regular_networks_meet_the_bound_by_shortest_paths_or_take_a_step_more() {
    let specs = [
        "torus:7x9",
        "torus:8x8",
        "torus:10x10",
        "torus:11x11",
        "torus:6x20",
        "torus:16x16",
        "torus:7x7x7",
        "mesh:8x8",
        "hypercube:8",
        "hypercube:10",
        "kautz:3,3",
        "kautz:2,5",
    ];
    for spec in specs {
        assert_eq!(gap(spec, model(Routing::Minimal, Ports::All)), 0, "{spec}");
    }
    for spec in ["torus:24x26", "mesh:10x10"] {
        assert!(gap(spec, model(Routing::Minimal, Ports::All)) <= 1, "{spec}");
    }
}

#[test]
fn the_bound_is_met_with_few_ports_and_half_duplex_links() {
    for ports in 1..=3 {
        for spec in ["torus:8x8", "hypercube:6"] {
            assert_eq!(gap(spec, model(Routing::Minimal, Ports::limit(ports).unwrap())), 0, "{spec}, {ports} ports");
        }
    }
    let torus = "torus:7x9".parse::<Topology>().unwrap().half_duplex();
    let collective = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
    assert_eq!(steps(&problem, 1), Some(lower_bound(&problem)));
}

/// With one port, each step doubles the number of holders.
#[test]
fn multistage_networks_double() {
    for spec in ["omega:16", "butterfly:16", "clos:3,3,4", "fat-tree:2,5", "b-tree:32"] {
        assert_eq!(gap(spec, CommunicationModel::wormhole()), 0, "{spec}");
    }
}

/// The multistage document, Table 3: 3, 4 and 5 steps, from any depth.
#[test]
fn binary_trees_take_as_long_as_in_the_document() {
    for (nodes, expected) in [(15, 3), (31, 4), (63, 5)] {
        let tree: Topology = format!("full-b-tree:{nodes}").parse().unwrap();
        for root in [0, 1, 2, 4, 9, nodes - 1] {
            let collective = Collective::broadcast(NodeId::new(root));
            let problem = Problem::new(&tree, &collective, CommunicationModel::wormhole()).unwrap();
            assert_eq!(steps(&problem, expected), Some(expected), "{nodes} nodes from {root}");
        }
    }
}

#[test]
fn terminals_that_do_not_route_relay_messages() {
    let mut line = TopologyBuilder::new("line");
    let nodes = ["a", "b", "c", "d"].map(|name| line.node(name, true, Some(false)));
    for pair in nodes.windows(2) {
        line.link(pair[0], pair[1]);
    }
    let (line, broadcast) = (line.build().unwrap(), Collective::broadcast(nodes[0]));
    for routing in [Routing::Any, Routing::Minimal] {
        let problem = Problem::new(&line, &broadcast, model(routing, Ports::All)).unwrap();
        assert_eq!(steps(&problem, 1), Some(3));
    }
}

#[test]
fn a_cancelled_search_returns_the_greedy_schedule() {
    let torus: Topology = "torus:9x9".parse().unwrap();
    let collective = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
    let budget = Budget::unlimited().cancelled_at_check(2);
    let schedule = (LAYERED_FLOW.find)(&MethodRequest::first(&problem, &budget)).expect("a schedule all the same");
    assert!(verify(&problem, &schedule).is_ok());
}

#[test]
fn other_problems_are_not_supported() {
    let ring: Topology = "ring:6".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let forward = Problem::new(&ring, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(steps(&forward, 1), None);
    let scatter = Collective::scatter(NodeId::new(0));
    assert_eq!(steps(&Problem::new(&ring, &scatter, CommunicationModel::wormhole()).unwrap(), 1), None);

    let mut bus = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c"].map(|name| bus.terminal(name));
    let channels = [(0, 1), (0, 2), (1, 2)].map(|(tail, head)| bus.channel(nodes[tail], nodes[head]));
    bus.share(channels);
    let bus = bus.build().unwrap();
    assert_eq!(steps(&Problem::new(&bus, &broadcast, CommunicationModel::wormhole()).unwrap(), 1), None);
}
