use std::collections::VecDeque;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bound::node_bound;
use super::search::halvings;
use super::*;

/// The sum of distances over ordered pairs, one search for every node; `None` if some pair is not connected.
fn plain_sum(neighbours: &[u32], degree: usize) -> Option<u64> {
    let order = neighbours.len() / degree;
    let mut sum = 0;
    for source in 0..order {
        let mut distance = vec![None; order];
        let mut waiting = VecDeque::from([source]);
        distance[source] = Some(0);
        while let Some(node) = waiting.pop_front() {
            let next = distance[node].map(|steps| steps + 1);
            for &neighbour in &neighbours[node * degree..][..degree] {
                let place = &mut distance[neighbour as usize];
                if place.is_none() {
                    *place = next;
                    waiting.push_back(neighbour as usize);
                }
            }
        }
        sum += distance.into_iter().sum::<Option<u64>>()?;
    }
    Some(sum)
}

/// Orders and degrees for which there are regular graphs, with a period.
fn sizes() -> impl Strategy<Value = (u32, u32, u32)> {
    let regular = |(order, degree): &(u32, u32)| order * degree % 2 == 0;
    (3..=90u32).prop_flat_map(|order| (Just(order), 2..order.min(8))).prop_filter("regular", regular).prop_flat_map(
        |(order, degree)| {
            let periods: Vec<u32> = (1..=order).filter(|&period| order.is_multiple_of(period)).collect();
            (Just(order), Just(degree), prop::sample::select(periods))
        },
    )
}

fn shuffled((order, degree, period): (u32, u32, u32), seed: u64) -> Polycirculant {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut graph = Polycirculant::circulant(order, degree, period).expect("the graph exists");
    for _ in 0..4 * degree * period {
        graph.switch(&mut rng);
    }
    graph
}

proptest! {
    #[test]
    fn sums_of_words_are_those_of_plain_searches(sizes in sizes(), seed: u64) {
        let graph = shuffled(sizes, seed);
        let (degree, order) = (graph.degree(), sizes.0 as usize);
        let sum = plain_sum(graph.neighbours(), degree);
        let mut distances = DistanceSum::new(order);
        prop_assert_eq!(distances.of(graph.neighbours(), degree, order, u64::MAX), sum);
        let of_classes = distances.of(graph.neighbours(), degree, graph.period(), u64::MAX);
        prop_assert_eq!(of_classes.map(|sum| sum * u64::from(graph.rotations())), sum);
        if let Some(sum) = sum {
            prop_assert_eq!(distances.of(graph.neighbours(), degree, order, sum), Some(sum));
            prop_assert_eq!(distances.of(graph.neighbours(), degree, order, sum - 1), None);
        }
    }

    #[test]
    fn no_graph_beats_the_bound((order, degree, period) in sizes(), seed: u64) {
        let graph = shuffled((order, degree, period), seed);
        if let Some(sum) = plain_sum(graph.neighbours(), degree as usize) {
            prop_assert!(sum >= distance_sum_bound(order.into(), degree.into()).unwrap());
        }
    }

    #[test]
    fn switches_keep_graphs_simple_and_symmetric((order, degree, period) in sizes(), seed: u64) {
        let graph = shuffled((order, degree, period), seed);
        let row = |node: u32| &graph.neighbours()[(node * degree) as usize..][..degree as usize];
        for node in 0..order {
            let mut heads = row(node).to_vec();
            prop_assert!(heads.iter().all(|&head| head != node && row(head).contains(&node)));
            heads.sort_unstable();
            prop_assert!(heads.array_windows().all(|[one, next]| one != next));
            let turned: Vec<u32> = row(node).iter().map(|head| (head + period) % order).collect();
            prop_assert_eq!(turned, row((node + period) % order));
        }
        prop_assert_eq!(graph.links().len() as u32, order * degree / 2);
    }

    #[test]
    fn links_of_one_orbit_are_the_turns_of_one_link(sizes in sizes(), seed: u64) {
        let (order, _, period) = sizes;
        let links = shuffled(sizes, seed).links();
        for Link { ends: [u, v], orbit } in &links {
            let (u, v) = ((u + period) % order, (v + period) % order);
            let turned = Link { ends: [u.min(v), u.max(v)], orbit: *orbit };
            prop_assert!(links.contains(&turned), "{turned:?}");
            let turns = links.iter().filter(|link| link.orbit == *orbit).count() as u32;
            prop_assert!(turns == order / period || 2 * turns == order / period);
        }
    }

    #[test]
    fn a_switch_taken_back_leaves_no_trace(sizes in sizes(), seed: u64) {
        let before = shuffled(sizes, seed);
        let mut graph = before.clone();
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        for _ in 0..20 {
            if let Some(switched) = graph.switch(&mut rng) {
                graph.take_back(switched);
            }
            prop_assert_eq!(&graph, &before);
        }
    }

    #[test]
    fn jumps_say_all_of_a_graph(sizes in sizes(), seed: u64) {
        let (order, degree, period) = sizes;
        let graph = shuffled(sizes, seed);
        let heads = graph.neighbours().iter().take((degree * period) as usize);
        let tails = (0..period).flat_map(|class| std::iter::repeat_n(class, degree as usize));
        let lengths: Vec<u32> = heads.zip(tails).map(|(head, tail)| (head + order - tail) % order).collect();
        prop_assert_eq!(Polycirculant::from_jumps(order, degree as usize, &lengths), Some(graph));
    }
}

#[test]
fn jumps_without_a_way_back_or_to_themselves_are_no_graph() {
    assert!(Polycirculant::from_jumps(8, 2, &[1, 7]).is_some());
    for jumps in [&[1, 2][..], &[0, 4], &[1, 1], &[4, 4], &[1, 9], &[1, 7, 1, 7, 1, 7], &[1, 7, 2, 6], &[]] {
        assert!(Polycirculant::from_jumps(8, 2, jumps).is_none(), "{jumps:?}");
    }
}

#[test]
fn bound_counts_nodes_ring_by_ring() {
    // Petersen's graph, K5, Hoffman and Singleton's graph and cycles meet it.
    assert_eq!(distance_sum_bound(10, 3), Some(10 * (3 + 2 * 6)));
    assert_eq!(distance_sum_bound(5, 4), Some(5 * 4));
    assert_eq!(distance_sum_bound(50, 7), Some(50 * (7 + 2 * 42)));
    for order in 3..12 {
        let cycle: Vec<u32> = (0..order).flat_map(|node| [(node + 1) % order, (node + order - 1) % order]).collect();
        assert_eq!(distance_sum_bound(order.into(), 2), plain_sum(&cycle, 2));
    }
}

#[test]
fn bound_of_too_few_links_or_too_many_nodes_is_none() {
    assert_eq!([0, 1, 2, 3].map(|order| distance_sum_bound(order, 0)), [Some(0), Some(0), None, None]);
    assert_eq!([1, 2, 3].map(|order| distance_sum_bound(order, 1)), [Some(0), Some(2), None]);
    for degree in [2, 3, 4, u64::MAX] {
        assert_eq!(distance_sum_bound(u64::MAX, degree), None);
    }
    assert_eq!(node_bound(u64::MAX, u64::MAX), Some(u64::MAX - 1));
}

/// The least sum of distances of all regular graphs, by trying all.
fn least_of_all(order: u32, degree: usize) -> u64 {
    fn extend(rows: &mut Vec<Vec<u32>>, degree: usize, least: &mut u64) {
        let Some(node) = rows.iter().position(|row| row.len() < degree) else {
            *least = plain_sum(&rows.concat(), degree).unwrap_or(u64::MAX).min(*least);
            return;
        };
        // Links of the first open node go upwards and ascend.
        let after = rows[node].iter().copied().max().unwrap_or(0).max(node as u32) + 1;
        for other in after..rows.len() as u32 {
            if rows[other as usize].len() < degree {
                rows[node].push(other);
                rows[other as usize].push(node as u32);
                extend(rows, degree, least);
                rows[node].pop();
                rows[other as usize].pop();
            }
        }
    }
    let mut least = u64::MAX;
    extend(&mut vec![Vec::new(); order as usize], degree, &mut least);
    least
}

#[test]
fn search_finds_the_best_of_all_small_graphs() {
    for (order, degree) in [(3, 2), (7, 2), (4, 3), (6, 3), (8, 3), (5, 4), (6, 4), (7, 4), (6, 5)] {
        let graph = search(order, degree, 1, 1 << 16).expect("the graph exists");
        let sum = plain_sum(graph.neighbours(), degree as usize);
        assert_eq!(sum, Some(least_of_all(order, degree as usize)), "{order} nodes of degree {degree}");
    }
}

#[test]
fn search_reaches_the_largest_graph_of_degree_3_and_diameter_3() {
    // It has order 20: Miller, Siran, Moore graphs and beyond, Electronic J. Combinatorics DS14 (2013). A sum at the bound
    // means diameter 3.
    let graph = search(20, 3, 0, 1 << 22).expect("the graph exists");
    assert_eq!(plain_sum(graph.neighbours(), 3), distance_sum_bound(20, 3));
}

#[test]
fn search_is_the_same_twice_and_ends_without_looks_or_switches() {
    let twice = [(); 2].map(|()| search(34, 4, 7, 1 << 18).expect("the graph exists"));
    assert_eq!(twice[0], twice[1]);
    for (order, degree) in [(26, 3), (9, 8), (13, 2), (2, 1)] {
        let graph = search(order, degree, 7, 0).expect("the graph exists");
        assert!(plain_sum(graph.neighbours(), degree as usize).is_some());
    }
}

#[test]
fn impossible_orders_and_degrees_have_no_graph() {
    for (order, degree) in [(0, 0), (1, 0), (0, 4), (4, 4), (3, 1), (5, 3), (4, 1)] {
        assert!(search(order, degree, 0, 1 << 10).is_none(), "{order} nodes of degree {degree}");
    }
}

#[test]
fn halvings_are_logarithms_between_powers_of_two() {
    let unit = 1 << 16;
    assert_eq!([1 << 63, 1 << 62, 1 << 60].map(halvings), [unit, 2 * unit, 4 * unit]);
    assert_eq!(halvings(3 << 61), unit + unit / 2);
    assert_eq!(halvings(u64::MAX), 1);
    assert_eq!(halvings(0), 64 * unit);
}
