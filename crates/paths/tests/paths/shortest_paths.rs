//! Distances, counts, enumeration and samples.

use std::collections::BTreeMap;

use lockstep_paths::{AllPairsError, ShortestPaths};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::oracle::{network, on_threads, pairs, shortest_legal_paths, thick_line};

fn parse(spec: &str) -> Topology {
    spec.parse().expect(spec)
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

fn binomial(n: u64, k: u64) -> u64 {
    factorial(n) / factorial(k) / factorial(n - k)
}

/// Compares distances and counts of all pairs of terminals with a formula of the two ranks.
fn assert_formula(spec: &str, formula: impl Fn(u64, u64) -> (u64, u64)) {
    let topology = parse(spec);
    let paths = ShortestPaths::all_pairs(&topology).expect("small");
    for (s, &source) in (0..).zip(topology.terminals()) {
        for (t, &target) in (0..).zip(topology.terminals()).filter(|&(t, _)| t != s) {
            let (distance, count) = formula(s, t);
            let found = (paths.distance(source, target).map(u64::from), paths.count(source, target));
            assert_eq!(found, (Some(distance), count), "{spec}: {s} to {t}");
        }
    }
}

#[test]
fn hypercube_has_one_path_per_order_of_the_differing_bits() {
    for dimension in 1..=7 {
        assert_formula(&format!("hypercube:{dimension}"), |s, t| {
            let distance = u64::from((s ^ t).count_ones());
            (distance, factorial(distance))
        });
    }
}

#[test]
fn mesh_counts_are_binomials() {
    assert_formula("mesh:5x7", |s, t| {
        let (rows, columns) = ((s / 7).abs_diff(t / 7), (s % 7).abs_diff(t % 7));
        (rows + columns, binomial(rows + columns, rows))
    });
}

#[test]
fn torus_counts_double_if_both_directions_are_shortest() {
    assert_formula("torus:6x5", |s, t| {
        let axis = |s: u64, t: u64, side: u64| {
            let offset = s.abs_diff(t);
            (offset.min(side - offset), 1 + u64::from(2 * offset == side))
        };
        let ((rows, row_ways), (columns, column_ways)) = (axis(s / 5, t / 5, 6), axis(s % 5, t % 5, 5));
        (rows + columns, binomial(rows + columns, rows) * row_ways * column_ways)
    });
}

#[test]
fn omega_and_butterfly_have_one_path_through_all_stages() {
    for spec in ["omega:16", "butterfly:16"] {
        assert_formula(spec, |_, _| (4 + 1, 1));
    }
}

#[test]
fn clos_has_one_path_per_middle_switch() {
    assert_formula("clos:3,5,4", |_, _| (4, 5));
}

#[test]
fn fat_tree_has_one_path_per_lowest_common_switch() {
    assert_formula("fat-tree:2,5", |s, t| {
        let level = u64::from((s ^ t).ilog2());
        (2 * (level + 1), 1 << level)
    });
}

#[test]
fn de_bruijn_and_kautz_have_one_shortest_path() {
    for spec in ["de-bruijn:2,4", "kautz:3,2"] {
        let topology = parse(spec);
        let paths = ShortestPaths::all_pairs(&topology).expect("small");
        assert!(pairs(&topology).all(|(source, target)| paths.count(source, target) == 1), "{spec}");
    }
}

#[test]
fn shared_resources_do_not_change_paths() {
    let full = parse("torus:4x4");
    let half = full.half_duplex();
    let [full_paths, half_paths] = [&full, &half].map(|topology| ShortestPaths::all_pairs(topology).expect("small"));
    for (source, target) in pairs(&full) {
        assert!(full_paths.paths(source, target).eq(half_paths.paths(source, target)));
    }
}

#[test]
fn samples_are_uniform() {
    let mesh = parse("mesh:3x3");
    let paths = ShortestPaths::all_pairs(&mesh).expect("small");
    let (source, target) = (NodeId::new(0), NodeId::new(8));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut drawn = BTreeMap::new();
    for _ in 0..6_000 {
        *drawn.entry(paths.sample(source, target, &mut rng).expect("connected")).or_insert(0) += 1;
    }
    assert!(drawn.keys().eq(paths.paths(source, target).collect::<std::collections::BTreeSet<_>>().iter()));
    // 1,000 each, within five standard deviations.
    assert!(drawn.values().all(|times| (855..=1145).contains(times)), "{drawn:?}");
}

#[test]
fn counts_are_exact_below_the_limit_and_saturate_above() {
    let ends = |nodes| (NodeId::new(0), NodeId::new(nodes - 1));
    for (nodes, count) in [(64, 1 << 63), (65, u64::MAX), (71, u64::MAX)] {
        let line = thick_line(nodes, 2);
        let paths = ShortestPaths::all_pairs(&line).expect("small");
        let (source, target) = ends(nodes as u32);
        assert_eq!(paths.count(source, target), count, "{nodes} nodes");
    }
}

#[test]
fn saturated_counts_leave_every_channel_possible() {
    let line = thick_line(71, 2);
    let paths = ShortestPaths::all_pairs(&line).expect("small");
    let (source, target) = (NodeId::new(0), NodeId::new(70));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut uses = vec![0; line.channel_count()];
    for _ in 0..400 {
        for channel in paths.sample(source, target, &mut rng).expect("connected") {
            uses[channel.index()] += 1;
        }
    }
    for channel in line.channels() {
        let forward = line.tail(channel) < line.head(channel);
        // 200 each, within five standard deviations.
        assert!(if forward { (150..=250).contains(&uses[channel.index()]) } else { uses[channel.index()] == 0 });
    }
    let first: Vec<_> = paths.paths(source, target).take(3).collect();
    assert!(first.iter().all(|path| path.len() == 70));
    // In order of ranks, both parallel channels next to the source alternate first.
    assert_eq!(first[0][1..], first[1][1..]);
    assert!(first[0][0] < first[1][0] && first[0][1] < first[2][1]);
}

#[test]
fn distances_beyond_sixteen_bits_are_exact() {
    let line = thick_line(100_000, 1);
    let paths = ShortestPaths::all_pairs(&line).expect("two terminals");
    let (source, target) = (NodeId::new(0), NodeId::new(99_999));
    assert_eq!(paths.distance(source, target), Some(99_999));
    assert_eq!(paths.paths(source, target).map(|path| path.len()).collect::<Vec<_>>(), [99_999]);
}

#[test]
fn too_many_pairs_are_refused() {
    let mut network = TopologyBuilder::new("apart");
    for number in 0..100_000 {
        network.terminal(number.to_string());
    }
    let topology = network.build().expect("names differ");
    let error = ShortestPaths::all_pairs(&topology).expect_err("120 GB");
    assert_eq!(error, AllPairsError::TooLarge { terminals: 100_000, nodes: 100_000, bytes: 120_000_000_000 });
}

#[test]
fn network_without_a_terminal_has_no_source() {
    let mut network = TopologyBuilder::new("one switch");
    network.switch("0");
    let topology = network.build().expect("one node");
    assert!(ShortestPaths::all_pairs(&topology).is_ok());
}

proptest! {
    #[test]
    fn all_pairs_equal_brute_force_on_any_number_of_threads(topology in network(14)) {
        for threads in [1, 4] {
            let paths = on_threads(threads, || ShortestPaths::all_pairs(&topology)).expect("small");
            for (source, target) in pairs(&topology) {
                let expected = shortest_legal_paths(&topology, source, target);
                prop_assert_eq!(paths.distance(source, target).map(|d| d as usize), expected.first().map(Vec::len));
                prop_assert_eq!(paths.count(source, target), expected.len() as u64);
                let mut last: Vec<_> = expected.iter().filter_map(|path| path.last().copied()).collect();
                last.dedup();
                prop_assert_eq!(paths.predecessors(source, target).collect::<Vec<_>>(), last);
                prop_assert_eq!(paths.paths(source, target).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn samples_are_shortest_paths(topology in network(14), seed in any::<u64>()) {
        let paths = ShortestPaths::all_pairs(&topology).expect("small");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for (source, target) in pairs(&topology) {
            let all: Vec<_> = paths.paths(source, target).collect();
            let sample = paths.sample(source, target, &mut rng);
            prop_assert_eq!(sample.is_none(), all.is_empty());
            prop_assert!(sample.is_none_or(|path| all.contains(&path)));
        }
    }
}
