//! Stress layout: distances in the picture approximate distances in the network.

use lockstep_topology::{NodeId, Topology};

use crate::geometry::Point;
use crate::layered_layout::neighbours;

/// The largest network with a stress layout, in nodes. Time and memory are quadratic.
pub(crate) const MAX_NODES: usize = 1024;

/// Returns one position per node, about one unit apart.
///
/// Uses additions, multiplications and square roots only, so that every machine draws the same picture. Networks of
/// more than 1,024 nodes are arranged in a square. Takes `O(N M)` time for the distances and `O(N^2)` per sweep.
///
/// # Source
///
/// Gansner, Koren, North, *Graph drawing by stress majorization*, Graph Drawing (2004): the localized form, starting
/// from classical scaling.
pub(crate) fn stress_layout(topology: &Topology) -> Vec<Point> {
    let count = topology.node_count();
    if count > MAX_NODES {
        let side = count.isqrt() + 1;
        return (0..count).map(|node| Point::new((node % side) as f64, (node / side) as f64)).collect();
    }
    let distance = distances(topology);
    let mut places = classical_scaling(&distance, count);
    let sweeps = (20_000_000 / (count * count)).clamp(10, 300);
    for _ in 0..sweeps {
        for node in 0..count {
            let (mut sum, mut weights) = (Point::default(), 0.0);
            for other in (0..count).filter(|&other| other != node) {
                let wanted = distance[node * count + other];
                let weight = 1.0 / (wanted * wanted);
                let apart = places[node] - places[other];
                sum = sum + (places[other] + apart.unit() * wanted) * weight;
                weights += weight;
            }
            if weights > 0.0 {
                places[node] = sum * (1.0 / weights);
            }
        }
    }
    places
}

/// Returns the undirected distances of all pairs of nodes, row by row. Unconnected nodes get the largest distance plus
/// 2.
fn distances(topology: &Topology) -> Vec<f64> {
    let count = topology.node_count();
    let mut distance = vec![u32::MAX; count * count];
    for (source, row) in distance.chunks_exact_mut(count).enumerate() {
        let mut queue = vec![NodeId::from_index(source)];
        row[source] = 0;
        let mut done = 0;
        while let Some(&node) = queue.get(done) {
            done += 1;
            for other in neighbours(topology, node) {
                if row[other.index()] == u32::MAX {
                    row[other.index()] = row[node.index()] + 1;
                    queue.push(other);
                }
            }
        }
    }
    let longest = distance.iter().copied().filter(|&length| length != u32::MAX).max().unwrap_or(0);
    distance.into_iter().map(|length| f64::from(if length == u32::MAX { longest + 2 } else { length })).collect()
}

/// Computes the classical multidimensional scaling: the two leading eigenvectors of the doubly centred squared
/// distances.
fn classical_scaling(distance: &[f64], count: usize) -> Vec<Point> {
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / count as f64;
    let square = |node: usize, other: usize| distance[node * count + other].powi(2);
    let row_mean: Vec<f64> = (0..count).map(|node| mean(&mut (0..count).map(|other| square(node, other)))).collect();
    let total_mean = mean(&mut row_mean.iter().copied());
    let product = |node: usize, vector: &[f64]| -> f64 {
        let entry = |other: usize| -0.5 * (square(node, other) - row_mean[node] - row_mean[other] + total_mean);
        (0..count).map(|other| entry(other) * vector[other]).sum()
    };
    let mut axes: Vec<Vec<f64>> = Vec::new();
    for axis in 0..2 {
        let mut vector = scatter(count, axis);
        let mut length = 0.0;
        for _ in 0..50 {
            vector = (0..count).map(|node| product(node, &vector)).collect();
            if let Some(first) = axes.first() {
                let share = dot(first, &vector) / dot(first, first).max(f64::MIN_POSITIVE);
                vector.iter_mut().zip(first).for_each(|(value, along)| *value -= share * along);
            }
            length = dot(&vector, &vector).sqrt();
            if length < 1e-9 {
                break;
            }
            for value in &mut vector {
                *value /= length;
            }
        }
        // The last length is the eigenvalue. Its square root scales the vector to the distances.
        let scale = length.sqrt();
        axes.push(vector.into_iter().map(|value| value * scale).collect());
    }
    // The noise separates nodes with equal distances.
    let noise = [scatter(count, 2), scatter(count, 3)];
    let at = |axis: usize, node: usize| axes[axis][node] + 0.01 * noise[axis][node];
    (0..count).map(|node| Point::new(at(0, node), at(1, node))).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Returns fixed pseudorandom numbers between -1 and 1, from Knuth's MMIX generator.
fn scatter(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    next();
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;

    fn network(nodes: usize, links: impl IntoIterator<Item = (usize, usize)>) -> Topology {
        let mut builder = TopologyBuilder::new("test");
        let ids: Vec<NodeId> = (0..nodes).map(|node| builder.terminal(node.to_string())).collect();
        for (u, v) in links {
            builder.link(ids[u], ids[v]);
        }
        builder.build().unwrap()
    }

    #[test]
    fn a_row_of_nodes_is_a_straight_line() {
        let places = stress_layout(&network(5, (0..4).map(|i| (i, i + 1))));
        assert!(((places[4] - places[0]).length() - 4.0).abs() < 0.05, "{places:?}");
    }

    #[test]
    fn a_ring_is_a_circle() {
        let places = stress_layout(&network(12, (0..12).map(|i| (i, (i + 1) % 12))));
        let centre = places.iter().fold(Point::default(), |sum, &place| sum + place) * (1.0 / 12.0);
        let radii: Vec<f64> = places.iter().map(|&place| (place - centre).length()).collect();
        assert!(radii.iter().all(|radius| (radius / radii[0] - 1.0).abs() < 0.02), "{radii:?}");
    }

    #[test]
    fn components_are_separated() {
        let places = stress_layout(&network(4, [(0, 1), (2, 3)]));
        assert!((places[0] - places[2]).length() > (places[0] - places[1]).length());
    }

    #[test]
    fn one_node_and_many_nodes_have_positions() {
        assert_eq!(stress_layout(&network(1, [])).len(), 1);
        assert_eq!(stress_layout(&network(2000, [])).len(), 2000);
    }
}
