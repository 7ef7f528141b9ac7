//! A union-find structure.

/// A partition of the numbers below a bound: union-find with path halving. Memory: 4 bytes per number.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    /// A lower number of the same set, or the number itself if it is the lowest.
    parent: Vec<u32>,
    count: usize,
}

impl DisjointSets {
    /// Creates one set per number.
    pub(crate) fn new(bound: usize) -> Self {
        Self { parent: (0..bound as u32).collect(), count: bound }
    }

    /// Returns the number of sets.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the lowest number in the set of a number.
    pub(crate) fn lowest(&mut self, number: u32) -> u32 {
        let mut number = number as usize;
        while self.parent[number] as usize != number {
            self.parent[number] = self.parent[self.parent[number] as usize];
            number = self.parent[number] as usize;
        }
        number as u32
    }

    /// Unites the sets of two numbers.
    pub(crate) fn union(&mut self, one: u32, other: u32) {
        let [one, other] = [self.lowest(one), self.lowest(other)];
        if one != other {
            self.parent[one.max(other) as usize] = one.min(other);
            self.count -= 1;
        }
    }
}
