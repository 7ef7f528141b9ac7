//! petgraph's algorithms on topologies, compared with closed formulas.

use lockstep_topology::*;
use petgraph::algo::{
    articulation_points::articulation_points, bellman_ford, connected_components, dijkstra, is_cyclic_directed,
    maximum_flow::dinics, tarjan_scc,
};
use petgraph::unionfind::UnionFind;
use petgraph::visit::*;

#[test]
fn dijkstra_finds_hamming_distances_in_a_hypercube() {
    let cube = hypercube(5).unwrap();
    let distances = dijkstra(&cube, NodeId::new(9), None, |channel| *channel.weight());
    assert_eq!(distances.len(), 32);
    assert!(distances.iter().all(|(node, &distance)| distance == (node.number() ^ 9).count_ones()));
}

#[test]
fn breadth_first_search_reaches_a_kautz_graph_in_order_of_distance() {
    let kautz = kautz(3, 2).unwrap();
    let mut search = Bfs::new(&kautz, NodeId::new(0));
    let order: Vec<u32> = std::iter::from_fn(|| search.next(&kautz)).map(NodeId::number).collect();
    // 01, then 10, 12, 13, then their successors.
    assert_eq!(order, [0, 3, 4, 5, 1, 2, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn a_reversed_view_is_the_reversed_topology() {
    let omega = omega(8).unwrap();
    let reversed = omega.reversed();
    for node in omega.nodes() {
        let view: Vec<NodeId> = Reversed(&omega).neighbors(node).collect();
        let copy: Vec<NodeId> = (&reversed).neighbors(node).collect();
        assert_eq!(view, copy);
    }
}

#[test]
fn omega_is_one_strong_component_and_without_its_terminals_has_no_cycle() {
    let omega = omega(16).unwrap();
    assert_eq!(tarjan_scc(&omega).len(), 1);
    assert!(is_cyclic_directed(&omega));
    let switches = NodeFiltered::from_fn(&omega, |node| !omega.is_terminal(node));
    assert!(!is_cyclic_directed(&switches));
}

#[test]
fn number_of_components_of_a_circulant_graph_is_the_common_divisor() {
    for (chords, components) in [(&[2, 4][..], 2), (&[3, 6], 3), (&[4, 6], 2), (&[6], 6), (&[1, 6], 1)] {
        assert_eq!(connected_components(&circulant(12, chords).unwrap()), components);
    }
}

#[test]
fn maximum_flow_counts_channel_disjoint_paths() {
    // The connectivity of a hypercube, torus or Kautz digraph is its degree.
    for (spec, degree) in [("hypercube:4", 4), ("torus:4x4", 4), ("kautz:3,2", 3), ("complete:5", 4), ("b-tree:8", 1)] {
        let topology: Topology = spec.parse().unwrap();
        for &to in &topology.terminals()[1..] {
            let (paths, _) = dinics(&topology, topology.terminals()[0], to);
            assert_eq!(paths, degree, "{spec} to {to}");
        }
    }
}

#[test]
fn bellman_ford_finds_the_diameter_of_a_ring() {
    let ring = ring(9).unwrap();
    // Bellman-Ford requires float weights.
    let weighted = petgraph::graph::DiGraph::<(), f64>::from_edges(
        (&ring)
            .edge_references()
            .map(|channel| (channel.source().number(), channel.target().number(), f64::from(*channel.weight()))),
    );
    let lengths = bellman_ford(&weighted, 0.into()).unwrap().distances;
    assert_eq!(lengths, [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 3.0, 2.0, 1.0]);
}

#[test]
fn all_links_of_a_tree_are_bridges_and_all_inner_nodes_are_articulation_points() {
    let tree = full_b_tree(15).unwrap();
    let cut_nodes = articulation_points(&tree);
    assert_eq!(cut_nodes.iter().map(|node| node.number()).max(), Some(6));
    assert_eq!(cut_nodes.len(), 7);
}

#[test]
fn visit_maps_are_set_and_reset() {
    let ring = ring(130).unwrap();
    let mut visited = ring.visit_map();
    for node in [0, 63, 64, 129].map(NodeId::new) {
        assert!(!visited.is_visited(&node));
        assert!(visited.visit(node));
        assert!(!visited.visit(node));
        assert!(visited.is_visited(&node));
    }
    assert!(visited.unvisit(NodeId::new(64)));
    assert!(!visited.unvisit(NodeId::new(64)));
    assert!(!visited.is_visited(&NodeId::new(64)));
    ring.reset_map(&mut visited);
    assert_eq!(visited, ring.visit_map());
}

#[test]
fn traits_agree_with_methods() {
    for family in families() {
        let topology: Topology = family.example.parse().unwrap();
        let graph = &topology;
        assert_eq!(NodeCount::node_count(&graph), topology.node_count());
        assert_eq!(EdgeCount::edge_count(&graph), topology.channel_count());
        assert_eq!(NodeIndexable::node_bound(&graph), topology.node_count());
        assert_eq!(EdgeIndexable::edge_bound(&graph), topology.channel_bound());
        assert!(GraphProp::is_directed(&graph));
        let mut components = UnionFind::new(graph.node_bound());
        for (channel, edge) in topology.channels().zip(graph.edge_references()) {
            assert_eq!(
                (edge.id(), edge.source(), edge.target()),
                (channel, topology.tail(channel), topology.head(channel))
            );
            assert_eq!(EdgeIndexable::from_index(&graph, EdgeIndexable::to_index(&graph, channel)), channel);
            components.union(edge.source().index(), edge.target().index());
        }
        assert!(topology.nodes().all(|node| components.equiv(0, node.index())));
        assert!(graph.node_identifiers().eq(topology.nodes()));
        assert!(graph.node_references().map(|(node, ())| node).eq(topology.nodes()));
        for node in topology.nodes() {
            assert_eq!(NodeIndexable::from_index(&graph, NodeIndexable::to_index(&graph, node)), node);
            for (direction, channels) in
                [(petgraph::Outgoing, topology.out_channels(node)), (petgraph::Incoming, topology.in_channels(node))]
            {
                assert!(graph.edges_directed(node, direction).map(|edge| edge.id()).eq(channels.iter().copied()));
                let far = |channel: &ChannelId| match direction {
                    petgraph::Outgoing => topology.head(*channel),
                    petgraph::Incoming => topology.tail(*channel),
                };
                assert!(graph.neighbors_directed(node, direction).eq(channels.iter().map(far)));
            }
        }
    }
}
