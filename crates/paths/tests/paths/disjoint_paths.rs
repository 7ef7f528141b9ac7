//! Channel-disjoint paths.

use lockstep_paths::disjoint_paths;
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use crate::oracle::{legal_paths, network, network_of, pairs};

/// The minimum number of channels that disconnect the pair, by exhaustive search.
fn cut_size(topology: &Topology, source: NodeId, target: NodeId) -> u32 {
    let paths: Vec<u32> = legal_paths(topology, source, target)
        .iter()
        .map(|path| path.iter().map(|channel| 1 << channel.number()).sum())
        .collect();
    (0u32..1 << topology.channel_bound())
        .filter(|cut| paths.iter().all(|path| path & cut != 0))
        .map(u32::count_ones)
        .min()
        .expect("all channels are a cut")
}

#[test]
fn hypercube_has_one_disjoint_path_per_dimension() {
    let cube: Topology = "hypercube:4".parse().expect("a spec");
    for (source, target) in pairs(&cube).filter(|(source, target)| source != target) {
        assert_eq!(disjoint_paths(&cube, source, target).len(), 4);
    }
}

/// Returns true for a simple path from the source to the target through nodes that route.
fn is_legal(topology: &Topology, source: NodeId, target: NodeId, path: &[ChannelId]) -> bool {
    let mut nodes = vec![source];
    nodes.extend(path.iter().map(|&channel| topology.head(channel)));
    let mut distinct = nodes.clone();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() == nodes.len()
        && nodes.last() == Some(&target)
        && nodes.iter().zip(path).all(|(&node, &channel)| topology.tail(channel) == node)
        && nodes[1..nodes.len() - 1].iter().all(|&node| topology.routes(node))
}

fn assert_disjoint(topology: &Topology, source: NodeId, target: NodeId, paths: &[Vec<ChannelId>]) {
    assert!(paths.iter().all(|path| is_legal(topology, source, target, path)), "{paths:?}");
    let mut channels = paths.concat();
    channels.sort_unstable();
    assert!(channels.is_sorted_by(|a, b| a < b), "{paths:?}");
}

/// Two paths from 0 to 3. The shortcut from 1 to 2 is on the only path of three channels, which blocks both.
const CROSSING: [(usize, usize); 7] = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 2), (1, 5), (5, 3)];

fn crossing(add: impl Fn(&mut TopologyBuilder, NodeId, NodeId)) -> Topology {
    let mut network = TopologyBuilder::new("crossing");
    let nodes = ["0", "1", "2", "3", "4", "5"].map(|name| network.terminal(name));
    for (tail, head) in CROSSING {
        add(&mut network, nodes[tail], nodes[head]);
    }
    network.build().expect("no loops")
}

#[test]
fn a_shortest_path_is_rerouted() {
    let crossing = crossing(|network, tail, head| {
        network.channel(tail, head);
    });
    let paths = disjoint_paths(&crossing, NodeId::new(0), NodeId::new(3));
    assert_eq!(paths, [[0, 5, 6], [3, 4, 2]].map(|path| path.map(ChannelId::new).to_vec()));
}

#[test]
fn no_path_uses_a_link_in_both_directions() {
    let crossing = crossing(|network, tail, head| {
        network.link(tail, head);
    });
    let paths = disjoint_paths(&crossing, NodeId::new(0), NodeId::new(3));
    assert_eq!(paths, [[0, 10, 12], [6, 8, 4]].map(|path| path.map(ChannelId::new).to_vec()));
}

#[test]
fn a_node_has_no_paths_to_itself() {
    let ring: Topology = "ring:4".parse().expect("a spec");
    assert!(disjoint_paths(&ring, NodeId::new(1), NodeId::new(1)).is_empty());
}

proptest! {
    #[test]
    fn number_of_disjoint_paths_equals_the_minimum_cut(topology in network(12)) {
        for (source, target) in pairs(&topology).filter(|(source, target)| source != target) {
            let paths = disjoint_paths(&topology, source, target);
            assert_disjoint(&topology, source, target, &paths);
            prop_assert_eq!(paths.len() as u32, cut_size(&topology, source, target));
        }
    }

    #[test]
    fn disjoint_paths_of_dense_networks_are_legal(topology in network_of(9, 60)) {
        for (source, target) in pairs(&topology).filter(|(source, target)| source != target) {
            assert_disjoint(&topology, source, target, &disjoint_paths(&topology, source, target));
        }
    }
}
