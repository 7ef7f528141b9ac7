//! Graphs of degree 4 with short distances.

use std::collections::VecDeque;

use expect_test::{ExpectFile, expect_file};
use lockstep_topology::*;

/// The sum of distances over ordered pairs of nodes.
fn distance_sum(topology: &Topology) -> u64 {
    let from = |source: NodeId| -> u64 {
        let mut distance = vec![None; topology.node_count()];
        distance[source.index()] = Some(0);
        let mut waiting = VecDeque::from([source]);
        while let Some(node) = waiting.pop_front() {
            let next = distance[node.index()].map(|steps| steps + 1);
            for head in topology.out_channels(node).iter().map(|&channel| topology.head(channel)) {
                if distance[head.index()].is_none() {
                    distance[head.index()] = next;
                    waiting.push_back(head);
                }
            }
        }
        distance.into_iter().map(|steps| steps.expect("the graph is connected")).sum()
    };
    topology.nodes().map(from).sum()
}

fn bound(topology: &Topology) -> u64 {
    distance_sum_bound(topology.node_count() as u64, 4).expect("degree 4 connects any number of nodes")
}

/// The nodes of degree 3. All others have degree 4.
fn nodes_of_degree_3(topology: &Topology) -> Vec<NodeId> {
    let degree = |node: &NodeId| topology.out_channels(*node).len();
    assert!(topology.nodes().all(|node| [3, 4].contains(&degree(&node))), "{}", topology.name());
    topology.nodes().filter(|node| degree(node) == 3).collect()
}

fn assert_simple(topology: &Topology) {
    let mut ends: Vec<[NodeId; 2]> =
        topology.channels().map(|channel| [topology.tail(channel), topology.head(channel)]).collect();
    ends.sort_unstable();
    assert!(ends.array_windows().all(|[one, next]| one != next), "{}", topology.name());
    assert!(ends.iter().all(|&[tail, head]| ends.binary_search(&[head, tail]).is_ok()), "{}", topology.name());
}

/// Checks that the graph equals its file. `known` is the best sum of distances of other searches.
fn check_stored(nodes: u32, known: u64, file: &ExpectFile) {
    let topology = amp(nodes).expect("the order is one of the family's");
    let sum = distance_sum(&topology);
    assert!(bound(&topology) <= sum && sum <= known, "{nodes} nodes: {sum}");
    let about = format!(
        "# A graph of degree 4 and order {nodes} with short distances.\n\
         # Sum of distances over ordered pairs: {sum}; lower bound: {}.\n",
        bound(&topology)
    );
    let text = about + &write_graph(&topology, GraphFormat::EdgeList).expect("the graph fits the format");
    let read = read_graph(&text, GraphFormat::EdgeList, "stored").expect("what is written is read");
    assert_eq!(read.digest(), topology.digest());
    file.assert_eq(&text);
}

#[test]
fn stored_graphs_equal_their_files_and_the_best_known() {
    check_stored(8, 80, &expect_file!["../../../../data/topologies/amp-8.edges"]);
    check_stored(16, 420, &expect_file!["../../../../data/topologies/amp-16.edges"]);
    check_stored(23, 1_058, &expect_file!["../../../../data/topologies/amp-23.edges"]);
    check_stored(32, 2_336, &expect_file!["../../../../data/topologies/amp-32.edges"]);
    check_stored(42, 4_370, &expect_file!["../../../../data/topologies/amp-42.edges"]);
    check_stored(64, 11_762, &expect_file!["../../../../data/topologies/amp-64.edges"]);
}

#[test]
fn every_order_has_a_simple_graph_of_degree_4_with_shorter_distances_than_a_random_one() {
    for nodes in (5..=30).chain([37, 64, 101, 256, 509, 512]) {
        let topology = amp(nodes).unwrap();
        assert_eq!(topology.node_count() as u32, nodes);
        assert_simple(&topology);
        assert!(nodes_of_degree_3(&topology).is_empty());
        let any = random_regular(nodes, 4, 1).unwrap();
        let sums = [bound(&topology), distance_sum(&topology), distance_sum(&any)];
        assert!(sums.is_sorted(), "amp:{nodes}: {sums:?}");
    }
}

#[test]
fn search_is_deterministic() {
    assert_eq!(amp(45).unwrap(), amp(45).unwrap());
}

/// Files name these networks, so a search that finds other graphs must not replace them.
#[test]
fn networks_of_all_orders_are_those_of_earlier_versions() {
    let mut all = [0; 32];
    for nodes in 5..=60 {
        let digest = amp(nodes).unwrap().digest();
        all.iter_mut().zip(digest).for_each(|(all, byte)| *all ^= byte);
    }
    let all: Vec<String> = all.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(all.concat(), "fdb3f1b8e4261e11fe947f1b5a0e73a79a31c675f4c08d3918b1e895ee004d97");
}

#[test]
fn the_removed_link_is_the_first_of_the_least_important_ones() {
    for nodes in [5, 8, 14, 16, 23] {
        let (whole, lacking) = (amp(nodes).unwrap(), amp_with_system_controller(nodes).unwrap());
        assert_eq!(lacking.channel_count() + 2, whole.channel_count());
        assert_simple(&lacking);
        let ends = |topology: &Topology| -> Vec<[NodeId; 2]> {
            let ends = topology.channels().map(|channel| [topology.tail(channel), topology.head(channel)]);
            ends.filter(|[u, v]| u < v).collect()
        };
        let without = |taken: &[NodeId; 2]| {
            let mut network = TopologyBuilder::new("lacking");
            whole.nodes().for_each(|node| _ = network.terminal(whole.node_name(node)));
            ends(&whole).iter().filter(|link| *link != taken).for_each(|&[u, v]| _ = network.link(u, v));
            network.build().unwrap()
        };
        let taken = ends(&whole).into_iter().min_by_key(|link| distance_sum(&without(link))).unwrap();
        assert_eq!(nodes_of_degree_3(&lacking), taken, "{nodes} nodes");
        assert_eq!(lacking.digest(), without(&taken).digest());
    }
}

#[test]
fn a_link_is_removed_from_large_graphs_too() {
    for nodes in [64, 251, 510] {
        let lacking = amp_with_system_controller(nodes).unwrap();
        assert_eq!(nodes_of_degree_3(&lacking).len(), 2);
    }
}

#[test]
fn the_spec_suffix_selects_the_controller() {
    for (spec, name) in
        [("amp:8", "amp:8"), ("AMP: 08 ", "amp:8"), ("amp:8+sc", "amp:8+sc"), ("amp: 8 +SC", "amp:8+sc")]
    {
        assert_eq!(spec.parse::<Topology>().unwrap().name(), name);
    }
}
