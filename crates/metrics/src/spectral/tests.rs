use std::f64::consts::PI;

use lockstep_topology::{Topology, strategy};
use proptest::prelude::*;

use super::tridiagonal::{Tridiagonal, dot};
use super::*;
use crate::Graph;
use crate::published_networks;

fn of(spec: &str) -> SpectralGap {
    SpectralGap::of(&Graph::of(&spec.parse::<Topology>().unwrap()))
}

/// The gap of a ring (Fiedler 1973): the gap of a torus is that of its longest ring.
fn ring(nodes: u32) -> f64 {
    2.0 - 2.0 * (2.0 * PI / f64::from(nodes)).cos()
}

#[test]
fn spectral_gaps_match_closed_formulas() {
    let cases = [
        ("ring:12", ring(12)),
        ("ring:501", ring(501)),
        ("torus:5x7", ring(7)),
        ("torus:3x4x6", ring(6)),
        ("hypercube:6", 2.0),
        ("complete:9", 9.0),
        ("star:8", 1.0),
        // A path of n nodes: 2 - 2 cos(pi / n).
        ("mesh:9", 2.0 - 2.0 * (PI / 9.0).cos()),
        // Beyond 512 nodes, by the Lanczos iteration.
        ("torus:24x25", ring(25)),
        ("hypercube:10", 2.0),
        ("complete:600", 600.0),
    ];
    for (spec, expected) in cases {
        let gap = of(spec);
        assert!((gap.value - expected).abs() <= 2.0 * gap.error, "{spec}: {gap:?} instead of {expected}");
        assert!(gap.error < 1e-6, "{spec}: {gap:?}");
    }
}

#[test]
fn both_methods_agree() {
    for spec in ["torus:7x9", "random-regular:100,4,3", "fat-tree:2,5", "kautz:3,3"] {
        let graph = Graph::of(&spec.parse::<Topology>().unwrap()).undirected();
        let mut search = SpectralSearch::default();
        let dense = search.measure(&graph);
        let sparse = search.lanczos.search(&graph, &search.nodes);
        assert!((dense.value - sparse.value).abs() < 1e-8, "{spec}: {dense:?} and {sparse:?}");
    }
}

#[test]
fn published_networks_have_the_published_gaps() {
    // The values that the document prints, of 22-2-4, 8-33-4, 38-14-8, 74-6-12 and 72-16-12.
    for (pick, expected) in [(0, 1.25), (1, 0.30), (3, 3.42), (4, 8.33), (5, 8.59)] {
        let value = SpectralGap::of(&published_networks::graph(&published_networks::ALL[pick])).value;
        assert!((value - expected).abs() < 6e-3, "{value} instead of {expected}");
    }
}

#[test]
fn a_disconnected_network_has_gap_zero() {
    assert!(SpectralGap::of(&Graph::of_links(4, &[[0, 1], [2, 3]])).value < 1e-12);
    assert!(SpectralGap::of(&Graph::of_links(3, &[[0, 1]])).value < 1e-12);
    assert!(SpectralGap::of(&Graph::of_links(1, &[])).value < 1e-12);
    let many = Graph::of_links(600, &(0..598).map(|node| [node, node + 1]).collect::<Vec<_>>());
    assert!(SpectralGap::of(&many).value < 1e-9);
}

#[test]
fn widths_are_weights_of_the_laplacian() {
    // Two nodes and w cables: eigenvalues 0 and 2 w.
    let gap = SpectralGap::of(&Graph::of_links(2, &[[0, 1], [0, 1], [0, 1]]));
    assert!((gap.value - 6.0).abs() <= gap.error);
}

#[test]
fn computed_eigenvectors_of_a_path_satisfy_their_equation() {
    let mut matrix = Tridiagonal::default();
    matrix.diagonal = vec![2.0; 10];
    matrix.beside = vec![-1.0; 9];
    for rank in 0..10 {
        // 2 - 2 cos((k + 1) pi / (n + 1)).
        let value = matrix.eigenvalue(rank);
        assert!((value - (2.0 - 2.0 * (PI * (rank + 1) as f64 / 11.0).cos())).abs() < 1e-13);
        let vector = matrix.eigenvector(value);
        assert!((dot(&vector, &vector) - 1.0).abs() < 1e-12);
        for place in 0..10 {
            let around = |step: usize| vector.get((place + step).wrapping_sub(1)).copied().unwrap_or(0.0);
            assert!((2.0 * around(1) - around(0) - around(2) - value * around(1)).abs() < 1e-12);
        }
    }
}

proptest! {
    #[test]
    fn no_vector_has_a_smaller_quotient(
        topology in strategy::any_topology(14),
        entries in prop::collection::vec(-1.0..1.0f64, 40),
    ) {
        let graph = Graph::of(&topology).undirected();
        let mut search = SpectralSearch::default();
        let gap = search.measure(&graph);
        let mean = search.nodes.iter().map(|&node| entries[node as usize]).sum::<f64>() / search.nodes.len() as f64;
        let (mut energy, mut square) = (0.0, 0.0);
        for &node in &search.nodes {
            let own = entries[node as usize];
            square += (own - mean).powi(2);
            for (neighbour, width) in graph.arcs(node) {
                energy += f64::from(width) * (own - entries[neighbour as usize]).powi(2) / 2.0;
            }
        }
        prop_assert!(gap.value * square <= energy + 1e-9);
    }

    #[test]
    fn node_numbers_do_not_matter(pair in strategy::any_topology(14).prop_flat_map(|topology| {
        (Just(topology.clone()), strategy::shuffled(topology))
    })) {
        let [plain, shuffled] = [&pair.0, &pair.1].map(|topology| SpectralGap::of(&Graph::of(topology)));
        prop_assert!((plain.value - shuffled.value).abs() <= plain.error + shuffled.error + 1e-12);
    }
}
