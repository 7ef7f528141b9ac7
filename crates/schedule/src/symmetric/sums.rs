//! Sums in the group, without taking elements apart coordinate by coordinate.

use lockstep_topology::CayleyGraph;

/// The sums of elements and generators: a generator changes few coordinates, and only those are looked at.
pub(super) struct Sums {
    turns: Vec<Turn>,
    /// Where the turns of each generator end.
    end: Vec<usize>,
}

/// A coordinate that a generator changes.
struct Turn {
    /// What one step of the coordinate adds to the number of an element.
    weight: u64,
    side: u64,
    /// By how many steps the generator turns it, less than a whole side.
    steps: u64,
}

impl Sums {
    pub(super) fn new(graph: &CayleyGraph) -> Self {
        let mut weights = vec![1; graph.sides().len()];
        for axis in (1..weights.len()).rev() {
            weights[axis - 1] = weights[axis] * graph.sides()[axis];
        }
        let (mut turns, mut end) = (Vec::new(), Vec::with_capacity(graph.degree()));
        for &generator in graph.generators() {
            let axes = graph.coordinates(generator).into_iter().zip(graph.sides()).zip(&weights);
            let turn = axes.map(|((steps, &side), &weight)| Turn { weight, side, steps });
            turns.extend(turn.filter(|turn| turn.steps > 0));
            end.push(turns.len());
        }
        Self { turns, end }
    }

    /// An element plus the generator at a place.
    #[inline]
    pub(super) fn add(&self, element: u64, generator: usize) -> u64 {
        let start = if generator == 0 { 0 } else { self.end[generator - 1] };
        self.turns[start..self.end[generator]].iter().fold(element, |element, &Turn { weight, side, steps }| {
            let left = side - element / weight % side;
            if steps < left { element + steps * weight } else { element - (side - steps) * weight }
        })
    }

    /// Where a path leads.
    #[inline]
    pub(super) fn walk(&self, from: u64, path: &[u16]) -> u64 {
        path.iter().fold(from, |element, &generator| self.add(element, generator.into()))
    }
}

/// `element + s` for every element `s`, in their order.
pub(super) fn translation(graph: &CayleyGraph, element: u64) -> Vec<u32> {
    let mut sums = vec![0];
    for (&side, turn) in graph.sides().iter().zip(graph.coordinates(element)) {
        let (side, turn) = (side as u32, turn as u32);
        let turned = |&above: &u32| (turn..side).chain(0..turn).map(move |coordinate| above * side + coordinate);
        if side > 1 {
            sums = sums.iter().flat_map(turned).collect();
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_graph() {
        for spec in ["hypercube:4", "folded-hypercube:3", "torus:3x4x5", "torus:1x6", "circulant:16,1,6", "ring:2"] {
            let graph: CayleyGraph = spec.parse().unwrap();
            let sums = Sums::new(&graph);
            for element in 0..graph.node_count() {
                for (place, &generator) in graph.generators().iter().enumerate() {
                    assert_eq!(sums.add(element, place), graph.add(element, generator), "{spec}");
                }
                let expected: Vec<u32> = (0..graph.node_count()).map(|s| graph.add(element, s) as u32).collect();
                assert_eq!(translation(&graph, element), expected, "{spec}");
            }
        }
    }

    #[test]
    fn the_largest_group_does_not_overflow() {
        let graph = CayleyGraph::new("large", &[1 << 32, 1 << 31], &[(1 << 63) - 1, 1 << 31]).unwrap();
        let sums = Sums::new(&graph);
        for element in [0, 1, 1 << 31, (1 << 63) - 1] {
            assert_eq!(sums.walk(element, &[0, 1]), graph.add(graph.add(element, (1 << 63) - 1), 1 << 31));
        }
    }
}
