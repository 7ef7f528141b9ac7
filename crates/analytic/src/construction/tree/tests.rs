//! The constructions on trees, verified.

use lockstep_bounds::best_reaching;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, Routing, ScatterRule, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder, strategy};
use proptest::prelude::*;

use super::{SPANNING_TREE, TREE};
use crate::Construction;

fn one_port() -> CommunicationModel {
    CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() }
}

fn store_and_forward() -> CommunicationModel {
    CommunicationModel::store_and_forward()
}

/// The steps of a verified schedule, or `None` if the construction does not support the problem.
fn steps(
    construction: Construction,
    topology: &Topology,
    collective: &Collective,
    model: CommunicationModel,
) -> Option<usize> {
    let problem = Problem::new(topology, collective, model).unwrap();
    let schedule = construction.schedule(&problem, 0, &Budget::unlimited())?;
    let report = verify(&problem, &schedule).unwrap_or_else(|violation| panic!("{}: {violation}", topology.name()));
    assert_eq!((report.steps, report.redundant), (schedule.step_count(), 0));
    Some(report.steps)
}

/// The same, and that no schedule is shorter.
fn optimum(
    construction: Construction,
    topology: &Topology,
    collective: &Collective,
    model: CommunicationModel,
) -> usize {
    let steps = steps(construction, topology, collective, model).expect("it fits");
    let problem = Problem::new(topology, collective, model).unwrap();
    let bound = best_reaching(&problem, steps as u32).steps;
    assert_eq!(steps, bound as usize, "{} {}", topology.name(), collective.abbreviation());
    steps
}

fn log2_ceil(count: usize) -> usize {
    count.next_power_of_two().ilog2() as usize
}

/// The terminals on one side of each link, by flooding without it, times those on the other.
fn load(topology: &Topology) -> usize {
    let reached = |without: usize| {
        let start = topology.tail(lockstep_topology::ChannelId::from_index(without));
        let avoid = topology.head(lockstep_topology::ChannelId::from_index(without));
        let (mut seen, mut stack) = (vec![false; topology.node_count()], vec![start]);
        seen[start.index()] = true;
        seen[avoid.index()] = true;
        let mut terminals = 0;
        while let Some(node) = stack.pop() {
            terminals += usize::from(topology.is_terminal(node));
            for &channel in topology.out_channels(node) {
                if !std::mem::replace(&mut seen[topology.head(channel).index()], true) {
                    stack.push(topology.head(channel));
                }
            }
        }
        terminals
    };
    let sides = (0..topology.channel_count()).map(reached);
    sides.map(|side| side * (topology.terminal_count() - side)).max().unwrap()
}

/// A shuffled tree some of whose nodes are switches; terminals that are leaves may or may not route.
fn any_tree(max_nodes: usize) -> impl Strategy<Value = Topology> {
    let masks = prop::collection::vec((prop::bool::weighted(0.6), any::<bool>()), max_nodes);
    (strategy::tree(max_nodes), masks).prop_flat_map(|(tree, mask)| {
        let mut mixed = TopologyBuilder::new("mixed");
        for node in tree.nodes() {
            let (wanted, routes) = mask[node.index()];
            // The first two are terminals, so that there are enough; two terminals side by side need one that routes.
            let terminal = wanted || node.number() < 2;
            let is_inner = tree.out_channels(node).len() > 1 || tree.node_count() == 2;
            mixed.node(tree.node_name(node), terminal, Some(routes || is_inner || !terminal));
        }
        for channel in tree.channels() {
            mixed.channel(tree.tail(channel), tree.head(channel));
        }
        strategy::shuffled(mixed.build().unwrap())
    })
}

proptest! {
    /// Gargano, Hell and Perennes: on a tree, load is enough.
    #[test]
    fn total_exchange_takes_the_load_of_the_busiest_link(tree in any_tree(24)) {
        let collective = Collective::all_to_all();
        for model in [one_port(), CommunicationModel::wormhole()] {
            for model in [model, CommunicationModel { scatter: ScatterRule::Relay, ..model }] {
                prop_assert_eq!(steps(TREE, &tree, &collective, model), Some(load(&tree)));
            }
        }
        optimum(TREE, &tree, &collective, one_port());
    }

    #[test]
    fn all_gather_takes_a_step_for_every_other_terminal(tree in any_tree(24)) {
        for model in [one_port(), CommunicationModel::wormhole()] {
            let steps = optimum(TREE, &tree, &Collective::all_gather(), model);
            prop_assert_eq!(steps, tree.terminal_count() - 1);
        }
    }

    /// Farley: line broadcasting doubles the holders, in either duplex.
    #[test]
    fn broadcast_doubles_the_holders(tree in any_tree(40), root: prop::sample::Index) {
        let collective = Collective::broadcast(*root.get(tree.terminals()));
        for tree in [tree.half_duplex(), tree] {
            let steps = optimum(TREE, &tree, &collective, one_port());
            prop_assert_eq!(steps, log2_ceil(tree.terminal_count()));
        }
    }

    #[test]
    fn store_and_forward_floods_without_a_gap(tree in strategy::tree(20).prop_flat_map(strategy::shuffled)) {
        let steps = optimum(TREE, &tree, &Collective::all_gather(), store_and_forward());
        prop_assert_eq!(steps, tree.node_count() - 1);
    }

    #[test]
    fn any_full_duplex_network_broadcasts_on_a_spanning_tree(
        network in prop_oneof![strategy::connected_topology(16), strategy::indirect_topology(20)]
            .prop_flat_map(strategy::shuffled),
        root: prop::sample::Index,
    ) {
        let model = CommunicationModel { routing: Routing::Any, ..one_port() };
        let broadcast = Collective::broadcast(*root.get(network.terminals()));
        let problem = Problem::new(&network, &broadcast, model).unwrap();
        let is_tree = TREE.schedule(&problem, 0, &Budget::unlimited()).is_some();
        let construction = if is_tree { TREE } else { SPANNING_TREE };
        prop_assert_eq!(optimum(construction, &network, &broadcast, model), log2_ceil(network.terminal_count()));
        let gather = optimum(construction, &network, &Collective::all_gather(), model);
        prop_assert_eq!(gather, network.terminal_count() - 1);
        if !is_tree {
            let half = network.half_duplex();
            prop_assert_eq!(steps(construction, &half, &broadcast, model), Some(log2_ceil(network.terminal_count())));
        }
    }

    /// Whatever it is given: a valid schedule or none.
    #[test]
    fn other_problems_are_served_or_refused(instance in lockstep_schedule::strategy::instance(10)) {
        for construction in [TREE, SPANNING_TREE] {
            if let Some(schedule) = construction.schedule(&instance.problem(), 0, &Budget::unlimited()) {
                prop_assert!(verify(&instance.problem(), &schedule).is_ok());
            }
        }
    }
}

#[test]
fn the_documents_trees_reach_their_bounds() {
    // Table 3 of the multistage document, where it is optimal, and for AAB the number of other terminals.
    for (spec, exchange) in
        [("b-tree:32", 256), ("full-b-tree:7", 12), ("full-b-tree:31", 240), ("full-b-tree:63", 992)]
    {
        let tree: Topology = spec.parse().unwrap();
        let model = CommunicationModel::wormhole();
        assert_eq!(optimum(TREE, &tree, &Collective::all_to_all(), model), exchange);
        optimum(TREE, &tree, &Collective::all_gather(), model);
    }
}

#[test]
fn fat_trees_have_a_tree_of_shortest_paths() {
    for spec in ["fat-tree:2,4", "fat-tree:3,3", "fat-tree:4,2"] {
        let network: Topology = spec.parse().unwrap();
        for model in [one_port(), CommunicationModel::wormhole()] {
            let broadcast = Collective::broadcast(network.terminals()[3]);
            assert_eq!(optimum(SPANNING_TREE, &network, &broadcast, model), log2_ceil(network.terminal_count()));
            optimum(SPANNING_TREE, &network, &Collective::all_gather(), model);
        }
    }
}

#[test]
fn detours_are_not_taken_for_shortest_paths() {
    let ring: Topology = "ring:7".parse().unwrap();
    assert_eq!(steps(SPANNING_TREE, &ring, &Collective::all_gather(), one_port()), None);
    let any = CommunicationModel { routing: Routing::Any, ..one_port() };
    assert_eq!(steps(SPANNING_TREE, &ring, &Collective::all_gather(), any), Some(6));
}

#[test]
fn two_half_duplex_wires_are_a_full_duplex_link() {
    let mut pairs = TopologyBuilder::new("two resources");
    let nodes: Vec<NodeId> = (0..4).map(|node| pairs.terminal(node.to_string())).collect();
    for pair in nodes.windows(2) {
        for _ in 0..2 {
            let link = pairs.link(pair[0], pair[1]);
            pairs.share(link);
        }
    }
    let line = pairs.build().unwrap();
    assert_eq!(steps(TREE, &line, &Collective::all_to_all(), one_port()), Some(4));
    let single: Topology = "mesh:1x4".parse().unwrap();
    assert_eq!(steps(TREE, &single.half_duplex(), &Collective::all_to_all(), one_port()), None);
}

#[test]
fn links_on_one_resource_are_not_supported() {
    let mut bus = TopologyBuilder::new("bus");
    let nodes: Vec<NodeId> = (0..3).map(|node| bus.terminal(node.to_string())).collect();
    let channels: Vec<_> = nodes.windows(2).flat_map(|pair| bus.link(pair[0], pair[1])).collect();
    bus.share(channels);
    let bus = bus.build().unwrap();
    let broadcast = Collective::broadcast(nodes[1]);
    assert_eq!(steps(TREE, &bus, &broadcast, one_port()), None);
}

#[test]
fn a_cancelled_budget_gives_none() {
    let tree: Topology = "full-b-tree:31".parse().unwrap();
    let budget = Budget::unlimited();
    budget.cancel();
    for collective in [Collective::all_gather(), Collective::all_to_all()] {
        let problem = Problem::new(&tree, &collective, one_port()).unwrap();
        assert_eq!(TREE.schedule(&problem, 0, &budget), None);
    }
}

#[test]
fn schedules_that_are_too_large_are_refused() {
    let line: Topology = "mesh:1x33000".parse().unwrap();
    for collective in [Collective::all_gather(), Collective::all_to_all()] {
        assert_eq!(steps(TREE, &line, &collective, one_port()), None);
    }
    let broadcast = Collective::broadcast(line.terminals()[77]);
    assert_eq!(optimum(TREE, &line, &broadcast, one_port()), log2_ceil(33000));
}

#[test]
fn a_one_way_short_cut_makes_it_no_tree() {
    let mut network = TopologyBuilder::new("short cut");
    let nodes: Vec<NodeId> = (0..4).map(|node| network.terminal(node.to_string())).collect();
    for pair in nodes.windows(2) {
        network.link(pair[0], pair[1]);
    }
    network.channel(nodes[3], nodes[0]);
    let (network, gather) = (network.build().unwrap(), Collective::all_gather());
    let any = CommunicationModel { routing: Routing::Any, ..one_port() };
    // Rooted in the middle, the walk round the line is one of shortest paths in spite of the short cut.
    for model in [one_port(), any] {
        assert_eq!(steps(TREE, &network, &gather, model), None);
        assert_eq!(steps(SPANNING_TREE, &network, &gather, model), Some(3));
    }
}
