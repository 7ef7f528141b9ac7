//! Random networks for property tests with proptest.
//!
//! They shrink to smaller valid networks: fewer nodes, fewer cycles, lower numbers. They are boxed, so that they are compiled once,
//! and not in every test program.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

/// Returns the configuration of a property with a number of cases.
///
/// The environment variable `LOCKSTEP_CASES=N` multiplies the number, for a thorough run. `PROPTEST_CASES` would give all properties the
/// same number.
///
/// # Panics
///
/// Panics if `LOCKSTEP_CASES` is not a number.
pub fn cases(cases: u32) -> ProptestConfig {
    let factor =
        std::env::var("LOCKSTEP_CASES").map_or(1, |factor| factor.parse().expect("LOCKSTEP_CASES is a number"));
    ProptestConfig::with_cases(cases.saturating_mul(factor))
}

/// Generates connected direct networks of 2 to `max_nodes` nodes with full-duplex links, none of them parallel.
pub fn connected_topology(max_nodes: usize) -> BoxedStrategy<Topology> {
    let max_nodes = max_nodes.max(2);
    (parents(1..=max_nodes - 1), pairs(max_nodes))
        .prop_map(|(parents, extra)| {
            let mut network = TopologyBuilder::new("connected");
            let nodes = numbered(&mut network, parents.len() + 1);
            link_all(&mut network, &nodes, &parents, &extra);
            build(network)
        })
        .boxed()
}

/// Generates direct trees of 2 to `max_nodes` nodes with full-duplex links.
pub fn tree(max_nodes: usize) -> BoxedStrategy<Topology> {
    parents(1..=max_nodes.max(2) - 1)
        .prop_map(|parents| {
            let mut network = TopologyBuilder::new("tree");
            let nodes = numbered(&mut network, parents.len() + 1);
            link_all(&mut network, &nodes, &parents, &[]);
            build(network)
        })
        .boxed()
}

/// Generates strongly connected direct networks of 2 to `max_nodes` nodes with one-way channels, some of them parallel.
pub fn directed_topology(max_nodes: usize) -> BoxedStrategy<Topology> {
    // Ear decomposition: each strongly connected digraph is a node and a sequence of paths between existing nodes.
    let max_nodes = max_nodes.max(2);
    let ear = (any::<Index>(), any::<Index>(), 0..=3usize);
    prop::collection::vec(ear, 1..=max_nodes)
        .prop_map(move |ears| {
            let mut network = TopologyBuilder::new("directed");
            let mut nodes = numbered(&mut network, 1);
            for (from, to, length) in ears {
                let (from, to) = (*from.get(&nodes), *to.get(&nodes));
                let length = if nodes.len() == 1 { length.max(1) } else { length }.min(max_nodes - nodes.len());
                let mut last = from;
                for _ in 0..length {
                    let next = network.terminal(nodes.len().to_string());
                    nodes.push(next);
                    network.channel(last, next);
                    last = next;
                }
                if last != to {
                    network.channel(last, to);
                }
            }
            build(network)
        })
        .boxed()
}

/// Generates indirect networks of 3 to `max_nodes` nodes: connected switches, and two or more terminals with one link
/// each.
pub fn indirect_topology(max_nodes: usize) -> BoxedStrategy<Topology> {
    let max_nodes = max_nodes.max(3);
    let max_terminals = (max_nodes / 2).max(2);
    let max_switches = max_nodes - max_terminals;
    let places = prop::collection::vec(any::<Index>(), 2..=max_terminals);
    (places, parents(0..=max_switches - 1), pairs(max_switches))
        .prop_map(|(places, parents, extra)| {
            let mut network = TopologyBuilder::new("indirect");
            let terminals = numbered(&mut network, places.len());
            let switches: Vec<NodeId> = (0..=parents.len()).map(|place| network.switch(format!("s{place}"))).collect();
            for (&terminal, place) in terminals.iter().zip(&places) {
                network.link(terminal, *place.get(&switches));
            }
            link_all(&mut network, &switches, &parents, &extra);
            build(network)
        })
        .boxed()
}

/// Generates networks of all these kinds, with half-duplex links, and with [failed nodes and channels](gapped). None
/// has [buses](connected_bus_topology).
///
/// They have 2 to `max_nodes` working nodes, indirect networks 3 or more.
pub fn any_topology(max_nodes: usize) -> BoxedStrategy<Topology> {
    prop_oneof![
        tree(max_nodes),
        connected_topology(max_nodes),
        connected_topology(max_nodes).prop_map(|topology| topology.half_duplex()),
        indirect_topology(max_nodes),
        directed_topology(max_nodes),
        prop_oneof![connected_topology(max_nodes), indirect_topology(max_nodes), directed_topology(max_nodes)]
            .prop_flat_map(gapped),
    ]
    .boxed()
}

/// Generates networks of all these kinds with [buses](bused). A legal path, which uses no resource twice, joins every two
/// terminals. It may be longer than the shortest walk.
pub fn connected_bus_topology(max_nodes: usize) -> BoxedStrategy<Topology> {
    let network =
        prop_oneof![connected_topology(max_nodes), indirect_topology(max_nodes), directed_topology(max_nodes)];
    let connected = network.prop_flat_map(bused).prop_map(|topology| legally_connected(&topology));
    prop_oneof![2 => connected.clone(), 1 => connected.prop_flat_map(gapped)].boxed()
}

/// Lets one to three groups of random channels of a network without shared resources share a resource each.
pub fn bused(topology: Topology) -> BoxedStrategy<Topology> {
    prop::collection::vec(prop::option::weighted(0.4, 0..3usize), topology.channel_bound())
        .prop_map(move |groups| sharing(&topology, &groups))
        .boxed()
}

/// Returns the network in which the channels of a group share a resource, and the others do not.
fn sharing(topology: &Topology, groups: &[Option<usize>]) -> Topology {
    let mut network = TopologyBuilder::new(topology.name());
    for node in topology.nodes() {
        network.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    let mut shared = vec![Vec::new(); groups.iter().flatten().max().map_or(0, |last| last + 1)];
    for (channel, group) in topology.channel_numbers().zip(groups) {
        let channel = network.channel(topology.tail(channel), topology.head(channel));
        if let Some(group) = group {
            shared[*group].push(channel);
        }
    }
    for channels in shared {
        network.share(channels);
    }
    build(network)
}

/// Returns the network in which fewer channels share resources, so that a path of a depth-first search from each terminal
/// to every other one is legal.
fn legally_connected(topology: &Topology) -> Topology {
    let group = |channel| Some(topology.resource(channel).index());
    let mut groups: Vec<Option<usize>> = topology.channels().map(group).collect();
    for &source in topology.terminals() {
        let mut last = vec![None; topology.node_count()];
        let mut open = vec![(source, None)];
        while let Some((node, by)) = open.pop() {
            if last[node.index()].is_some() || node == source && by.is_some() {
                continue;
            }
            last[node.index()] = by;
            if node == source || topology.routes(node) {
                open.extend(topology.out_channels(node).iter().map(|&channel| (topology.head(channel), Some(channel))));
            }
        }
        for &target in topology.terminals() {
            let before = |channel: &ChannelId| last[topology.tail(*channel).index()];
            let mut used = Vec::new();
            for channel in std::iter::successors(last[target.index()], before) {
                let group = &mut groups[channel.index()];
                if used.contains(group) {
                    *group = None;
                }
                used.extend(group.map(Some));
            }
        }
    }
    sharing(topology, &groups)
}

/// Returns a network in which no legal path joins its two terminals, in either direction, and in which a search must try
/// about `2^stages` combinations to prove that.
///
/// At both ends there are `stages` pairs of parallel switches. Between the ends there is a chain of gates, one for each of
/// these switches. A gate shares a resource with its switch, and a path uses one switch of each pair.
pub fn bus_puzzle(stages: usize) -> Topology {
    let mut network = TopologyBuilder::new("puzzle");
    let mut guarded = Vec::new();
    let ends = ["source", "target"].map(|name| {
        let mut last = network.terminal(name);
        for stage in 0..stages {
            let next = network.switch(format!("{name} {stage}"));
            for side in ["left", "right"] {
                let middle = network.switch(format!("{name} {stage} {side}"));
                guarded.push(network.link(last, middle));
                network.link(middle, next);
            }
            last = next;
        }
        last
    });
    let mut last = ends[0];
    for (gate, link) in guarded.into_iter().enumerate() {
        let next = network.switch(format!("gate {gate}"));
        let gate = network.link(last, next);
        network.share(link.into_iter().chain(gate));
        last = next;
    }
    network.link(last, ends[1]);
    build(network)
}

/// Gives random resources of a network a capacity of up to `most`.
pub fn with_capacities(topology: Topology, most: u64) -> BoxedStrategy<Topology> {
    prop::collection::vec(prop_oneof![Just(1), 1..=most.max(1)], topology.resource_count())
        .prop_map(move |capacities| {
            let mut network = copy(&topology);
            for channel in topology.channels() {
                network.set_capacity([channel], capacities[topology.resource(channel).index()]);
            }
            build(network)
        })
        .boxed()
}

/// Returns the network in which each channel of capacity `b` is `b` parallel channels of capacity 1, and the channel of the
/// original network of each of its channels. A schedule of one network is a schedule of the other one, if there are no
/// [buses](Topology::has_buses).
pub fn with_parallel_channels(topology: &Topology) -> (Topology, Vec<ChannelId>) {
    let mut network = TopologyBuilder::new(topology.name());
    for node in topology.nodes() {
        network.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    let (mut original, mut shared) = (Vec::new(), Vec::new());
    let most = topology.channels().map(|channel| topology.capacity(channel)).max().unwrap_or(1);
    let groups = topology.shared_groups();
    for copy in 0..most {
        let mut copies = vec![None; topology.channel_bound()];
        for channel in topology.channels().filter(|&channel| copy < topology.capacity(channel)) {
            copies[channel.index()] = Some(network.channel(topology.tail(channel), topology.head(channel)));
            original.push(channel);
        }
        let of_group = |group: &Vec<ChannelId>| group.iter().filter_map(|channel| copies[channel.index()]).collect();
        shared.extend(groups.iter().map(of_group).collect::<Vec<Vec<ChannelId>>>());
    }
    for channels in shared {
        network.share(channels);
    }
    for &node in topology.failed_nodes() {
        network.fail_node(node);
    }
    (build(network), original)
}

/// Returns a builder of the same network.
fn copy(topology: &Topology) -> TopologyBuilder {
    let mut network = TopologyBuilder::new(topology.name());
    for node in topology.nodes() {
        network.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    for channel in topology.channel_numbers() {
        network.channel(topology.tail(channel), topology.head(channel));
    }
    for group in topology.shared_groups() {
        network.share(group);
    }
    for &node in topology.failed_nodes() {
        network.fail_node(node);
    }
    for channel in topology.failed_channels() {
        network.fail_channel(channel);
    }
    network
}

/// Returns the Petersen graph as a direct network. It is vertex-transitive, but not a Cayley graph.
pub fn petersen() -> Topology {
    let mut network = TopologyBuilder::new("petersen");
    let nodes = numbered(&mut network, 10);
    for place in 0..5 {
        network.link(nodes[place], nodes[(place + 1) % 5]);
        network.link(nodes[place], nodes[place + 5]);
        network.link(nodes[place + 5], nodes[5 + (place + 2) % 5]);
    }
    build(network)
}

/// Inserts failed nodes and channels between those of a network, so that its numbers have gaps.
pub fn gapped(topology: Topology) -> BoxedStrategy<Topology> {
    let lost_nodes = prop::collection::vec(any::<Index>(), 0..=2);
    let lost_channels = prop::collection::vec((any::<Index>(), any::<Index>(), any::<Index>()), 0..=4);
    (lost_nodes, lost_channels)
        .prop_map(move |(lost_nodes, lost_channels)| {
            let mut network = TopologyBuilder::new(topology.name());
            let mut nodes = Vec::new();
            for node in topology.nodes() {
                let before = lost_nodes.iter().filter(|place| place.index(topology.node_count()) == node.index());
                for _ in before {
                    let lost = network.terminal(format!("lost{}", network.node_count()));
                    network.fail_node(lost);
                }
                let routes = Some(topology.routes(node));
                nodes.push(network.node(topology.node_name(node), topology.is_terminal(node), routes));
            }
            let mut channels = Vec::new();
            for channel in topology.channel_numbers() {
                for (place, from, to) in &lost_channels {
                    let (from, to) = (from.index(network.node_count()), to.index(network.node_count()));
                    if place.index(topology.channel_bound()) == channel.index() && from != to {
                        let lost = network.channel(NodeId::from_index(from), NodeId::from_index(to));
                        network.fail_channel(lost);
                    }
                }
                let [tail, head] = [topology.tail(channel), topology.head(channel)].map(|node| nodes[node.index()]);
                channels.push(network.channel(tail, head));
            }
            for group in topology.shared_groups() {
                network.share(group.iter().map(|channel| channels[channel.index()]));
            }
            build(network)
        })
        .boxed()
}

/// Relabels a network by a random permutation. Use it with `prop_flat_map`.
pub fn shuffled(topology: Topology) -> BoxedStrategy<Topology> {
    let places: Vec<NodeId> = topology.nodes().collect();
    Just(places).prop_shuffle().prop_map(move |places| topology.relabelled(&places)).boxed()
}

/// Generates the parent of each node, except the root, in a random tree.
fn parents(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), count)
}

/// Generates additional links.
fn pairs(max: usize) -> impl Strategy<Value = Vec<(Index, Index)>> {
    prop::collection::vec((any::<Index>(), any::<Index>()), 0..=max)
}

fn numbered(network: &mut TopologyBuilder, count: usize) -> Vec<NodeId> {
    (0..count).map(|node| network.terminal(node.to_string())).collect()
}

/// Adds the links of a tree, and those additional links that are neither loops nor parallel.
fn link_all(network: &mut TopologyBuilder, nodes: &[NodeId], parents: &[Index], extra: &[(Index, Index)]) {
    let tree = parents.iter().enumerate().map(|(place, parent)| (parent.index(place + 1), place + 1));
    let extra = extra.iter().map(|(u, v)| (u.index(nodes.len()), v.index(nodes.len())));
    let mut linked = Vec::new();
    for (u, v) in tree.chain(extra) {
        let link = (u.min(v), u.max(v));
        if u != v && !linked.contains(&link) {
            linked.push(link);
            network.link(nodes[link.0], nodes[link.1]);
        }
    }
}

fn build(network: TopologyBuilder) -> Topology {
    network.build().expect("names are distinct and channels join distinct nodes")
}
