//! Tests of the search for networks for all-gathers.

use lockstep_metrics::Graph;

use super::*;

fn search(order: u32, degree: u32, seed: u64) -> AllGatherSearch {
    search_with(order, degree, ChannelRule::Any, seed)
}

fn search_with(order: u32, degree: u32, channels: ChannelRule, seed: u64) -> AllGatherSearch {
    let mut search = AllGatherSearch::new(order, degree, channels, seed).unwrap();
    while !search.is_over() {
        search.advance();
    }
    search
}

fn scores(search: &AllGatherSearch) -> Vec<(u32, [u64; 2])> {
    search.front().iter().map(|design| (design.stages(), design.bandwidth())).collect()
}

/// Table 4 of the source, for 1,024 nodes of degree 4.
#[test]
fn the_published_front_is_dominated() {
    const PUBLISHED: [(u32, [u64; 2]); 5] =
        [(5, [341, 256]), (6, [261, 256]), (8, [257, 256]), (11, [1, 1]), (20, [1023, 1024])];
    let search = search(1024, 4, 1);
    assert_eq!(search.stage_bound(), 5);
    assert_eq!(scores(&search), [(5, [277, 256]), (6, [1, 1]), (7, [1023, 1024])]);
    for (stages, [time, unit]) in PUBLISHED {
        let is_as_good = |(found, [a, b]): (u32, [u64; 2])| found <= stages && a * unit <= time * b;
        assert!(scores(&search).into_iter().any(is_as_good), "{stages} {time}/{unit}");
    }
}

#[test]
fn designs_have_the_loads_of_their_networks() {
    use ChannelRule::{Any, FullDuplex};
    let one_way = [(2, 1), (7, 1), (9, 2), (12, 3), (13, 4), (24, 5), (30, 4), (36, 6), (48, 2), (61, 3), (81, 16)];
    let full_duplex = [(2, 1), (3, 2), (6, 3), (11, 4), (16, 5), (36, 4), (64, 6), (62, 3), (50, 2), (81, 16)];
    let cases =
        one_way.into_iter().map(|pair| (pair, Any)).chain(full_duplex.into_iter().map(|pair| (pair, FullDuplex)));
    for ((order, degree), channels) in cases {
        let search = search_with(order, degree, channels, 3);
        assert!(!search.front().is_empty(), "{order} {degree}");
        for design in search.front() {
            let network: Topology = design.spec().parse().unwrap();
            let graph = Graph::of(&network);
            assert_eq!(network.name(), design.spec());
            assert_eq!(network.terminal_count(), order as usize);
            assert!(graph.greatest_degree() <= degree);
            assert!(channels == Any || graph.is_symmetric(), "{}", design.spec());
            let loads = StageLoads::new(&network).unwrap();
            assert_eq!(loads.total(), Some(design.steps()));
            assert_eq!(loads.loads().len(), design.stages() as usize);
            let [[load, unit], [time, whole]] = [design.steps(), design.bandwidth()];
            assert_eq!(load * u64::from(degree) * whole, time * unit * u64::from(order));
            assert!(design.stages() >= search.stage_bound() && load * u64::from(degree) >= unit * u64::from(order - 1));
        }
        let improves = |[one, next]: &[AllGatherDesign; 2]| {
            let [[a, b], [c, d]] = [one.bandwidth(), next.bandwidth()];
            one.stages() < next.stages() && a * d > c * b
        };
        assert!(search.front().array_windows().all(improves), "{order} {degree}");
    }
}

/// Full-duplex links need more stages, and still attain the optimal bandwidth.
#[test]
fn full_duplex_networks_attain_the_optimal_bandwidth() {
    let search = search_with(1024, 4, ChannelRule::FullDuplex, 1);
    assert_eq!(search.stage_bound(), 6);
    assert_eq!(scores(&search), [(8, [1023, 1024])]);
}

#[test]
fn known_networks_are_found() {
    for (order, degree, expected) in [
        (5, 4, "complete:5"),
        (6, 1, "circulant-digraph:6,1"),
        (11, 4, "circulant:11,2,3"),
        (20, 4, "generalised-kautz:4,20"),
    ] {
        let search = search(order, degree, 1);
        let specs: Vec<String> = search.front().iter().map(AllGatherDesign::spec).collect();
        assert!(specs.iter().any(|spec| spec == expected), "{specs:?}");
    }
}

#[test]
fn the_front_does_not_depend_on_the_number_of_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| search(60, 4, 5)).front().to_vec()
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn orders_and_degrees_out_of_range_are_refused() {
    let refusal = |order, degree, channels| AllGatherSearch::new(order, degree, channels, 1).unwrap_err().to_string();
    let message = |order, degree| refusal(order, degree, ChannelRule::Any);
    assert_eq!(message(1, 1), "the order is 1, expected 2 to 16384 nodes");
    assert_eq!(message(8, 8), "the degree is 8, expected 1 to 7 channels from each of 8 nodes");
    assert_eq!(message(100, 17), "the degree is 17, expected 1 to 16 channels from each of 100 nodes");
    let message = |order, degree| refusal(order, degree, ChannelRule::FullDuplex);
    assert_eq!(message(8, 1), "the degree is 1, expected 2 to 7 channels from each of 8 nodes");
    assert_eq!(
        message(9, 3),
        "3 full-duplex links at each of 9 nodes have an odd number of ends; make one of the two even"
    );
}

#[test]
fn specs_of_expansions_are_those_of_their_networks() {
    let base = |spec: &str| Arc::new(Construction::Base(spec.into()));
    let square = Construction::product(&base("ring:4"), &base("ring:3"));
    let cube = Construction::product(&Arc::new(square.clone()), &base("complete:2"));
    let line = Arc::new(Construction::Line(2, Arc::new(Construction::Power(2, Arc::new(square)))));
    let product = Construction::product(&line, &Arc::new(Construction::Expansion(2, base("complete:3"))));
    for construction in [cube, product] {
        let network: Topology = construction.to_string().parse().unwrap();
        assert_eq!(network.name(), construction.to_string());
    }
}
