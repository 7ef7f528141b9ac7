//! Tests of graphs with more symmetries than rotations.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::distance_sum::Surcharge;
use super::segments::Segments;
use super::short_walks::ShortWalks;
use super::symmetry::Symmetry;
use super::tests::plain_distances;
use super::*;

/// Random graphs with more than one layer.
fn graphs() -> impl Strategy<Value = Polycirculant> {
    let groups = (3..=24u32, 2..=4u32, 1..=6u32).prop_flat_map(|(rotations, layers, orbits)| {
        let mut multipliers = Symmetry::multipliers(rotations, layers);
        multipliers.push(1);
        (Just((rotations * layers * orbits, layers * orbits, layers)), prop::sample::select(multipliers))
    });
    (groups, 3..7u32, any::<u64>()).prop_filter_map(
        "regular",
        |(((order, period, layers), multiplier), degree, seed)| {
            let symmetry = Symmetry::new(order, period, layers, multiplier)?;
            let mut graph = Polycirculant::with_symmetry(symmetry, degree)?;
            graph.shuffle(4 * graph.degree() * graph.orbits(), &mut ChaCha8Rng::seed_from_u64(seed));
            Some(graph)
        },
    )
}

proptest! {
    #[test]
    fn graphs_are_simple_and_have_the_symmetries(graph in graphs()) {
        let (order, degree, symmetry) = (graph.order(), graph.degree(), graph.symmetry());
        let heads = |node: u32| -> BTreeSet<u32> {
            graph.neighbours()[node as usize * degree..][..degree].iter().copied().collect()
        };
        let turned = |node: u32| (node + symmetry.period()) % order;
        let moved = |node: u32| symmetry.moved(node, 1);
        for node in 0..order {
            let here = heads(node);
            prop_assert_eq!(here.len(), degree);
            prop_assert!(here.iter().all(|&head| head != node && heads(head).contains(&node)));
            prop_assert_eq!(here.iter().copied().map(turned).collect::<BTreeSet<_>>(), heads(turned(node)));
            prop_assert_eq!(here.iter().copied().map(moved).collect::<BTreeSet<_>>(), heads(moved(node)));
            prop_assert_eq!(symmetry.moved(node, 1) % symmetry.orbits(), node % symmetry.orbits());
        }
        let images: BTreeSet<u32> = (0..symmetry.size()).map(|element| symmetry.image_of_0(element)).collect();
        prop_assert!(images.iter().all(|image| image % symmetry.orbits() == 0 && *image < order));
        prop_assert_eq!(images.len() as u32, symmetry.size());
    }

    #[test]
    fn one_source_per_orbit_is_enough(graph in graphs()) {
        let (order, degree, orbits) = (graph.order() as usize, graph.degree(), graph.orbits());
        let Some(plain) = plain_distances(graph.neighbours(), degree, order) else { return Ok(()) };
        let totals = Segments::new(&graph).and_then(|mut segments| segments.totals(u64::MAX, Surcharge::NONE));
        let of_orbits = DistanceSum::new(order, degree).of(graph.neighbours(), orbits, u64::MAX);
        let sum = of_orbits.map(|sum| sum * u64::from(graph.symmetry().size()));
        prop_assert_eq!(sum, Some(plain.iter().sum()));
        if let Some(totals) = totals {
            prop_assert_eq!(Some(totals.sum), of_orbits);
            prop_assert_eq!(Some(u64::from(totals.diameter)), plain.iter().copied().max());
        }
    }

    #[test]
    fn segments_and_walks_follow_switches_and_their_reversals(mut graph in graphs(), seed: u64, target in 1..5u32) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut segments = Segments::new(&graph);
        let mut walks = ShortWalks::new(&graph).expect("there are few pairs");
        let mut distances = DistanceSum::new(graph.order() as usize, graph.degree());
        let surcharge = Surcharge { target, weight: 2 };
        for is_kept in [true, false, true, true, false] {
            let before = graph.clone();
            if let Some(switched) = graph.switch(&mut rng) {
                walks.follow(&graph, &switched);
                if let Some(segments) = &mut segments {
                    segments.follow(&graph, &switched);
                }
                if !is_kept {
                    graph.undo(&switched);
                    prop_assert_eq!(&graph, &before);
                    walks.follow(&graph, &switched);
                    if let Some(segments) = &mut segments {
                        segments.follow(&graph, &switched);
                    }
                }
            }
            let expected = distances.totals(graph.neighbours(), graph.orbits(), u64::MAX, surcharge);
            if let Some(segments) = &mut segments {
                prop_assert_eq!(segments.totals(u64::MAX, surcharge), expected);
            }
            if let Some(expected) = expected.filter(|totals| (2..=3).contains(&totals.diameter)) {
                prop_assert_eq!(walks.totals(surcharge), expected);
            }
        }
    }
}

#[test]
fn multipliers_are_one_generator_of_each_cyclic_group() {
    let of = Symmetry::multipliers;
    assert_eq!([of(8, 2), of(12, 2), of(2, 2)], [vec![3, 5, 7], vec![5, 7, 11], vec![]]);
    assert_eq!([of(7, 3), of(9, 3), of(8, 3)], [vec![2], vec![4], vec![]]);
    assert_eq!([of(16, 4), of(64, 4), of(5, 4)], [vec![3, 5], vec![15, 17], vec![2]]);
}

#[test]
fn impossible_symmetries_are_refused() {
    assert!(Symmetry::new(32, 4, 2, 3).is_some());
    // The period does not divide the order, the layers do not divide the period, and 3^3 is not 1 modulo 8.
    for (period, layers, multiplier) in [(5, 1, 1), (4, 3, 1), (4, 8, 1), (4, 2, 2), (12, 3, 3), (0, 1, 1), (4, 0, 1)] {
        assert!(Symmetry::new(32, period, layers, multiplier).is_none(), "{period} {layers} {multiplier}");
    }
    assert!(Symmetry::new(96, 12, 3, 3).is_none());
}

#[test]
fn symmetric_graphs_of_all_degrees_exist() {
    for degree in 1..24 {
        let symmetry = Symmetry::new(24, 8, 4, 2).expect("2^4 is 1 modulo 3");
        let graph = Polycirculant::with_symmetry(symmetry, degree).expect("the order is even");
        assert_eq!((graph.degree() as u32, graph.links().len() as u32), (degree, 12 * degree));
    }
    let odd = Symmetry::new(63, 9, 3, 2).expect("2^3 is 1 modulo 7");
    assert_eq!(Polycirculant::with_symmetry(odd.clone(), 3), None);
    assert_eq!([0, 63].map(|degree| Polycirculant::with_symmetry(odd.clone(), degree)), [None, None]);
    assert!(Polycirculant::with_symmetry(odd, 62).is_some_and(|graph| graph.orbits() == 3));
}

#[test]
fn the_search_finds_graphs_with_more_symmetries_than_rotations() {
    let graph = order_degree(256, 8, 1, 9).expect("the graph exists");
    assert!(graph.graph.symmetry().layers() > 1 && graph.graph.symmetry().size() > graph.rotations());
    let plain = plain_distances(graph.graph.neighbours(), 8, 256).expect("it is connected");
    assert_eq!(graph.distance_sum(), plain.iter().sum::<u64>());
}
