use lockstep_topology::{Topology, strategy};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{
    Bisection, BisectionEffort, Bisector, ExactBisection, MAX_EXACT_TERMINALS, TooManyTerminals, exact_bisection,
};
use crate::{Graph, published_networks};

const PLENTY: u64 = 100_000_000;
const SOME: BisectionEffort = BisectionEffort { starts: 2, rounds: 3 };

fn graph(spec: &str) -> Graph {
    Graph::of(&spec.parse::<Topology>().unwrap())
}

fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn exact(graph: &Graph) -> u32 {
    let found = exact_bisection(graph, PLENTY).unwrap().bisection;
    found.check(graph).unwrap();
    assert!(found.is_exact());
    found.cut
}

/// Returns true if the sides of the last search are halves with this cut.
fn has_found(bisector: &Bisector, graph: &Graph, cut: u32) -> bool {
    Bisection { sides: bisector.sides().to_vec(), cut, lower_bound: 0 }.check(graph).is_ok()
}

/// Returns the smallest cut of all halves by brute force.
fn brute_force(graph: &Graph) -> u32 {
    let nodes = graph.node_count() as u32;
    let terminals = graph.terminals().iter().fold(0, |set, terminal| set | 1u32 << terminal);
    (0..1u32 << nodes)
        .filter(|sides| (sides & terminals).count_ones() == terminals.count_ones() / 2)
        .map(|sides| {
            let is_right = |node: u32| sides >> node & 1 == 1;
            (0..nodes)
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .filter(|&(a, b)| is_right(a) != is_right(b))
                .map(|(a, b)| graph.width_between(a, b).max(graph.width_between(b, a)))
                .sum()
        })
        .min()
        .expect("some terminals are half of them")
}

#[test]
fn published_networks_have_the_published_widths() {
    let mut bisector = Bisector::default();
    for (pick, width) in published_networks::ALL.iter().zip([18, 8, 16, 38, 74, 72]) {
        let graph = published_networks::graph(pick);
        assert_eq!(exact(&graph), width, "{pick:?}");
        let cut = bisector.bisect(&graph, BisectionEffort { starts: 20, rounds: 50 }, &mut random());
        assert_eq!(cut, width, "{pick:?}");
    }
}

#[test]
fn known_networks_have_their_known_widths() {
    let known = [
        ("ring:16", 2),
        ("ring:17", 2),
        ("torus:4x4", 8),
        ("torus:6x6", 12),
        ("torus:4x4x4", 32),
        ("mesh:4x4", 4),
        ("mesh:5x5", 6),
        ("mesh:6x8", 6),
        ("hypercube:3", 4),
        ("hypercube:5", 16),
        ("complete:8", 16),
        ("complete:9", 20),
        ("star:9", 4),
        ("full-b-tree:15", 1),
        ("fat-tree:2,3", 4),
        ("fat-tree:2,4", 8),
    ];
    for (spec, width) in known {
        assert_eq!(exact(&graph(spec)), width, "{spec}");
        let mut bisector = Bisector::default();
        assert_eq!(bisector.bisect(&graph(spec), SOME, &mut random()), width, "{spec}");
    }
    assert_eq!(exact(&Graph::of(&strategy::petersen())), 5);
}

#[test]
fn disconnected_networks_have_their_exact_widths() {
    let cliques = |count: u32, size: u32| {
        let links: Vec<[u32; 2]> =
            (0..count * size).flat_map(|b| (0..b).map(move |a| [a, b])).filter(|[a, b]| a / size == b / size).collect();
        Graph::of_links((count * size) as usize, &links)
    };
    for (count, size, width) in [(2, 4, 0), (3, 3, 2), (3, 4, 4), (40, 2, 0), (1, 2, 1)] {
        let graph = cliques(count, size);
        assert_eq!(exact(&graph), width);
        assert_eq!(Bisector::default().bisect(&graph, SOME, &mut random()), width);
    }
}

#[test]
fn tiny_networks_are_bisected() {
    let mut bisector = Bisector::default();
    for graph in [Graph::default(), Graph::of_links(1, &[]), Graph::of_links(2, &[]), Graph::of_links(60, &[])] {
        for cut in [
            exact(&graph),
            bisector.kernighan_lin(&graph, &mut random()),
            bisector.best_of(&graph, 0, &mut random()),
            bisector.bisect(&graph, BisectionEffort { starts: 0, rounds: 2 }, &mut random()),
        ] {
            assert!(cut == 0 && has_found(&bisector, &graph, cut));
        }
    }
}

#[test]
fn one_run_is_often_wrong_on_a_ring_with_pendants() {
    let links: Vec<[u32; 2]> = (0..16).flat_map(|node| [[node, (node + 1) % 16], [node, node + 16]]).collect();
    let graph = Graph::of_links(32, &links);
    assert_eq!(exact(&graph), 2);
    let (mut bisector, mut random) = (Bisector::default(), random());
    let wrong = (0..300).filter(|_| bisector.kernighan_lin(&graph, &mut random) > 2).count();
    assert!((150..250).contains(&wrong), "{wrong}");
}

#[test]
fn few_starts_suffice_for_trees_of_a_thousand_hosts() {
    let mut bisector = Bisector::default();
    for (spec, width) in [("full-b-tree:1023", 1), ("fat-tree:4,5", 512), ("fat-tree:2,10", 512), ("torus:32x32", 64)] {
        let graph = graph(spec);
        let cut = bisector.bisect(&graph, BisectionEffort { starts: 4, rounds: 0 }, &mut random());
        assert_eq!(cut, width, "{spec}");
        assert!(has_found(&bisector, &graph, cut));
    }
}

/// The means of METIS and of `KaHIP` with the setting `strong` are those of six other random regular networks of 128
/// nodes; such means hardly differ from one set to another.
#[test]
fn cuts_of_random_networks_are_as_small_as_those_of_partitioners() {
    let mut bisector = Bisector::default();
    for (degree, metis, kahip) in [(8, 137.7, 130.7), (16, 348.5, 341.0)] {
        let graphs: Vec<Graph> = (0..6).map(|seed| graph(&format!("random-regular:128,{degree},{seed}"))).collect();
        let mut mean = |cut: &dyn Fn(&mut Bisector, &Graph) -> u32| {
            graphs.iter().map(|graph| f64::from(cut(&mut bisector, graph))).sum::<f64>() / 6.0
        };
        let best_of_ten = mean(&|bisector, graph| bisector.best_of(graph, 10, &mut random()));
        assert!(best_of_ten <= metis, "{best_of_ten}");
        let effort = BisectionEffort { starts: 1, rounds: 50 };
        let least = mean(&|bisector, graph| bisector.bisect(graph, effort, &mut random()));
        assert!(least <= 1.015 * kahip, "{least}");
    }
}

#[test]
fn too_many_terminals_are_refused() {
    let terminals = MAX_EXACT_TERMINALS + 1;
    assert_eq!(exact_bisection(&Graph::of_links(terminals, &[]), 1), Err(TooManyTerminals { terminals }));
}

/// Draws links between distinct nodes, some of them parallel.
fn links(nodes: usize, count: usize) -> impl Strategy<Value = Vec<[u32; 2]>> {
    let link = (0..nodes as u32, 1..nodes as u32).prop_map(move |(a, step)| [a, (a + step) % nodes as u32]);
    prop::collection::vec(link, 0..=count)
}

proptest! {
    #[test]
    fn no_halves_have_fewer_cables_between_them(topology in strategy::any_topology(10)) {
        let graph = Graph::of(&topology);
        prop_assert_eq!(exact(&graph), brute_force(&graph));
    }

    #[test]
    fn parallel_cables_are_all_counted(links in (2..9usize).prop_flat_map(|nodes| links(nodes, 30))) {
        let graph = Graph::of_links(9, &links);
        prop_assert_eq!(exact(&graph), brute_force(&graph));
    }

    #[test]
    fn no_search_is_below_the_width(topology in strategy::any_topology(24), seed: u64) {
        let graph = Graph::of(&topology);
        let width = exact(&graph);
        let (mut bisector, mut random) = (Bisector::default(), ChaCha8Rng::seed_from_u64(seed));
        let cut = bisector.kernighan_lin(&graph, &mut random);
        prop_assert!(cut >= width && has_found(&bisector, &graph, cut));
        let cut = bisector.bisect(&graph, SOME, &mut random);
        prop_assert!(cut >= width && has_found(&bisector, &graph, cut));
    }

    #[test]
    fn large_networks_are_halved_too(topology in strategy::any_topology(150), seed: u64) {
        let graph = Graph::of(&topology);
        let (mut bisector, mut random) = (Bisector::default(), ChaCha8Rng::seed_from_u64(seed));
        let cut = bisector.bisect(&graph, SOME, &mut random);
        prop_assert!(has_found(&bisector, &graph, cut));
    }

    #[test]
    fn numbers_of_nodes_do_not_matter(
        (topology, shuffled) in strategy::any_topology(20)
            .prop_flat_map(|topology| (Just(topology.clone()), strategy::shuffled(topology))),
    ) {
        prop_assert_eq!(exact(&Graph::of(&topology)), exact(&Graph::of(&shuffled)));
    }

    #[test]
    fn a_stopped_search_bounds_the_width(topology in strategy::any_topology(16), budget in 0..400u64) {
        let graph = Graph::of(&topology);
        let width = exact(&graph);
        let ExactBisection { bisection, search_nodes } = exact_bisection(&graph, budget).unwrap();
        bisection.check(&graph).unwrap();
        prop_assert!(bisection.lower_bound <= width && width <= bisection.cut);
        prop_assert!(search_nodes <= budget + graph.node_count().pow(2) as u64);
    }

    #[test]
    fn searches_before_leave_no_trace(
        before in strategy::any_topology(80), topology in strategy::any_topology(80), seed: u64,
    ) {
        let (before, graph) = (Graph::of(&before), Graph::of(&topology));
        let mut used = Bisector::default();
        used.best_of(&before, 2, &mut random());
        used.bisect(&before, SOME, &mut random());
        let mut fresh = Bisector::default();
        let random = || ChaCha8Rng::seed_from_u64(seed);
        prop_assert_eq!(used.best_of(&graph, 2, &mut random()), fresh.best_of(&graph, 2, &mut random()));
        prop_assert_eq!(used.sides(), fresh.sides());
        prop_assert_eq!(used.bisect(&graph, SOME, &mut random()), fresh.bisect(&graph, SOME, &mut random()));
        prop_assert_eq!(used.sides(), fresh.sides());
    }
}
