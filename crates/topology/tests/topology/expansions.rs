//! Expansions of networks, and the digraphs that they begin with.

use lockstep_topology::*;
use proptest::prelude::*;

use super::families::{assert_regular, channel_ends, parse};

fn sorted_ends(topology: &Topology) -> Vec<(u32, u32)> {
    let mut ends = channel_ends(topology);
    ends.sort_unstable();
    ends
}

/// Returns the number of ordered pairs of nodes at each distance, a fingerprint of a network with numbered nodes.
fn distance_counts(topology: &Topology) -> Vec<usize> {
    let mut counts = Vec::new();
    for source in topology.nodes() {
        for distance in super::families::distances(topology, source) {
            let distance = distance.expect("the network is strongly connected");
            counts.resize(counts.len().max(distance + 1), 0);
            counts[distance] += 1;
        }
    }
    counts
}

#[test]
fn generalised_kautz_is_kautz_where_that_exists() {
    for (degree, diameter) in [(2, 1), (2, 4), (3, 2), (4, 3)] {
        let kautz = kautz(degree, diameter).unwrap();
        let general = generalised_kautz(degree, kautz.node_count() as u32).unwrap();
        assert_regular(&general, degree as usize);
        assert_eq!(distance_counts(&general), distance_counts(&kautz));
    }
}

#[test]
fn generalised_kautz_has_the_least_diameter() {
    for degree in 2..5u32 {
        for nodes in degree + 1..80 {
            let network = generalised_kautz(degree, nodes).unwrap();
            let most = (0..9).find(|&steps| degree.pow(steps) >= nodes).unwrap();
            assert!(distance_counts(&network).len() <= most as usize + 1, "{}", network.name());
            for node in network.nodes() {
                let loops = (1..=degree).filter(|a| (node.number() * (degree + 1) + a).is_multiple_of(nodes)).count();
                assert_eq!(network.out_channels(node).len(), degree as usize - loops);
            }
        }
    }
}

#[test]
fn circulant_digraph_with_both_directions_is_circulant() {
    assert_eq!(sorted_ends(&parse("circulant-digraph:16,13,3,12,4")), sorted_ends(&parse("circulant:16,3,4")));
    assert_eq!(channel_ends(&parse("circulant-digraph:4,1")), [(0, 1), (1, 2), (2, 3), (3, 0)]);
    let group: CayleyGraph = "circulant-digraph:8,1,3".parse().unwrap();
    assert_eq!((group.node_count(), group.generators()), (8, &[1, 3][..]));
}

#[test]
fn metacyclic_covers_circulant_digraphs_tori_and_dihedral_groups() {
    assert_eq!(
        channel_ends(&parse("metacyclic:16,1,1,3,4,12,13")),
        channel_ends(&parse("circulant-digraph:16,3,4,12,13"))
    );
    assert_eq!(sorted_ends(&parse("metacyclic:4,6,1,1,5,6,18")), sorted_ends(&parse("torus:4x6")));
    // A rotation, its inverse and a reflection of the dihedral group: a prism.
    assert_eq!(distance_counts(&parse("metacyclic:5,2,4,2,8,1")), distance_counts(&parse("product:ring:5*ring:2")));
}

#[test]
fn line_graphs_of_complete_graphs_are_kautz() {
    for (degree, power) in [(2, 1), (2, 3), (3, 2)] {
        let line = line_graph(&complete(degree + 1).unwrap(), power).unwrap();
        assert_eq!(distance_counts(&line), distance_counts(&kautz(degree, power + 1).unwrap()));
    }
    let twice = parse("line:1,line:1,moore:8");
    assert_eq!(channel_ends(&parse("line:2,moore:8")), channel_ends(&twice));
    assert_regular(&twice, 3);
}

#[test]
fn expansions_of_complete_graphs_are_multipartite() {
    let bipartite = parse("expand:3,complete:2");
    assert_eq!(distance_counts(&bipartite), [6, 18, 12]);
    assert!(channel_ends(&bipartite).iter().all(|(tail, head)| (tail + head) % 2 == 1));
    assert_regular(&parse("expand:2,complete:4"), 6);
}

#[test]
fn products_of_rings_are_tori() {
    for (product, torus) in [
        ("product:ring:4*ring:3", "torus:4x3"),
        ("product:ring:4*ring:3*ring:5", "torus:4x3x5"),
        ("product:(product:ring:4*ring:3)*ring:5", "torus:4x3x5"),
        ("power:3,ring:4", "torus:4x4x4"),
        ("power:1,ring:4", "ring:4"),
        ("power:4,complete:2", "hypercube:4"),
    ] {
        assert_eq!(parse(product).name(), product);
        assert_eq!(sorted_ends(&parse(product)), sorted_ends(&parse(torus)), "{product}");
    }
}

#[test]
fn specs_inside_specs_are_normalised() {
    for (spec, normalised) in [
        ("Line:02, Circulant:16,4,3", "line:2,circulant:16,3,4"),
        ("product:(ring:4) * ( line:1,ring:3 )", "product:ring:4*line:1,ring:3"),
        ("product:(line:1,product:ring:3*ring:3)*ring:2", "product:(line:1,product:ring:3*ring:3)*ring:2"),
        ("power:2,product:ring:3*ring:4", "power:2,product:ring:3*ring:4"),
        ("expand:2,cluster:nodes=1,gpus=1,nvlink=1B/s,rails=1,nic=1B/s", ""),
    ] {
        match spec.parse::<Topology>() {
            Ok(topology) => assert_eq!(topology.name(), normalised),
            Err(error) => assert_eq!((normalised, error.to_string().contains("switches is 1")), ("", true), "{error}"),
        }
    }
}

proptest! {
    /// Two channels are adjacent in the line graph if and only if one begins where the other ends.
    #[test]
    fn line_graph_joins_consecutive_channels(network in strategy::connected_topology(7)) {
        prop_assume!(network.channel_count() > 0);
        let line = line_graph(&network, 1).unwrap();
        let channels: Vec<_> = network.nodes().flat_map(|node| network.out_channels(node).iter().copied()).collect();
        prop_assert_eq!(line.node_count(), channels.len());
        let ends = channel_ends(&line);
        for (u, &first) in channels.iter().enumerate() {
            for (v, &second) in channels.iter().enumerate() {
                let count = ends.iter().filter(|&&pair| pair == (u as u32, v as u32)).count();
                prop_assert_eq!(count, usize::from(network.head(first) == network.tail(second)));
            }
        }
    }

    #[test]
    fn distances_of_products_add(
        left in strategy::connected_topology(5), right in strategy::connected_topology(5), copies in 1..4u32,
    ) {
        let product = cartesian_product(&[&left, &right]).unwrap();
        let expansion = degree_expansion(&left, copies).unwrap();
        let count = right.node_count();
        for u in left.nodes() {
            let from_u = super::families::distances(&left, u);
            for v in right.nodes() {
                let from_v = super::families::distances(&right, v);
                let from = super::families::distances(&product, NodeId::from_index(u.index() * count + v.index()));
                for (node, distance) in from.iter().enumerate() {
                    prop_assert_eq!(*distance, from_u[node / count].zip(from_v[node % count]).map(|(a, b)| a + b));
                }
            }
            let from = super::families::distances(&expansion, u);
            for (node, distance) in from.iter().enumerate().filter(|(node, _)| node % left.node_count() != u.index()) {
                prop_assert_eq!(*distance, from_u[node % left.node_count()]);
            }
        }
    }
}
