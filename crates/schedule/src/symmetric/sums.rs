//! Fast sums in the group of a Cayley graph.

use lockstep_topology::CayleyGraph;

/// Adds generators to elements. A generator changes few coordinates, and only those are computed.
pub(super) struct Sums {
    shifts: Vec<AxisShift>,
    /// The end of each generator's part of `shifts`.
    end: Vec<usize>,
}

/// The change of one coordinate by a generator.
struct AxisShift {
    /// The weight of the coordinate in the number of an element.
    weight: u64,
    side: u64,
    /// The coordinate of the generator, less than `side`.
    steps: u64,
}

impl Sums {
    pub(super) fn new(graph: &CayleyGraph) -> Self {
        let mut weights = vec![1; graph.sides().len()];
        for axis in (1..weights.len()).rev() {
            weights[axis - 1] = weights[axis] * graph.sides()[axis];
        }
        let (mut shifts, mut end) = (Vec::new(), Vec::with_capacity(graph.degree()));
        for &generator in graph.generators() {
            let axes = graph.coordinates(generator).into_iter().zip(graph.sides()).zip(&weights);
            let shift = axes.map(|((steps, &side), &weight)| AxisShift { weight, side, steps });
            shifts.extend(shift.filter(|shift| shift.steps > 0));
            end.push(shifts.len());
        }
        Self { shifts, end }
    }

    /// Returns an element plus the generator at this index.
    #[inline]
    pub(super) fn add(&self, element: u64, generator: usize) -> u64 {
        let start = if generator == 0 { 0 } else { self.end[generator - 1] };
        self.shifts[start..self.end[generator]].iter().fold(element, |element, &AxisShift { weight, side, steps }| {
            let left = side - element / weight % side;
            if steps < left { element + steps * weight } else { element - (side - steps) * weight }
        })
    }

    /// Returns the end of a path from an element.
    #[inline]
    pub(super) fn path_end(&self, from: u64, path: &[u16]) -> u64 {
        path.iter().fold(from, |element, &generator| self.add(element, generator.into()))
    }
}

/// Returns `element + s` for every element `s`, in ascending order of `s`.
pub(super) fn translation(graph: &CayleyGraph, element: u64) -> Vec<u32> {
    let mut sums = vec![0];
    for (&side, shift) in graph.sides().iter().zip(graph.coordinates(element)) {
        let (side, shift) = (side as u32, shift as u32);
        let shifted = |&above: &u32| (shift..side).chain(0..shift).map(move |coordinate| above * side + coordinate);
        if side > 1 {
            sums = sums.iter().flat_map(shifted).collect();
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_sums_agree_with_the_graph() {
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
            assert_eq!(sums.path_end(element, &[0, 1]), graph.add(graph.add(element, (1 << 63) - 1), 1 << 31));
        }
    }
}
