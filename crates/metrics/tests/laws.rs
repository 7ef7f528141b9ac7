//! Relations between the metrics of a network.

use std::f64::consts::PI;

use lockstep_metrics::{
    Distances, EdgeConnectivity, Graph, PathDiversity, SpectralGap, Throughput, ThroughputGoal, ThroughputSearch,
    exact_bisection,
};
use lockstep_topology::{Topology, strategy};
use proptest::prelude::*;

/// Tolerance for rounding.
const SLACK: f64 = 1.0 + 1e-9;

fn throughput(graph: &Graph) -> Throughput {
    let goal = ThroughputGoal { gap: 0.01, searches: 20_000 };
    ThroughputSearch::default().measure(graph, &[], goal).expect("a small network")
}

/// Returns the rate per terminal that a cut of this number of channels allows.
fn most_across(graph: &Graph, is_inside: impl Fn(u32) -> bool, channels: u64) -> f64 {
    let terminals = graph.terminals();
    let inside = terminals.iter().filter(|&&terminal| is_inside(terminal)).count();
    channels as f64 * (terminals.len() - 1) as f64 / (inside * (terminals.len() - inside)) as f64
}

fn links(topology: &Topology) -> Vec<[u32; 2]> {
    let graph = Graph::of(topology);
    let row = |node| graph.neighbours(node).iter().map(move |&neighbour| [node, neighbour]);
    (0..graph.node_count() as u32).flat_map(row).filter(|[node, neighbour]| node < neighbour).collect()
}

proptest! {
    #[test]
    fn throughput_is_at_most_all_channels_over_the_mean_distance(topology in strategy::any_topology(14)) {
        let graph = Graph::of(&topology);
        let channels: u32 = (0..graph.node_count() as u32).map(|node| graph.out_degree(node)).sum();
        let bound = f64::from(channels) / (graph.terminals().len() as f64 * Distances::of(&graph).unwrap().mean());
        prop_assert!(throughput(&graph).lower <= bound * SLACK);
        prop_assert!(throughput(&graph).upper <= bound * SLACK);
    }

    #[test]
    fn throughput_passes_every_cut(topology in strategy::any_topology(12)) {
        let graph = Graph::of(&topology);
        let rate = throughput(&graph).lower;
        let halves = exact_bisection(&graph, 1_000_000).unwrap().bisection;
        let bound = most_across(&graph, |node| halves.sides[node as usize], halves.cut.into());
        prop_assert!(rate <= bound * SLACK, "{} across {:?}", rate, halves);
        let cut = EdgeConnectivity::of(&graph).unwrap();
        let bound = most_across(&graph, |node| cut.side.binary_search(&node).is_ok(), cut.channels);
        prop_assert!(rate <= bound * SLACK, "{} across {:?}", rate, cut);
        for &terminal in graph.terminals() {
            prop_assert!(rate <= f64::from(graph.out_degree(terminal)) * SLACK);
        }
    }

    #[test]
    fn node_numbers_do_not_matter(topologies in strategy::any_topology(12).prop_flat_map(|topology| {
        (Just(topology.clone()), strategy::shuffled(topology))
    })) {
        let (plain, shuffled): (Topology, Topology) = topologies;
        let [plain, shuffled] = [plain, shuffled].map(|topology| Graph::of(&topology));
        let [a, b] = [&plain, &shuffled].map(throughput);
        prop_assert!(a.lower <= b.upper * SLACK && b.lower <= a.upper * SLACK, "{:?} and {:?}", a, b);
        let [a, b] = [&plain, &shuffled].map(SpectralGap::of);
        prop_assert!((a.value - b.value).abs() <= a.error + b.error + 1e-12);
        let [a, b] = [&plain, &shuffled].map(|graph| EdgeConnectivity::of(graph).unwrap().channels);
        prop_assert_eq!(a, b);
        let [a, b] = [&plain, &shuffled].map(|graph| exact_bisection(graph, 1_000_000).unwrap().bisection.cut);
        prop_assert_eq!(a, b);
        prop_assert_eq!(Distances::of(&plain), Distances::of(&shuffled));
        prop_assert_eq!(plain.greatest_degree(), shuffled.greatest_degree());
    }

    #[test]
    fn a_link_more_takes_nothing_away(topology in strategy::connected_topology(12), ends in any::<[prop::sample::Index; 2]>()) {
        let nodes = topology.node_count();
        let mut links = links(&topology);
        let before = Graph::of_links(nodes, &links);
        let [a, b] = ends.map(|end| end.index(nodes) as u32);
        prop_assume!(a != b);
        links.push([a, b]);
        let after = Graph::of_links(nodes, &links);
        prop_assert!(throughput(&after).upper * SLACK >= throughput(&before).lower);
        let [less, more] = [&before, &after].map(|graph| EdgeConnectivity::of(graph).unwrap().channels);
        prop_assert!(less <= more && more <= less + 1);
        let [less, more] = [&before, &after].map(SpectralGap::of);
        prop_assert!(less.value <= more.value + less.error + more.error);
        let [less, more] = [&before, &after].map(|graph| exact_bisection(graph, 1_000_000).unwrap().bisection.cut);
        prop_assert!(less <= more && more <= less + 1);
        let [less, more] = [&before, &after].map(|graph| Distances::of(graph).unwrap());
        prop_assert!(more.sum <= less.sum && more.diameter <= less.diameter);
    }

    /// Fiedler, *Algebraic connectivity of graphs* (1973), 3.5 and 4.3; applied to each cut.
    #[test]
    fn the_spectral_gap_lies_between_bounds(topology in strategy::connected_topology(12)) {
        let graph = Graph::of(&topology);
        let gap = SpectralGap::of(&graph);
        let nodes = graph.node_count() as f64;
        let least = (0..graph.node_count() as u32).map(|node| graph.out_degree(node)).min().unwrap();
        let connectivity = EdgeConnectivity::of(&graph).unwrap().channels;
        prop_assert!(connectivity <= u64::from(least));
        prop_assert!(gap.value <= f64::from(least) * nodes / (nodes - 1.0) + gap.error);
        prop_assert!(gap.value + gap.error >= 2.0 * connectivity as f64 * (1.0 - (PI / nodes).cos()));
        let halves = exact_bisection(&graph, 1_000_000).unwrap().bisection;
        let half = (nodes / 2.0).floor();
        prop_assert!(f64::from(halves.cut) >= (gap.value - gap.error) * half * (nodes - half) / nodes);
    }

    #[test]
    fn all_measures_know_whether_a_network_is_in_parts(
        nodes in 2..10u32, ends in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 0..14),
    ) {
        let ends = ends.iter().map(|ends| ends.map(|end| end.index(nodes as usize) as u32));
        let graph = Graph::of_links(nodes as usize, &ends.filter(|[a, b]| a != b).collect::<Vec<_>>());
        let is_whole = Distances::of(&graph).is_some();
        prop_assert_eq!(PathDiversity::of(&graph).is_some(), is_whole);
        prop_assert_eq!(EdgeConnectivity::of(&graph).unwrap().channels > 0, is_whole);
        prop_assert_eq!(throughput(&graph).lower > 0.0, is_whole);
        prop_assert_eq!(throughput(&graph).upper > 0.0, is_whole);
        let gap = SpectralGap::of(&graph);
        prop_assert_eq!(gap.value > gap.error, is_whole, "{:?}", gap);
    }
}
