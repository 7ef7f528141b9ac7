use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, verify};
use lockstep_topology::TopologyBuilder;
use lockstep_topology::strategy::{any_topology, shuffled};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// Number of steps of the construction, once the judge has seen its schedule; `None` if it declines.
fn steps(problem: &Problem<'_>, goal: u32) -> Option<u32> {
    let budget = Budget::unlimited();
    let request = Request { goal, ..Request::first(problem, &budget) };
    let schedule = (LAYERED_FLOW.find)(&request).ok()?;
    let verified = verify(problem, &schedule).expect("a valid schedule");
    assert_eq!(verified.redundant, 0);
    Some(verified.steps as u32)
}

fn model(routing: Routing, ports: Ports) -> CommunicationModel {
    CommunicationModel { routing, ports, ..CommunicationModel::wormhole() }
}

/// The steps above the growth bound on a network under other numbers than its own.
fn gap(spec: &str, model: CommunicationModel) -> u32 {
    let topology: Topology = spec.parse().expect("a spec");
    let nodes = topology.node_count() as u64;
    // The multiples of a prime: a permutation where it does not divide the number of nodes.
    let places: Vec<NodeId> = (0..nodes).map(|node| NodeId::new((node * 10_007 % nodes) as u32)).collect();
    let topology = topology.relabelled(&places);
    let root = topology.terminals()[topology.terminal_count() / 3];
    let collective = Collective::one_to_all_broadcast(root);
    let problem = Problem::new(&topology, &collective, model).expect("a connected network");
    let bound = lockstep_bounds::best(&problem).steps;
    steps(&problem, bound).expect("it serves every network") - bound
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_wormhole_network_is_served(
        topology in any_topology(16).prop_flat_map(shuffled), root: Index, others in prop::collection::vec(any::<Index>(), 0..9),
        model in any_model(),
    ) {
        let root = *root.get(topology.terminals());
        let mut others: Vec<NodeId> = others.iter().map(|other| *other.get(topology.terminals())).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|&other| other != root);
        // A message to one terminal is a scatter.
        let collective = if others.len() < 2 {
            Collective::one_to_all_broadcast(root)
        } else {
            Collective::many_to_many_broadcast(&[root], &others)
        };
        let model = CommunicationModel { switching: Switching::Wormhole, ..model };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let bound = lockstep_bounds::best(&problem).steps;
        let found = steps(&problem, bound).expect("it serves every network");
        prop_assert!(found >= bound);
        prop_assert_eq!(Some(found), steps(&problem, bound), "the same every time");
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
    for spec in ["torus:7x9", "torus:8x8", "torus:10x10", "torus:16x16", "mesh:8x8", "hypercube:8", "kautz:3,3"] {
        assert_eq!(gap(spec, model(Routing::Minimal, Ports::All)), 0, "{spec}");
    }
    for spec in ["torus:11x11", "torus:6x20", "torus:24x26", "mesh:10x10", "hypercube:10", "kautz:2,5"] {
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
    let collective = Collective::one_to_all_broadcast(NodeId::new(0));
    let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
    assert_eq!(steps(&problem, 1), Some(lockstep_bounds::best(&problem).steps));
}

/// With one port each step doubles the holders.
#[test]
fn multistage_networks_double() {
    for spec in ["omega:16", "butterfly:16", "clos:3,3,4", "fat-tree:2,5", "b-tree:32"] {
        assert_eq!(gap(spec, CommunicationModel::wormhole()), 0, "{spec}");
    }
}

/// The multistage document, Table 3: 3, 4 and 5 steps, from whatever depth.
#[test]
fn binary_trees_take_as_long_as_in_the_document() {
    for (nodes, expected) in [(15, 3), (31, 4), (63, 5)] {
        let tree: Topology = format!("full-b-tree:{nodes}").parse().unwrap();
        for root in [0, 1, 2, 4, 9, nodes - 1] {
            let collective = Collective::one_to_all_broadcast(NodeId::new(root));
            let problem = Problem::new(&tree, &collective, CommunicationModel::wormhole()).unwrap();
            assert_eq!(steps(&problem, expected), Some(expected), "{nodes} nodes from {root}");
        }
    }
}

#[test]
fn terminals_that_do_not_route_pass_messages_on() {
    let mut line = TopologyBuilder::new("line");
    let nodes = ["a", "b", "c", "d"].map(|name| line.node(name, true, Some(false)));
    for pair in nodes.windows(2) {
        line.link(pair[0], pair[1]);
    }
    let (line, broadcast) = (line.build().unwrap(), Collective::one_to_all_broadcast(nodes[0]));
    for routing in [Routing::Any, Routing::Minimal] {
        let problem = Problem::new(&line, &broadcast, model(routing, Ports::All)).unwrap();
        assert_eq!(steps(&problem, 1), Some(3));
    }
}

#[test]
fn a_cancelled_search_leaves_the_greedy_schedule() {
    let torus: Topology = "torus:9x9".parse().unwrap();
    let collective = Collective::one_to_all_broadcast(NodeId::new(0));
    let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
    let budget = Budget::unlimited();
    budget.cancel();
    let schedule = (LAYERED_FLOW.find)(&Request::first(&problem, &budget)).expect("a schedule all the same");
    assert!(verify(&problem, &schedule).is_ok());
}

#[test]
fn what_does_not_fit_is_declined() {
    let ring: Topology = "ring:6".parse().unwrap();
    let broadcast = Collective::one_to_all_broadcast(NodeId::new(0));
    let forward = Problem::new(&ring, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(steps(&forward, 1), None);
    let scatter = Collective::one_to_all_scatter(NodeId::new(0));
    assert_eq!(steps(&Problem::new(&ring, &scatter, CommunicationModel::wormhole()).unwrap(), 1), None);

    let mut bus = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c"].map(|name| bus.terminal(name));
    let channels = [(0, 1), (0, 2), (1, 2)].map(|(tail, head)| bus.channel(nodes[tail], nodes[head]));
    bus.share(channels);
    let bus = bus.build().unwrap();
    assert_eq!(steps(&Problem::new(&bus, &broadcast, CommunicationModel::wormhole()).unwrap(), 1), None);
}
