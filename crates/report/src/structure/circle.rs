//! Circles of nodes whose links join nodes at random.

use lockstep_topology::Topology;

use super::graph::{Graph, sorted};
use crate::geometry::Point;
use crate::stress_layout::MAX_NODES;

/// Tolerance of the distances from the middle of a circle, relative to its radius.
const ROUND: f64 = 0.01;
/// The least mean length of random links, relative to that of all pairs of nodes of a circle.
const RANDOM: f64 = 0.8;

/// Returns true if all nodes are on a circle, their links are about as long as those of random pairs, and no turn of the
/// circle by one node maps links to links. Such positions show nothing but the numbers of nodes.
pub(crate) fn is_random_circle(topology: &Topology, places: &[Point]) -> bool {
    let count = places.len();
    if !(4..=MAX_NODES).contains(&count) || topology.channel_count() == 0 {
        return false;
    }
    let middle = places.iter().fold(Point::default(), |sum, &place| sum + place) * (1.0 / count as f64);
    let radii: Vec<f64> = places.iter().map(|&place| (place - middle).length()).collect();
    let radius = radii.iter().copied().fold(0.0, f64::max);
    if radii.iter().any(|&own| own < (1.0 - ROUND) * radius) {
        return false;
    }
    let length = |channel| (places[topology.tail(channel).index()] - places[topology.head(channel).index()]).length();
    let mean = topology.channels().map(length).sum::<f64>() / topology.channel_count() as f64;
    // The mean distance of two random points of a circle is 4 / pi of its radius.
    mean >= RANDOM * 4.0 / std::f64::consts::PI * radius && !is_circulant(&Graph::new(topology))
}

/// Returns true if the map of every node to the next one maps links to links.
fn is_circulant(graph: &Graph) -> bool {
    let count = graph.len();
    let next = |node: usize| (node + 1) % count;
    (0..count).all(|node| {
        sorted(graph.neighbours[node].iter().map(|&other| next(other)).collect()) == graph.neighbours[next(node)]
    })
}
