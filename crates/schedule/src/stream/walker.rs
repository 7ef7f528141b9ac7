//! Walks on a Cayley graph.

use lockstep_topology::CayleyGraph;

/// A node that moves along generators, with its coordinates at hand so that a step divides nothing.
#[derive(Clone, Debug)]
pub(super) struct Walker<'a> {
    sides: &'a [u64],
    /// What a generator changes: axis, digit, and the weight of the axis in the number of an element.
    moves: Vec<Vec<(usize, u64, u64)>>,
    coordinates: Vec<u64>,
    pub(super) element: u64,
}

impl<'a> Walker<'a> {
    pub(super) fn new(graph: &'a CayleyGraph) -> Self {
        let sides = graph.sides();
        let weight = |axis: usize| sides[axis + 1..].iter().product::<u64>();
        let moves = graph.generators().iter().map(|&generator| {
            let digits = graph.coordinates(generator).into_iter().enumerate();
            digits.filter(|&(_, digit)| digit > 0).map(|(axis, digit)| (axis, digit, weight(axis))).collect()
        });
        Self { sides, moves: moves.collect(), coordinates: vec![0; sides.len()], element: 0 }
    }

    pub(super) fn start(&mut self, element: u64) {
        let mut rest = element;
        for (coordinate, side) in self.coordinates.iter_mut().zip(self.sides).rev() {
            (*coordinate, rest) = (rest % side, rest / side);
        }
        self.element = element;
    }

    #[inline]
    pub(super) fn step(&mut self, generator: u16) {
        for &(axis, digit, weight) in &self.moves[usize::from(generator)] {
            let (old, side) = (self.coordinates[axis], self.sides[axis]);
            let new = if digit < side - old { old + digit } else { digit - (side - old) };
            self.coordinates[axis] = new;
            self.element = self.element - old * weight + new * weight;
        }
    }

    fn neighbour(&self, generator: usize) -> u64 {
        self.moves[generator].iter().fold(self.element, |element, &(axis, digit, weight)| {
            let (old, side) = (self.coordinates[axis], self.sides[axis]);
            if digit < side - old { element + digit * weight } else { element - (side - digit) * weight }
        })
    }

    /// Number of channels of the shortest path from element 0 to every element; `u32::MAX` where there is none.
    pub(super) fn distances(&mut self) -> Vec<u32> {
        let nodes: u64 = self.sides.iter().product();
        let mut distance = vec![u32::MAX; nodes as usize];
        distance[0] = 0;
        let (mut here, mut next, mut hops) = (vec![0u64], Vec::new(), 0);
        while !here.is_empty() {
            hops += 1;
            for &node in &here {
                self.start(node);
                for generator in 0..self.moves.len() {
                    let neighbour = self.neighbour(generator);
                    if distance[neighbour as usize] == u32::MAX {
                        distance[neighbour as usize] = hops;
                        next.push(neighbour);
                    }
                }
            }
            here.clear();
            std::mem::swap(&mut here, &mut next);
        }
        distance
    }
}
