//! Rings, and Cartesian products of paths, rings and complete graphs: grids, tori and hypercubes.

use std::f64::consts::TAU;

use lockstep_topology::GridAxes;

use super::graph::{Graph, Sets};
use crate::geometry::Point;

/// The largest graph whose factors are searched, in edges. Time is quadratic.
const MAX_EDGES: usize = 6_000;
/// The largest degree, because the search compares all pairs of neighbours.
const MAX_DEGREE: usize = 64;

/// Returns one position per node, or `None` if the graph is neither a ring nor such a product.
pub(super) fn product_layout(graph: &Graph) -> Option<Vec<Point>> {
    if graph.len() < 3 || graph.neighbours.iter().any(|row| row.len() > MAX_DEGREE) {
        return None;
    }
    if let Some(order) = graph.line() {
        let is_ring = graph.neighbours.iter().all(|row| row.len() == 2);
        return is_ring.then(|| circle(&order));
    }
    let edges = graph.edges();
    if edges.len() > MAX_EDGES {
        return None;
    }
    let factors = factors(graph, &edges)?;
    if factors.len() < 2 {
        return None;
    }
    let mut factors: Vec<Vec<usize>> = factors;
    // The largest factors are the axes of the drawing: right and down.
    factors.sort_by_key(|factor| factor.iter().max().copied());
    let sides: Vec<u32> = factors.iter().map(|factor| factor.iter().max().map_or(1, |&most| most as u32 + 1)).collect();
    let axes = GridAxes::new(&sides);
    let place = |node: usize| {
        let [x, y] = axes.place(factors.iter().map(|factor| factor[node] as u32));
        Point::new(x, y)
    };
    Some((0..graph.len()).map(place).collect())
}

/// Places nodes on a circle in this order.
fn circle(order: &[usize]) -> Vec<Point> {
    let mut places = vec![Point::default(); order.len()];
    let radius = order.len() as f64 / TAU;
    for (place, &node) in order.iter().enumerate() {
        let angle = TAU * place as f64 / order.len() as f64;
        places[node] = Point::new(angle.sin(), -angle.cos()) * radius;
    }
    places
}

/// Returns the coordinate of each node in each factor of a connected graph, or `None` if a factor is neither a path, nor a
/// ring, nor complete.
///
/// # Source
///
/// Two edges belong to one factor if they are opposite by their distances, or if they are the only two edges that join two
/// nodes over a third one: Feder, *Product graph representations*, J. Graph Theory 16 (1992), theorem 4.
fn factors(graph: &Graph, edges: &[[usize; 2]]) -> Option<Vec<Vec<usize>>> {
    let distances = (0..graph.len()).map(|node| graph.distances(node)).collect::<Option<Vec<_>>>()?;
    let mut sets = Sets::new(edges.len());
    for (place, &[u, v]) in edges.iter().enumerate() {
        for (before, &[x, y]) in edges[..place].iter().enumerate() {
            if distances[u][x] + distances[v][y] != distances[u][y] + distances[v][x] {
                sets.join(place, before);
            }
        }
    }
    let edge = |u: usize, v: usize| edges.binary_search(&[u.min(v), u.max(v)]).ok();
    for (middle, row) in graph.neighbours.iter().enumerate() {
        for (place, &u) in row.iter().enumerate() {
            for &v in &row[..place] {
                let is_only = edge(u, v).is_none() && graph.common(u, v).len() == 1;
                if let (true, Some(one), Some(other)) = (is_only, edge(u, middle), edge(v, middle)) {
                    sets.join(one, other);
                }
            }
        }
    }
    let (class, count) = sets.numbers();
    if count > 16 {
        return None;
    }
    (0..count).map(|own| coordinates(graph.len(), edges, &class, own)).collect()
}

/// Returns the coordinate of each node in one factor: nodes that the edges of the other factors join have the same one.
fn coordinates(nodes: usize, edges: &[[usize; 2]], class: &[usize], own: usize) -> Option<Vec<usize>> {
    let mut sets = Sets::new(nodes);
    for (&[u, v], _) in edges.iter().zip(class).filter(|&(_, &class)| class != own) {
        sets.join(u, v);
    }
    let (layer, count) = sets.numbers();
    let mut neighbours = vec![Vec::new(); count];
    for (&[u, v], _) in edges.iter().zip(class).filter(|&(_, &class)| class == own) {
        neighbours[layer[u]].push(layer[v]);
        neighbours[layer[v]].push(layer[u]);
    }
    let factor = Graph { neighbours: neighbours.into_iter().map(super::graph::sorted).collect() };
    let is_complete = factor.neighbours.iter().all(|row| row.len() + 1 == count);
    let order = factor.line().or_else(|| is_complete.then(|| (0..count).collect()))?;
    let mut place = vec![0; count];
    for (at, &layer) in order.iter().enumerate() {
        place[layer] = at;
    }
    Some(layer.iter().map(|&layer| place[layer]).collect())
}
