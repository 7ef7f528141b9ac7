//! Small random networks, and their paths by exhaustive search.

use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder, strategy};
use proptest::prelude::*;

/// Up to seven nodes of any kind, with parallel channels, dead ends and unreachable parts.
pub(crate) fn network(most_channels: usize) -> impl Strategy<Value = Topology> {
    network_of(7, most_channels)
}

/// Up to `most_nodes` nodes of any kind.
pub(crate) fn network_of(most_nodes: usize, most_channels: usize) -> impl Strategy<Value = Topology> {
    (2..=most_nodes)
        .prop_flat_map(move |nodes| {
            let kinds = prop::collection::vec((any::<bool>(), prop::option::of(any::<bool>())), nodes);
            let channels = prop::collection::vec((0..nodes, 1..nodes), 0..=most_channels);
            (kinds, channels)
        })
        .prop_map(|(kinds, channels)| {
            let mut network = TopologyBuilder::new("random");
            let nodes: Vec<NodeId> = (0..)
                .zip(kinds)
                .map(|(number, (terminal, routes))| network.node(number.to_string(), terminal, routes))
                .collect();
            for (tail, offset) in channels {
                network.channel(nodes[tail], nodes[(tail + offset) % nodes.len()]);
            }
            network.build().expect("no loops, names differ")
        })
}

/// Networks of up to seven nodes in which random channels share three resources.
pub(crate) fn bus_network(most_channels: usize) -> impl Strategy<Value = Topology> {
    network(most_channels).prop_flat_map(strategy::bused)
}

/// A line of nodes joined by `links` parallel full-duplex links each. Only its ends are terminals.
pub(crate) fn thick_line(nodes: usize, links: usize) -> Topology {
    let mut network = TopologyBuilder::new("thick line");
    let nodes: Vec<NodeId> =
        (0..nodes).map(|place| network.node(place.to_string(), place == 0 || place + 1 == nodes, Some(true))).collect();
    for pair in nodes.windows(2) {
        for _ in 0..links {
            network.link(pair[0], pair[1]);
        }
    }
    network.build().expect("no loops, names differ")
}

/// All legal paths of a pair: simple paths with inner nodes that route, without two channels of one resource.
pub(crate) fn legal_paths(topology: &Topology, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    fn extend(
        topology: &Topology,
        seen: &mut Vec<NodeId>,
        target: NodeId,
        path: &mut Vec<ChannelId>,
        found: &mut Vec<Vec<ChannelId>>,
    ) {
        let node = *seen.last().expect("it begins at the source");
        if node == target {
            found.push(path.clone());
        } else if seen.len() == 1 || topology.routes(node) {
            for channel in topology.channels().filter(|&channel| topology.tail(channel) == node) {
                let is_free = path.iter().all(|&other| topology.resource(other) != topology.resource(channel));
                if is_free && !seen.contains(&topology.head(channel)) {
                    seen.push(topology.head(channel));
                    path.push(channel);
                    extend(topology, seen, target, path, found);
                    path.pop();
                    seen.pop();
                }
            }
        }
    }
    let mut found = Vec::new();
    extend(topology, &mut vec![source], target, &mut Vec::new(), &mut found);
    found
}

/// The shortest legal paths, sorted by their channels, read backwards.
pub(crate) fn shortest_legal_paths(topology: &Topology, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    let mut paths = legal_paths(topology, source, target);
    let shortest = paths.iter().map(Vec::len).min();
    paths.retain(|path| Some(path.len()) == shortest);
    paths.sort_by_key(|path| path.iter().rev().copied().collect::<Vec<_>>());
    paths
}

/// All ordered pairs of a terminal and a node.
pub(crate) fn pairs(topology: &Topology) -> impl Iterator<Item = (NodeId, NodeId)> {
    topology.terminals().iter().flat_map(|&source| topology.nodes().map(move |node| (source, node)))
}

/// Runs `f` on a pool of `threads` threads.
pub(crate) fn on_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(f)
}
