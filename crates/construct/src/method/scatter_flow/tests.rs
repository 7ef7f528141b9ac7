//! Tests of the whole method.

use lockstep_schedule::strategy::{any_model, fewest_packet_steps, packet_problem};
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, ScatterRule, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::kit::testing::{any_network, lower_bound, on_parallel_channels};

/// Returns the number of steps of the verified schedule; `None` if the method does not support the problem.
fn steps(problem: &Problem<'_>) -> Option<usize> {
    let schedule = (SCATTER_FLOW.find)(&MethodRequest::first(problem, &Budget::unlimited())).ok()?;
    Some(verify(problem, &schedule).expect("a valid schedule").steps)
}

fn spec_steps(spec: &str, root: usize, model: CommunicationModel) -> Option<usize> {
    let topology: Topology = spec.parse().expect("a spec");
    let collective = Collective::scatter(topology.terminals()[root]);
    steps(&Problem::new(&topology, &collective, model).expect("a connected network"))
}

/// Returns the distances from the root along legal paths, by relaxation.
fn distances(topology: &Topology, root: NodeId) -> Vec<usize> {
    let mut distance = vec![usize::MAX; topology.node_count()];
    distance[root.index()] = 0;
    for _ in topology.nodes() {
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            if tail == root || topology.routes(tail) {
                distance[head.index()] = distance[head.index()].min(distance[tail.index()].saturating_add(1));
            }
        }
    }
    distance
}

/// Returns a scatter to these receivers, or to all terminals if there are none.
fn any_scatter(topology: &Topology, root: NodeId, receivers: &[Index], chunks: u32) -> Collective {
    let receivers: Vec<NodeId> = receivers.iter().map(|receiver| *receiver.get(topology.terminals())).collect();
    let listed = Collective::many_to_many_scatter(&[root], &receivers);
    let is_empty = receivers.iter().all(|&receiver| receiver == root);
    let collective = if is_empty { Collective::scatter(root) } else { listed };
    collective.with_chunks(chunks.try_into().expect("a chunk"))
}

/// Returns the maximum ratio of messages to capacity: over all sets of nodes without the root, with the channels that
/// enter them, and over the ports of the root and of each receiver.
fn cut_bound(problem: &Problem<'_>, root: NodeId) -> usize {
    let (topology, model, messages) = (problem.topology(), problem.model(), problem.messages());
    let mut demand = vec![0; topology.node_count()];
    for receiver in messages.ids().flat_map(|message| messages.receivers_iter(message)) {
        demand[receiver.index()] += 1;
    }
    let distance = distances(topology, root);
    let is_legal = |tail: NodeId, head: NodeId| {
        let is_short = distance[tail.index()].checked_add(1) == Some(distance[head.index()]);
        (tail == root || topology.routes(tail)) && (model.routing == Routing::Any || is_short)
    };
    let ends = topology.channels().flat_map(|channel| {
        std::iter::repeat_n((topology.tail(channel), topology.head(channel)), topology.capacity(channel) as usize)
    });
    let ends: Vec<(NodeId, NodeId)> = ends.filter(|&(tail, head)| is_legal(tail, head)).collect();
    let by_cuts = (1u32..1 << topology.node_count()).filter(|set| set >> root.number() & 1 == 0).map(|set| {
        let is_in = |node: NodeId| set >> node.number() & 1 == 1;
        let units: usize = topology.nodes().filter(|&node| is_in(node)).map(|node| demand[node.index()]).sum();
        let inlets = ends.iter().filter(|&&(tail, head)| !is_in(tail) && is_in(head)).count();
        if units == 0 { 0 } else { units.div_ceil(inlets) }
    });
    let by_ports = match model.ports {
        Ports::All => 0,
        Ports::Limit(limit) => {
            messages.len().max(demand.iter().copied().max().unwrap_or(0)).div_ceil(limit.get() as usize)
        }
    };
    by_cuts.max().unwrap_or(0).max(by_ports)
}

/// Servers whose GPUs share rails: the root sends messages to the other GPUs of its server, which send them on over rails of
/// their own. Those paths do not begin with shortest paths from the root.
#[test]
fn relays_use_all_rails_of_a_server() {
    for (rails, servers) in [(1, 6), (2, 6), (4, 6), (1, 16)] {
        let spec = format!("cluster:nodes={servers},gpus=4,nvlink=200GB/s,rails={rails},nic=50GB/s");
        let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
        // All but the first step bring four messages to other servers.
        assert_eq!(spec_steps(&spec, 0, relay), Some(servers), "{spec}");
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    /// The tightest cut decides the number of steps.
    #[test]
    fn direct_scatter_takes_the_steps_of_the_tightest_cut(
        topology in any_network(9), root: Index, model in any_model(),
        receivers in prop::collection::vec(any::<Index>(), 0..9), chunks in 1u32..4,
    ) {
        let root = *root.get(topology.terminals());
        let collective = any_scatter(&topology, root, &receivers, chunks);
        let model = CommunicationModel { switching: Switching::Wormhole, scatter: ScatterRule::Direct, ..model };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        prop_assert_eq!(steps(&problem), Some(cut_bound(&problem, root)));
    }

    /// Either by the greedy rule or by a flow over time.
    #[test]
    fn stored_units_take_the_fewest_steps(
        topology in any_network(5), root: Index, model in any_model(),
        receivers in prop::collection::vec(any::<Index>(), 0..5),
    ) {
        let root = *root.get(topology.terminals());
        let collective = any_scatter(&topology, root, &receivers, 1);
        let Some(problem) = packet_problem(&topology, &collective, model) else { return Ok(()) };
        prop_assert_eq!(steps(&problem), Some(on_parallel_channels(&problem, fewest_packet_steps)));
    }

    /// The flow over time alone finds the fewest steps too.
    #[test]
    fn flows_over_time_take_the_fewest_steps(
        topology in any_network(5), root: Index, model in any_model(),
    ) {
        let root = *root.get(topology.terminals());
        let collective = Collective::scatter(root);
        let Some(problem) = packet_problem(&topology, &collective, model) else { return Ok(()) };
        let scatter = SingleSourceScatter::of(&problem).unwrap();
        let supply = Supply::new(&topology, &scatter, model.ports, Transport::StoreAndForward);
        let (opposite, budget) = (half_duplex_pairs(&topology).unwrap(), Budget::unlimited());
        let fewest = on_parallel_channels(&problem, fewest_packet_steps);
        let request = MethodRequest::first(&problem, &budget);
        let found = |below| time_expanded::schedule(&supply, Timing::Hops, &[], &opposite, 1, below, &request);
        prop_assert_eq!(found(fewest as u32), None);
        let schedule = found(fewest as u32 + 3).unwrap();
        prop_assert_eq!(verify(&problem, &schedule)?.steps, fewest);
    }

    #[test]
    fn larger_schedules_are_valid(
        topology in any_network(24), root: Index, model in any_model(),
        receivers in prop::collection::vec(any::<Index>(), 0..9), chunks in 1u32..4,
    ) {
        let collective = any_scatter(&topology, *root.get(topology.terminals()), &receivers, chunks);
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        let steps = steps(&problem).expect("it serves every network");
        prop_assert!(steps >= lower_bound(&problem) as usize);
    }
}

/// These cases need the flow over time: shortest routes, furthest first, take one step more than the bound.
#[test]
fn cubes_take_the_steps_of_their_ports() {
    for dim in 2..=8usize {
        let fewest = ((1 << dim) - 1usize).div_ceil(dim);
        let spec = format!("hypercube:{dim}");
        assert_eq!(spec_steps(&spec, 1, CommunicationModel::wormhole()), Some(fewest));
        assert_eq!(spec_steps(&spec, 1, CommunicationModel::store_and_forward()), Some(fewest));
    }
}

/// Halves of this flow are computed in parallel.
#[test]
fn a_large_torus_takes_the_steps_of_its_ports() {
    assert_eq!(spec_steps("torus:40x40", 3, CommunicationModel::wormhole()), Some(1599usize.div_ceil(4)));
}

#[test]
fn one_port_networks_take_one_step_per_terminal() {
    for spec in ["omega:64", "butterfly:16", "clos:3,3,4", "fat-tree:2,5", "b-tree:32"] {
        let terminals = spec.parse::<Topology>().unwrap().terminal_count();
        assert_eq!(spec_steps(spec, 2, CommunicationModel::wormhole()), Some(terminals - 1), "{spec}");
    }
}

/// The table of the tree in the multistage document, by depth, with its last three entries corrected: for a root of
/// depth d, all nodes except its subtree of 2^(6-d) - 1 nodes are behind the channel to its parent.
#[test]
fn binary_trees_take_their_largest_branch() {
    for depth in 0..6u32 {
        let subtree = (1usize << (6 - depth)) - 1;
        let largest = if depth == 0 { subtree / 2 } else { 63 - subtree };
        let root = (1 << depth) - 1;
        assert_eq!(spec_steps("full-b-tree:63", root, CommunicationModel::wormhole()), Some(largest));
    }
}

/// Detours save one step.
#[test]
fn a_mesh_is_faster_with_detours() {
    let any = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    assert_eq!(spec_steps("mesh:4x4", 1, CommunicationModel::wormhole()), Some(6));
    assert_eq!(spec_steps("mesh:4x4", 1, any), Some(5));
}

#[test]
fn other_problems_are_not_supported() {
    let ring: Topology = "ring:6".parse().unwrap();
    let broadcast = Collective::broadcast(NodeId::new(0));
    let problem = Problem::new(&ring, &broadcast, CommunicationModel::wormhole()).unwrap();
    assert_eq!(steps(&problem), None);

    let mut bus = TopologyBuilder::new("bus");
    let nodes = ["a", "b", "c"].map(|name| bus.terminal(name));
    let channels = [(0, 1), (0, 2), (1, 2)].map(|(tail, head)| bus.channel(nodes[tail], nodes[head]));
    bus.share(channels);
    let (bus, scatter) = (bus.build().unwrap(), Collective::scatter(nodes[0]));
    let problem = Problem::new(&bus, &scatter, CommunicationModel::wormhole()).unwrap();
    assert_eq!(steps(&problem), None);
}

/// Only b can relay messages to c, in another step.
#[test]
fn relays_serve_receivers_without_a_path() {
    let mut line = TopologyBuilder::new("line");
    let nodes = ["a", "b", "c"].map(|name| line.node(name, true, Some(false)));
    line.link(nodes[0], nodes[1]);
    line.link(nodes[1], nodes[2]);
    let (line, scatter) = (line.build().unwrap(), Collective::scatter(nodes[0]));
    for routing in [Routing::Any, Routing::Minimal] {
        let model = CommunicationModel { scatter: ScatterRule::Relay, routing, ..CommunicationModel::wormhole() };
        assert_eq!(steps(&Problem::new(&line, &scatter, model).unwrap()), Some(2));
    }
    let stored = Problem::new(&line, &scatter, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(steps(&stored), Some(2));
}

/// Terminals do not route, and two switches share two terminals, as in a server-centric network. These two relay the
/// messages to the far terminals.
#[test]
fn two_relays_share_the_messages_to_far_terminals() {
    let mut network = TopologyBuilder::new("two switches");
    let [root, first, second] = ["root", "first", "second"].map(|name| network.terminal(name));
    let far = ["c", "d", "e", "f"].map(|name| network.terminal(name));
    let [here, there] = ["here", "there"].map(|name| network.switch(name));
    for relay in [first, second] {
        network.link(here, relay);
        network.link(relay, there);
    }
    network.link(root, here);
    network.link(root, here);
    for far in far {
        network.link(there, far);
    }
    let network = network.build().unwrap();
    let scatter = Collective::many_to_many_scatter(&[root], &far);
    // Two channels lead to the relays: two steps for four messages, and one more step from there.
    for (routing, scatter_rule, expected) in
        [(Routing::Any, ScatterRule::Relay, Some(3)), (Routing::Minimal, ScatterRule::Relay, Some(3))]
    {
        let model = CommunicationModel { scatter: scatter_rule, routing, ..CommunicationModel::wormhole() };
        assert_eq!(steps(&Problem::new(&network, &scatter, model).unwrap()), expected);
    }
}

/// Under minimal routing, a relay joins two shortest paths into a detour that a single transfer may not take.
#[test]
fn relays_allow_detours_under_minimal_routing() {
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    assert_eq!(spec_steps("mesh:4x4", 1, relay), Some(5));
}

/// The first step sends d its message, and a that for b, which a relays over a channel that is on no shortest path from
/// the root. Direct transfers take 3 steps, and so do single hops.
#[test]
fn a_relay_leaves_the_shortest_paths_from_the_root() {
    let mut network = TopologyBuilder::new("two ways");
    let [root, a, b, c, d] = ["root", "a", "b", "c", "d"].map(|name| network.terminal(name));
    for (tail, head) in [(root, a), (root, b), (a, b), (b, c), (c, d)] {
        network.link(tail, head);
    }
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let full_duplex = network.build().unwrap();
    let half_duplex = full_duplex.half_duplex();
    let scatter = Collective::scatter(root);
    for network in [full_duplex, half_duplex] {
        assert_eq!(steps(&Problem::new(&network, &scatter, relay).unwrap()), Some(2));
        assert_eq!(steps(&Problem::new(&network, &scatter, CommunicationModel::wormhole()).unwrap()), Some(3));
        assert_eq!(steps(&Problem::new(&network, &scatter, CommunicationModel::store_and_forward()).unwrap()), Some(3));
    }
}
