use lockstep_topology::{Topology, TopologyBuilder, strategy};
use proptest::prelude::*;

use super::*;
use crate::{Distances, Graph, SymmetryError, published_networks};

/// A gap of 0.1 %.
const GOAL: ThroughputGoal = ThroughputGoal { gap: 1e-3, searches: 20_000 };

fn graph(spec: &str) -> Graph {
    Graph::of(&spec.parse::<Topology>().unwrap())
}

fn of(graph: &Graph) -> Throughput {
    ThroughputSearch::default().measure(graph, &[], GOAL).unwrap()
}

fn certificate(graph: &Graph, symmetries: &[Vec<u32>]) -> ThroughputCertificate {
    ThroughputSearch::default().certify(graph, symmetries, GOAL).unwrap()
}

#[track_caller]
fn assert_is(found: Throughput, expected: f64) {
    let [least, most] = [expected * (1.0 - 1e-9), expected * (1.0 + 1e-9)];
    assert!(found.lower <= most && found.upper >= least, "{found:?} instead of {expected}");
    assert!(found.gap() <= GOAL.gap, "{found:?} of {expected}");
}

/// The shift by one chassis, a symmetry of the published networks.
fn shift() -> Vec<u32> {
    (0..32).map(|router| (router + 2) % 32).collect()
}

/// Returns the throughput of a network whose channels are all symmetric: channels divided by the mean distance.
fn all_channels(graph: &Graph) -> f64 {
    let channels: u32 = (0..graph.node_count() as u32).map(|node| graph.out_degree(node)).sum();
    f64::from(channels) / (graph.terminals().len() as f64 * Distances::of(graph).unwrap().mean())
}

#[test]
fn published_networks_have_the_published_throughput() {
    // The values that the document prints, of 22-2-4, 8-33-4, 38-14-8, 74-6-12 and 72-16-12.
    for (pick, expected, rounding) in
        [(0, 1.676, 5e-4), (1, 0.954, 5e-4), (3, 3.875, 5e-4), (4, 7.15, 5e-3), (5, 6.64, 5e-3)]
    {
        let graph = published_networks::graph(&published_networks::ALL[pick]);
        for symmetries in [&[][..], &[shift()]] {
            let found = ThroughputSearch::default().measure(&graph, symmetries, GOAL).unwrap();
            let is_near = found.lower <= expected + rounding && found.upper >= expected - rounding;
            assert!(is_near && found.gap() <= GOAL.gap, "{found:?} instead of {expected}");
        }
    }
}

#[test]
fn symmetric_channels_have_equal_loads() {
    for spec in ["ring:9", "torus:5x5", "hypercube:4", "complete:7", "torus:3x3x3", "circulant:13,1,5"] {
        let graph = graph(spec);
        assert_is(of(&graph), all_channels(&graph));
    }
    assert_is(of(&Graph::of(&strategy::petersen())), 30.0 / 10.0 / (15.0 / 9.0));
}

#[test]
fn the_bottleneck_determines_the_throughput() {
    // Each leaf of a star, and each host of a fat tree, has one cable.
    assert_is(of(&graph("star:9")), 1.0);
    assert_is(of(&graph("fat-tree:2,3")), 1.0);
    // The middle of a line carries 5 times 5 flows, and the five middle cables of a mesh carry 25 times 25.
    assert_is(of(&graph("mesh:10")), 9.0 / 25.0);
    assert_is(of(&graph("mesh:6x6")), 35.0 * 6.0 / (18.0 * 18.0));
}

#[test]
fn parallel_cables_carry_one_each() {
    assert_is(of(&Graph::of_links(2, &[[0, 1], [0, 1], [1, 0]])), 3.0);
    assert_is(of(&Graph::of_links(3, &[[0, 1], [0, 1], [1, 2]])), 1.0);
}

#[test]
fn no_path_leads_through_a_host() {
    // Two switches with one host each, and a host between them, which would be the only path if hosts forwarded.
    let mut network = TopologyBuilder::new("dual-homed");
    let hosts = ["a", "b", "c"].map(|name| network.terminal(name));
    for host in [1, 2] {
        let switch = network.switch(format!("s{host}"));
        network.link(hosts[0], switch);
        network.link(hosts[host], switch);
    }
    let network = network.build().unwrap();
    assert_eq!(of(&Graph::of(&network)), Throughput::default());
}

#[test]
fn throughput_is_zero_without_pairs_or_connection() {
    for graph in [Graph::of_links(3, &[[0, 1]]), Graph::of_links(1, &[]), Graph::of_links(0, &[]), Graph::default()] {
        assert_eq!(of(&graph), Throughput::default());
        assert!(of(&graph).gap() <= 0.0);
        let certificate = certificate(&graph, &[]);
        certificate.check(&graph, &[]).unwrap();
        // Partial reachability gives no upper bound.
        let whole = Graph::of_links(3, &[[0, 1], [1, 2]]);
        assert!(ThroughputCertificate { lengths: vec![1.0; 4], ..certificate }.check(&whole, &[]).is_err());
    }
}

#[test]
fn at_least_one_round_is_made() {
    let torus = graph("torus:4x5");
    let found = ThroughputSearch::default().measure(&torus, &[], ThroughputGoal { gap: 0.0, searches: 0 }).unwrap();
    assert!(0.0 < found.lower && found.lower <= of(&torus).upper && found.upper >= of(&torus).lower);
}

#[test]
fn too_large_networks_are_refused_before_allocation() {
    let line: Vec<[u32; 2]> = (0..2_999).map(|node| [node, node + 1]).collect();
    let refused = ThroughputSearch::default().measure(&Graph::of_links(3_000, &line), &[], GOAL);
    assert_eq!(refused, Err(ThroughputError::TooLarge { sources: 3_000, nodes: 3_000 }));
    let refused = ThroughputSearch::default().certify(&graph("complete:300"), &[], GOAL);
    assert_eq!(refused, Err(ThroughputError::TooManyFlows { flows: 300 * 300 * 299 }));
}

#[test]
fn symmetries_make_large_networks_small() {
    let torus = graph("torus:60x60");
    let turn = |rows: u32, columns: u32| {
        (0..3_600).map(|node| (node / 60 + rows) % 60 * 60 + (node % 60 + columns) % 60).collect::<Vec<u32>>()
    };
    let symmetries = [turn(1, 0), turn(0, 1)];
    let certificate = certificate(&torus, &symmetries);
    assert_is(certificate.throughput, 4.0 / 30.0 * 3_599.0 / 3_600.0);
    assert_eq!(certificate.flows.len(), 4 * 3_600);
    certificate.check(&torus, &symmetries).unwrap();
}

#[test]
fn invalid_symmetries_are_refused() {
    // A square with a diagonal.
    let graph = Graph::of_links(4, &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]);
    let refuse = |images: &[u32]| {
        let symmetries = [vec![2, 3, 0, 1], images.to_vec()];
        match ThroughputSearch::default().measure(&graph, &symmetries, GOAL) {
            Err(ThroughputError::Symmetry(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refuse(&[0, 1]), SymmetryError::Length { symmetry: 1, images: 2, nodes: 4 });
    assert_eq!(refuse(&[0, 1, 2, 4]), SymmetryError::Image { symmetry: 1, node: 3, image: 4 });
    assert_eq!(refuse(&[0, 1, 2, 1]), SymmetryError::Image { symmetry: 1, node: 3, image: 1 });
    assert_eq!(refuse(&[1, 2, 3, 0]), SymmetryError::Channels { symmetry: 1, tail: 0, head: 2 });
}

#[test]
fn an_earlier_network_does_not_affect_the_result() {
    let mut search = ThroughputSearch::default();
    let pick = published_networks::graph(&published_networks::ALL[3]);
    for (graph, symmetries) in [
        (&pick, vec![]),
        (&Graph::of_links(3, &[[0, 1]]), vec![]),
        (&pick, vec![shift()]),
        (&graph("kautz:2,2"), vec![]),
        (&graph("fat-tree:2,3"), vec![]),
        (&pick, vec![]),
    ] {
        let fresh = ThroughputSearch::default().certify(graph, &symmetries, GOAL);
        assert_eq!(search.certify(graph, &symmetries, GOAL), fresh);
    }
}

proptest! {
    #[test]
    fn bounds_are_close_and_proved(topology in strategy::any_topology(14)) {
        let graph = Graph::of(&topology);
        let certificate = certificate(&graph, &[]);
        certificate.check(&graph, &[]).unwrap();
        prop_assert!(certificate.throughput.gap() <= GOAL.gap, "{:?}", certificate.throughput);
        let written = serde_json::to_string(&certificate).unwrap();
        prop_assert_eq!(serde_json::from_str::<ThroughputCertificate>(&written).unwrap(), certificate);
    }

    #[test]
    fn a_tree_carries_what_its_busiest_link_does(topology in strategy::tree(14)) {
        let graph = Graph::of(&topology);
        // The nodes on one side of each link, after its removal.
        let nodes = graph.node_count() as u32;
        let busiest = (0..nodes).flat_map(|tail| graph.neighbours(tail).iter().map(move |&head| [tail, head])).map(|link| {
            let mut side = vec![link[0]];
            let mut next = 0;
            while let Some(&node) = side.get(next) {
                let others = graph.neighbours(node).iter().filter(|&&other| [node, other] != link);
                let fresh: Vec<u32> = others.copied().filter(|other| !side.contains(other)).collect();
                side.extend(fresh);
                next += 1;
            }
            side.len() * (nodes as usize - side.len())
        });
        assert_is(of(&graph), f64::from(nodes - 1) / busiest.max().unwrap() as f64);
    }

    #[test]
    fn symmetries_change_nothing(offsets in prop::collection::vec(1..16u32, 1..4), pendants in 0..2u32) {
        // A circulant network of 16 nodes, with or without a pendant at each node.
        let links = offsets.iter().flat_map(|offset| (0..16).map(move |node| [node, (node + offset) % 16]));
        let links: Vec<[u32; 2]> = links.chain((0..16 * pendants).map(|node| [node, 16 + node])).collect();
        let graph = Graph::of_links(16 + 16 * pendants as usize, &links);
        let turn: Vec<u32> = (0..16 + 16 * pendants).map(|node| node / 16 * 16 + (node + 1) % 16).collect();
        let certificate = certificate(&graph, std::slice::from_ref(&turn));
        certificate.check(&graph, &[turn]).unwrap();
        let (some, all) = (certificate.throughput, of(&graph));
        prop_assert!(some.lower <= all.upper * (1.0 + 1e-9) && all.lower <= some.upper * (1.0 + 1e-9), "{some:?} and {all:?}");
    }

    #[test]
    fn what_is_spoiled_is_refused(topology in strategy::any_topology(10), place in any::<prop::sample::Index>()) {
        let graph = Graph::of(&topology);
        let right = certificate(&graph, &[]);
        let refuses = |spoil: &dyn Fn(&mut ThroughputCertificate)| {
            let mut spoiled = right.clone();
            spoil(&mut spoiled);
            spoiled.check(&graph, &[]).is_err()
        };
        let Throughput { lower, upper } = right.throughput;
        prop_assert!(refuses(&|it| it.throughput.lower = upper * 1.01));
        prop_assert!(refuses(&|it| it.throughput.upper = lower * 0.99));
        prop_assert!(refuses(&|it| it.throughput.lower = f64::NAN) && refuses(&|it| it.throughput.upper = f64::NAN));
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            prop_assert!(refuses(&|it| *place.get_mut(&mut it.flows) = value));
            prop_assert!(refuses(&|it| *place.get_mut(&mut it.lengths) = value));
        }
        prop_assert!(refuses(&|it| it.flows.clear()) && refuses(&|it| it.flows.push(0.0)));
        prop_assert!(refuses(&|it| it.lengths.clear()) && refuses(&|it| it.lengths.fill(0.0)));
        prop_assert!(refuses(&|it| it.flows.fill(0.0)));
        // Half of a flow is lost, or a flow is doubled.
        let used: Vec<usize> = (0..right.flows.len()).filter(|&entry| right.flows[entry] > 1e-3).collect();
        let entry = *place.get(&used);
        prop_assert!(refuses(&|it| it.flows[entry] *= 0.5));
        prop_assert!(refuses(&|it| it.flows.iter_mut().for_each(|flow| *flow *= 0.9)));
        prop_assert!(refuses(&|it| it.flows.iter_mut().for_each(|flow| *flow *= 1.1)));
    }
}
