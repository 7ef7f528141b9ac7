//! Elements and generators of a torus by coordinates.

use lockstep_topology::CayleyGraph;

/// Returns the element with these coordinates.
pub(crate) fn element(graph: &CayleyGraph, coordinates: &[u64]) -> u64 {
    coordinates.iter().zip(graph.sides()).fold(0, |element, (&coordinate, &side)| element * side + coordinate)
}

/// Returns the index of the generator that moves one step along an axis of a torus.
pub(crate) fn generator(graph: &CayleyGraph, axis: usize, backwards: bool) -> u16 {
    let mut step = vec![0; graph.sides().len()];
    step[axis] = if backwards { graph.sides()[axis] - 1 } else { 1 };
    let step = element(graph, &step);
    let place = graph.generators().iter().position(|&generator| generator == step);
    place.expect("a torus has a generator along every axis longer than 1") as u16
}
