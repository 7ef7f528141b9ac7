//! Random families.

use lockstep_topology::{NodeId, jellyfish, random_regular};

use crate::families::{assert_regular, channel_ends, distances, parse};

#[test]
fn random_regular_graphs_are_connected_and_regular() {
    for (nodes, degree) in
        [(2, 1), (3, 2), (4, 2), (5, 2), (12, 2), (8, 3), (30, 3), (9, 4), (12, 6), (12, 10), (12, 11), (64, 8)]
    {
        for seed in 0..20 {
            let topology = random_regular(nodes, degree, seed).unwrap();
            assert_regular(&topology, degree as usize);
            assert!(distances(&topology, NodeId::new(0)).iter().all(Option::is_some));
            let ends = channel_ends(&topology);
            assert!(ends.is_sorted() && ends.array_windows().all(|[one, next]| one != next));
        }
    }
}

#[test]
fn random_regular_is_the_same_on_every_machine() {
    let topology = parse("random-regular:8,3,42");
    let links: Vec<_> = channel_ends(&topology).into_iter().filter(|(tail, head)| tail < head).collect();
    expect_test::expect![
        "[(0, 4), (0, 5), (0, 6), (1, 2), (1, 3), (1, 4), (2, 5), (2, 7), (3, 4), (3, 7), (5, 6), (6, 7)]"
    ]
    .assert_eq(&format!("{links:?}"));
    assert_ne!(channel_ends(&parse("random-regular:8,3,43")), channel_ends(&topology));
}

#[test]
fn random_regular_graphs_are_uniform() {
    // Of the 70 cubic graphs on 6 labelled nodes 10 are bipartite, K(3,3), and 60 are prisms, which have triangles.
    const DRAWS: u64 = 1400;
    let bipartite = (0..DRAWS)
        .filter(|&seed| {
            let ends = channel_ends(&random_regular(6, 3, seed).unwrap());
            let linked = |u: u32, v: u32| ends.contains(&(u, v));
            !(1..6).any(|v| (v + 1..6).any(|w| linked(0, v) && linked(0, w) && linked(v, w)))
        })
        .count();
    // 200 expected, with a standard deviation of 13.
    assert!((160..=240).contains(&bipartite), "{bipartite}");
}

#[test]
fn jellyfish_is_connected_and_has_at_most_one_free_port() {
    for (routers, ports) in
        [(4, 3), (5, 3), (6, 4), (7, 3), (9, 7), (9, 8), (12, 5), (13, 5), (32, 4), (40, 37), (64, 3)]
    {
        for seed in 0..30 {
            let topology = jellyfish(routers, ports, seed).unwrap();
            let free = topology.nodes().map(|node| ports as usize - topology.out_channels(node).len()).sum::<usize>();
            assert_eq!(free as u32, routers * ports % 2, "{}", topology.name());
            assert!(distances(&topology, NodeId::new(0)).iter().all(Option::is_some));
            let ends = channel_ends(&topology);
            assert!(ends.is_sorted() && ends.array_windows().all(|[one, next]| one != next));
            assert!(ends.iter().all(|&(tail, head)| ends.contains(&(head, tail))));
        }
    }
}

#[test]
fn jellyfish_is_the_same_on_every_machine() {
    let topology = parse("jellyfish:8,3,42");
    let links: Vec<_> = channel_ends(&topology).into_iter().filter(|(tail, head)| tail < head).collect();
    expect_test::expect![
        "[(0, 4), (0, 6), (0, 7), (1, 5), (1, 6), (1, 7), (2, 3), (2, 4), (2, 5), (3, 6), (3, 7), (4, 5)]"
    ]
    .assert_eq(&format!("{links:?}"));
    assert_ne!(channel_ends(&parse("jellyfish:8,3,43")), channel_ends(&topology));
}

#[test]
fn large_jellyfish_uses_all_ports() {
    for spec in ["jellyfish:20000,8,1", "jellyfish:300,290,1"] {
        let topology = parse(spec);
        let full =
            topology.nodes().map(|node| topology.out_channels(node).len()).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(full.len(), 1, "{spec}");
    }
}
