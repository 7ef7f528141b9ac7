//! A position in a Cayley graph.

use lockstep_topology::CayleyGraph;

/// The current element and its coordinates. Coordinates make a step cheap: it needs no division.
#[derive(Clone, Debug)]
pub(super) struct CayleyPosition<'a> {
    sides: &'a [u64],
    /// The changes by each generator: axis, digit, and weight of the axis in the number of an element.
    moves: Vec<Vec<(usize, u64, u64)>>,
    coordinates: Vec<u64>,
    pub(super) element: u64,
}

impl<'a> CayleyPosition<'a> {
    pub(super) fn new(graph: &'a CayleyGraph) -> Self {
        let sides = graph.sides();
        let weight = |axis: usize| sides[axis + 1..].iter().product::<u64>();
        let moves = graph.generators().iter().map(|&generator| {
            let digits = graph.coordinates(generator).into_iter().enumerate();
            digits.filter(|&(_, digit)| digit > 0).map(|(axis, digit)| (axis, digit, weight(axis))).collect()
        });
        Self { sides, moves: moves.collect(), coordinates: vec![0; sides.len()], element: 0 }
    }

    /// Moves to an element.
    pub(super) fn start(&mut self, element: u64) {
        let mut rest = element;
        for (coordinate, side) in self.coordinates.iter_mut().zip(self.sides).rev() {
            (*coordinate, rest) = (rest % side, rest / side);
        }
        self.element = element;
    }

    /// Moves along the channel of a generator.
    #[inline]
    pub(super) fn step(&mut self, generator: u16) {
        for &(axis, digit, weight) in &self.moves[usize::from(generator)] {
            let (old, side) = (self.coordinates[axis], self.sides[axis]);
            let new = if digit < side - old { old + digit } else { digit - (side - old) };
            self.coordinates[axis] = new;
            self.element = self.element - old * weight + new * weight;
        }
    }

    /// Returns the neighbour by a generator, without moving.
    fn neighbour(&self, generator: usize) -> u64 {
        self.moves[generator].iter().fold(self.element, |element, &(axis, digit, weight)| {
            let (old, side) = (self.coordinates[axis], self.sides[axis]);
            if digit < side - old { element + digit * weight } else { element - (side - digit) * weight }
        })
    }

    /// Returns the distance from element 0 to every element, `u32::MAX` for unreachable elements. O(channels).
    ///
    /// The position afterwards is unspecified.
    pub(super) fn distances(&mut self) -> Vec<u32> {
        let nodes: u64 = self.sides.iter().product();
        let mut distance = vec![u32::MAX; nodes as usize];
        distance[0] = 0;
        let (mut frontier, mut next, mut hops) = (vec![0u64], Vec::new(), 0);
        while !frontier.is_empty() {
            hops += 1;
            for &node in &frontier {
                self.start(node);
                for generator in 0..self.moves.len() {
                    let neighbour = self.neighbour(generator);
                    if distance[neighbour as usize] == u32::MAX {
                        distance[neighbour as usize] = hops;
                        next.push(neighbour);
                    }
                }
            }
            frontier.clear();
            std::mem::swap(&mut frontier, &mut next);
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_a_search_on_the_graph() {
        for spec in ["ring:5", "torus:3x4x5", "torus:1x6", "hypercube:4", "folded-hypercube:3", "circulant:16,1,6"] {
            let graph: CayleyGraph = spec.parse().unwrap();
            let nodes = graph.node_count();
            let mut expected = vec![u32::MAX; nodes as usize];
            expected[0] = 0;
            for hops in 0..nodes as u32 {
                for element in (0..nodes).filter(|&element| expected[element as usize] == hops).collect::<Vec<_>>() {
                    for &generator in graph.generators() {
                        let next = &mut expected[graph.add(element, generator) as usize];
                        *next = (*next).min(hops + 1);
                    }
                }
            }
            assert_eq!(CayleyPosition::new(&graph).distances(), expected, "{spec}");
        }
    }
}
