use std::collections::VecDeque;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::annealing::{Annealing, BestGraph, MILD, RunPlan, negative_log2};
use super::bound::node_bound;
use super::distance_sum::{DistanceTotals, Surcharge};
use super::segments::Segments;
use super::short_walks::ShortWalks;
use super::*;

/// Sums the distances over ordered pairs by one plain search per node; `None` if the graph is disconnected.
fn plain_sum(neighbours: &[u32], degree: usize) -> Option<u64> {
    let distances = plain_distances(neighbours, degree, neighbours.len() / degree)?;
    Some(distances.iter().sum())
}

/// Returns the distances from the first nodes to all nodes by plain searches; `None` if the graph is disconnected.
pub(super) fn plain_distances(neighbours: &[u32], degree: usize, sources: usize) -> Option<Vec<u64>> {
    let order = neighbours.len() / degree;
    let mut all = Vec::new();
    for source in 0..sources {
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
        all.extend(distance.into_iter().collect::<Option<Vec<u64>>>()?);
    }
    Some(all)
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
    fn bit_parallel_sums_equal_those_of_plain_searches(sizes in sizes(), seed: u64) {
        let graph = shuffled(sizes, seed);
        let (degree, order) = (graph.degree(), sizes.0 as usize);
        let sum = plain_sum(graph.neighbours(), degree);
        let mut distances = DistanceSum::new(order, degree);
        prop_assert_eq!(distances.of(graph.neighbours(), order, u64::MAX), sum);
        let of_classes = distances.of(graph.neighbours(), graph.period(), u64::MAX);
        prop_assert_eq!(of_classes.map(|sum| sum * u64::from(graph.rotations())), sum);
        if let Some(sum) = sum {
            prop_assert_eq!(distances.of(graph.neighbours(), order, sum), Some(sum));
            prop_assert_eq!(distances.of(graph.neighbours(), order, sum - 1), None);
        }
    }

    #[test]
    fn diameters_and_surcharges_equal_those_of_plain_searches(sizes in sizes(), seed: u64, target in 1..6u32, weight in 0..4u64) {
        let graph = shuffled(sizes, seed);
        let (degree, order, period) = (graph.degree(), sizes.0 as usize, graph.period());
        let surcharge = Surcharge { target, weight };
        let mut distances = DistanceSum::new(order, degree);
        let mut of = |limit| distances.totals(graph.neighbours(), period, limit, surcharge);
        let Some(plain) = plain_distances(graph.neighbours(), degree, period) else {
            prop_assert_eq!(of(u64::MAX), None);
            return Ok(());
        };
        let totals = of(u64::MAX).expect("it is connected");
        let longest = plain.iter().copied().max().unwrap_or(0);
        prop_assert_eq!(u64::from(totals.diameter), longest);
        prop_assert_eq!(totals.sum, plain.iter().sum::<u64>());
        prop_assert_eq!(totals.farthest_pairs, plain.iter().filter(|&&distance| distance == longest).count() as u64);
        let beyond: u64 = plain.iter().map(|distance| distance.saturating_sub(target.into())).sum();
        prop_assert_eq!(totals.cost, totals.sum + weight * beyond);
        prop_assert_eq!((of(totals.cost), of(totals.cost - 1)), (Some(totals), None));
    }

    #[test]
    fn distances_from_node_0_equal_those_of_plain_searches(sizes in sizes(), seed: u64) {
        let graph = shuffled(sizes, seed);
        let plain = plain_distances(graph.neighbours(), graph.degree(), 1);
        let totals = plain.map(|plain| (plain.iter().sum(), plain.iter().copied().max().unwrap_or(0) as u32));
        prop_assert_eq!(graph.distances_from_0(), totals);
    }

    #[test]
    fn a_shuffle_makes_the_switches_one_by_one(sizes in sizes(), seed: u64) {
        let mut graph = shuffled(sizes, 0);
        let mut one_by_one = graph.clone();
        graph.shuffle(30, &mut ChaCha8Rng::seed_from_u64(seed));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..30 {
            one_by_one.switch(&mut rng);
        }
        prop_assert_eq!(graph, one_by_one);
    }

    #[test]
    fn no_graph_beats_the_bound((order, degree, period) in sizes(), seed: u64) {
        let graph = shuffled((order, degree, period), seed);
        if let Some(sum) = plain_sum(graph.neighbours(), degree as usize) {
            prop_assert!(sum >= distance_sum_bound(order.into(), degree.into()).unwrap());
        }
    }

    #[test]
    fn switches_keep_graphs_simple_and_their_rotations((order, degree, period) in sizes(), seed: u64) {
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
    fn links_of_one_orbit_are_the_rotations_of_one_link(sizes in sizes(), seed: u64) {
        let (order, _, period) = sizes;
        let links = shuffled(sizes, seed).links();
        for PolycirculantLink { ends: [u, v], orbit } in &links {
            let (u, v) = ((u + period) % order, (v + period) % order);
            let turned = PolycirculantLink { ends: [u.min(v), u.max(v)], orbit: *orbit };
            prop_assert!(links.contains(&turned), "{turned:?}");
            let turns = links.iter().filter(|link| link.orbit == *orbit).count() as u32;
            prop_assert!(turns == order / period || 2 * turns == order / period);
        }
    }

    #[test]
    fn an_undone_switch_restores_the_graph(sizes in sizes(), seed: u64) {
        let before = shuffled(sizes, seed);
        let mut graph = before.clone();
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        for _ in 0..20 {
            if let Some(switched) = graph.switch(&mut rng) {
                graph.undo(&switched);
            }
            prop_assert_eq!(&graph, &before);
        }
    }

    #[test]
    fn walks_follow_switches_and_their_reversals(sizes in sizes(), seed: u64) {
        let (_, degree, period) = sizes;
        let mut graph = shuffled(sizes, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let mut walks = ShortWalks::new(&graph).unwrap();
        let mut distances = DistanceSum::new(graph.order() as usize, degree as usize);
        for (target, is_kept) in [(1, true), (2, false), (3, true), (2, true), (1, false)] {
            let surcharge = Surcharge { target, weight: 2 };
            if let Some(switched) = graph.switch(&mut rng) {
                walks.follow(&graph, &switched);
                if !is_kept {
                    graph.undo(&switched);
                    walks.follow(&graph, &switched);
                }
            }
            let expected = distances.totals(graph.neighbours(), period as usize, u64::MAX, surcharge);
            if let Some(expected) = expected.filter(|totals| (2..=3).contains(&totals.diameter)) {
                prop_assert_eq!(walks.totals(surcharge), expected);
            }
        }
    }

    #[test]
    fn segments_follow_switches_and_their_reversals(sizes in sizes(), seed: u64, target in 1..6u32, weight in 0..4u64) {
        let (_, degree, period) = sizes;
        let mut graph = shuffled(sizes, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let Some(mut segments) = Segments::new(&graph) else { return Ok(()) };
        let mut distances = DistanceSum::new(graph.order() as usize, degree as usize);
        let surcharge = Surcharge { target, weight };
        for is_kept in [true, false, true, true, false] {
            if let Some(switched) = graph.switch(&mut rng) {
                segments.follow(&graph, &switched);
                if !is_kept {
                    graph.undo(&switched);
                    segments.follow(&graph, &switched);
                }
            }
            let expected = distances.totals(graph.neighbours(), period as usize, u64::MAX, surcharge);
            prop_assert_eq!(segments.totals(u64::MAX, surcharge), expected);
            if let Some(totals) = expected {
                prop_assert_eq!(segments.totals(totals.cost, surcharge), expected);
                prop_assert_eq!(segments.totals(totals.cost - 1, surcharge), None);
            }
        }
    }

    #[test]
    fn jumps_define_the_graph(sizes in sizes(), seed: u64) {
        let (order, degree, period) = sizes;
        let graph = shuffled(sizes, seed);
        let heads = graph.neighbours().iter().take((degree * period) as usize);
        let tails = (0..period).flat_map(|class| std::iter::repeat_n(class, degree as usize));
        let lengths: Vec<u32> = heads.zip(tails).map(|(head, tail)| (head + order - tail) % order).collect();
        prop_assert_eq!(Polycirculant::from_jumps(order, degree as usize, &lengths), Some(graph));
    }
}

#[test]
fn sums_of_several_batches_equal_those_of_plain_searches() {
    for order in [64, 65, 256, 257, 320, 321, 577] {
        let graph = shuffled((order, 4, order), order.into());
        let sum = plain_sum(graph.neighbours(), 4).expect("it is connected");
        let mut distances = DistanceSum::new(order as usize, 4);
        let mut of = |limit| distances.of(graph.neighbours(), order as usize, limit);
        assert_eq!([of(u64::MAX), of(sum), of(sum - 1)], [Some(sum), Some(sum), None], "{order} nodes");
    }
}

#[test]
fn jumps_without_a_partner_and_loops_are_refused() {
    assert!(Polycirculant::from_jumps(8, 2, &[1, 7]).is_some());
    for jumps in [&[1, 2][..], &[0, 4], &[1, 1], &[4, 4], &[1, 9], &[1, 7, 1, 7, 1, 7], &[1, 7, 2, 6], &[]] {
        assert!(Polycirculant::from_jumps(8, 2, jumps).is_none(), "{jumps:?}");
    }
}

#[test]
fn bound_is_met_by_moore_graphs_and_cycles() {
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
fn bound_of_a_disconnected_graph_or_an_overflow_is_none() {
    assert_eq!([0, 1, 2, 3].map(|order| distance_sum_bound(order, 0)), [Some(0), Some(0), None, None]);
    assert_eq!([1, 2, 3].map(|order| distance_sum_bound(order, 1)), [Some(0), Some(2), None]);
    for degree in [2, 3, 4, u64::MAX] {
        assert_eq!(distance_sum_bound(u64::MAX, degree), None);
    }
    assert_eq!(node_bound(u64::MAX, u64::MAX), Some(u64::MAX - 1));
}

/// The smallest sum of distances of all regular graphs, by exhaustive search.
fn least_of_all(order: u32, degree: usize) -> u64 {
    fn extend(rows: &mut Vec<Vec<u32>>, degree: usize, least: &mut u64) {
        let Some(node) = rows.iter().position(|row| row.len() < degree) else {
            *least = plain_sum(&rows.concat(), degree).unwrap_or(u64::MAX).min(*least);
            return;
        };
        // Links of the first incomplete node lead to higher nodes in ascending order.
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
        let best = order_degree(order, degree, 1, 2).expect("the graph exists");
        assert_eq!(best.distance_sum(), least_of_all(order, degree as usize), "{order} nodes of degree {degree}");
    }
}

#[test]
fn search_reaches_the_largest_graph_of_degree_3_and_diameter_3() {
    // It has order 20: Miller, Siran, Moore graphs and beyond, Electronic J. Combinatorics DS14 (2013). A sum at the bound
    // means diameter 3.
    let best = order_degree(20, 3, 0, 6).expect("the graph exists");
    assert_eq!(best.distance_sum(), best.bound());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_result_is_a_simple_regular_graph_and_does_not_depend_on_threads((order, degree, _) in sizes(), seed: u64) {
        let best = order_degree(order, degree, seed, 1).expect("the graph exists");
        prop_assert_eq!((best.order(), best.degree()), (order, degree));
        prop_assert_eq!(Some(best.distance_sum()), plain_sum(best.graph.neighbours(), degree as usize));
        prop_assert!(best.bound() <= best.distance_sum());
        let plain = plain_distances(best.graph.neighbours(), degree as usize, order as usize).unwrap_or_default();
        prop_assert_eq!(plain.iter().max(), Some(&best.diameter().into()));
        let links = best.links();
        prop_assert_eq!(links.len() as u32, order * degree / 2);
        prop_assert!(links.is_sorted_by(|one, next| one < next) && links.iter().all(|[u, v]| u < v));
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        prop_assert_eq!(one_thread.install(|| order_degree(order, degree, seed, 1)), Ok(best));
    }
}

#[test]
fn slices_never_worsen_the_best_graph_and_complete_rounds() {
    let mut search = OrderDegreeSearch::new(34, 4, 7).expect("the graph exists");
    let mut ranks = vec![(search.best().diameter(), search.best().distance_sum())];
    while search.round() < 3 {
        search.advance();
        ranks.push((search.best().diameter(), search.best().distance_sum()));
    }
    assert!(ranks.is_sorted_by(|one, next| one >= next) && ranks.len() > 3, "{ranks:?}");
    assert!(ranks.last() < ranks.first() && !search.is_over());
    assert_eq!(Ok(search.best()), order_degree(34, 4, 7, 3).as_ref());
}

#[test]
fn a_smaller_diameter_precedes_a_smaller_sum() {
    let totals = |diameter, sum| DistanceTotals { diameter, sum, cost: sum, farthest_pairs: 1 };
    let [compact, short] = [totals(4, 110), totals(5, 100)];
    let rank = |objective: Objective| [compact, short].map(|totals| objective.rank(totals));
    let [compact, short] = rank(Objective::DiameterThenSum);
    assert!(compact < short);
    let [compact, short] = rank(Objective::Sum);
    assert!(compact > short);
}

#[test]
fn a_search_that_meets_the_bound_is_over() {
    for (order, degree) in [(2, 1), (9, 8), (13, 2), (10, 3)] {
        let mut search = OrderDegreeSearch::new(order, degree, 3).expect("the graph exists");
        while !search.is_over() {
            search.advance();
        }
        let before = search.best().clone();
        search.advance();
        assert_eq!((search.best(), before.distance_sum()), (&before, before.bound()));
    }
}

#[test]
fn graphs_without_any_switch_end_a_round() {
    // A complete graph allows no switch. The bound of 0 keeps the run going.
    let start = Polycirculant::circulant(5, 4, 5).expect("the graph exists");
    let objective = Objective::DiameterThenSum;
    let plan = RunPlan { objective, bound: 0, limit: u64::MAX, heat: MILD, is_shuffled: true, lookups: 10_000 };
    let mut run = Annealing::new(start, plan, ChaCha8Rng::seed_from_u64(1)).expect("it is connected");
    run.advance(u64::MAX);
    assert!(run.is_over() && run.best().totals.sum == 20);
}

#[test]
fn long_runs_heat_again_unless_the_sum_alone_counts() {
    for (objective, cycles) in [(Objective::DiameterThenSum, 3), (Objective::Sum, 1)] {
        let start = Polycirculant::circulant(16, 3, 1).expect("the graph exists");
        // A switch of the three jumps takes at least 64 lookups.
        let lookups = 1 << 24;
        let plan = RunPlan { objective, bound: 0, limit: u64::MAX, heat: MILD, is_shuffled: false, lookups };
        let mut run = Annealing::new(start, plan, ChaCha8Rng::seed_from_u64(1)).expect("it is connected");
        let mut temperatures = vec![0];
        while !run.is_over() {
            temperatures.push(run.temperature());
            run.advance(1 << 14);
        }
        let rises = temperatures.array_windows().filter(|[one, next]| next > one).count();
        assert!(if cycles == 1 { rises == 1 } else { rises >= cycles }, "{objective:?}: {rises} rises");
    }
}

#[test]
fn graphs_that_are_better_only_by_their_walks_are_refused() {
    for (order, seed) in [12, 14, 16, 18].into_iter().flat_map(|order| (0..20).map(move |seed| (order, seed))) {
        let start = shuffled((order, 3, order), seed);
        let (objective, limit) = (Objective::DiameterThenSum, u64::MAX);
        let plan = RunPlan { objective, bound: 0, limit, heat: MILD << 2, is_shuffled: false, lookups: 100_000 };
        let Some(mut run) = Annealing::new(start, plan, ChaCha8Rng::seed_from_u64(seed)) else { continue };
        while !run.is_over() {
            run.advance(500);
            let BestGraph { totals, graph } = run.best();
            let distances = plain_distances(graph.neighbours(), 3, order as usize).expect("it is connected");
            assert_eq!(totals.sum, distances.iter().sum::<u64>(), "{order} nodes, seed {seed}");
            assert_eq!(Some(u64::from(totals.diameter)), distances.iter().copied().max());
        }
    }
}

#[test]
fn zero_rounds_return_the_circulant_graph() {
    let graph = order_degree(12, 3, 1, 0).expect("the graph exists");
    assert_eq!((graph.rotations(), graph.links().len()), (12, 18));
    assert_eq!(Some(graph.distance_sum()), plain_sum(graph.graph.neighbours(), 3));
}

#[test]
fn large_searches_have_a_first_graph_and_improve_it() {
    for (order, degree) in [(8192, 8), (256, 255), (10_000, 8)] {
        let mut search = OrderDegreeSearch::new(order, degree, 1).expect("the graph exists");
        let first = search.best().distance_sum();
        // The first rounds are too short for a measurement of the larger graph: their slices take no time.
        while search.round() < 6 && !search.is_over() && search.best().distance_sum() == first {
            search.advance();
        }
        assert!(search.best().distance_sum() < first || search.is_over(), "{order} nodes of degree {degree}");
    }
}

#[test]
fn the_largest_searches_have_a_connected_first_graph() {
    let most = MAX_LINK_ENDS / MAX_ORDER;
    for (order, degree) in [(MAX_ORDER, 2), (MAX_ORDER, 3), (MAX_ORDER, most), (2896, 2895), (100_000, 8)] {
        let mut search = OrderDegreeSearch::new(order, degree, 1).expect("the graph exists");
        let best = search.best();
        assert!(best.diameter() > 0 && best.distance_sum() >= best.bound(), "{order} nodes of degree {degree}");
        // No measurement fits into the first round.
        search.advance();
        assert_eq!(search.round(), u32::from(!search.is_over()));
    }
}

#[test]
fn the_result_becomes_a_network_drawn_on_a_circle() {
    let best = order_degree(23, 4, 1, 1).expect("the graph exists");
    let network = best.topology("found").expect("the name is one");
    assert_eq!((network.name(), network.node_count(), network.channel_count()), ("found", 23, 92));
    assert_eq!(network.positions().map(<[_]>::len), Some(23));
    let pairs = 23.0 * 22.0;
    assert!((best.average_distance() * pairs - best.distance_sum() as f64).abs() < 1e-6);
}

#[test]
fn unsupported_orders_and_degrees_are_refused_with_the_supported_range() {
    let refusal = |order, degree| order_degree(order, degree, 0, 1).expect_err("no such graph").to_string();
    for order in [0, 1, MAX_ORDER + 1, u32::MAX] {
        assert_eq!(refusal(order, 4), format!("order: {order} nodes; give 2 to 131072"));
    }
    assert_eq!(refusal(4, 4), "degree: 4 links at each of 4 nodes; give 2 to 3");
    assert_eq!(refusal(4, 1), "degree: 1 links at each of 4 nodes; give 2 to 3");
    assert_eq!(refusal(2, 0), "degree: 0 links at each of 2 nodes; give 1 to 1");
    assert_eq!(refusal(4096, u32::MAX), "degree: 4294967295 links at each of 4096 nodes; give 2 to 2048");
    assert_eq!(
        refusal(5, 3),
        "degree: 3 links at each of 5 nodes have an odd number of ends; make one of the two even"
    );
}

#[test]
fn negative_log2_interpolates_between_powers_of_two() {
    let unit = 1 << 16;
    assert_eq!([1 << 63, 1 << 62, 1 << 60].map(negative_log2), [unit, 2 * unit, 4 * unit]);
    assert_eq!(negative_log2(3 << 61), unit + unit / 2);
    assert_eq!(negative_log2(u64::MAX), 1);
    assert_eq!(negative_log2(0), 64 * unit);
}
