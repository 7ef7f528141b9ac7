//! Sums of distances by bit-parallel breadth-first search from up to 256 sources.

use super::bound::node_bound;

/// Sums the distances from nodes `0..sources` to all nodes, in graphs of a fixed order and maximum degree.
///
/// Reuses its memory: 16 bytes per node, and 80 for more than 64 sources.
#[derive(Clone, Debug)]
pub(crate) struct DistanceSum {
    order: usize,
    degree: usize,
    /// Lower bound on the sum of distances from one node.
    least: u64,
    narrow: SourceBatch<1>,
    wide: SourceBatch<4>,
    lookups: u64,
}

impl DistanceSum {
    pub(crate) fn new(order: usize, degree: usize) -> Self {
        let least = node_bound(order as u64, degree as u64).unwrap_or(0);
        Self { order, degree, least, narrow: SourceBatch::default(), wide: SourceBatch::default(), lookups: 0 }
    }

    /// Returns the number of table lookups of all calls so far. A lookup reads one neighbour for 64 sources, in about a
    /// nanosecond.
    pub(crate) fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Returns the sum of the distances from nodes `0..sources` to all nodes, or `None` if it exceeds `limit` or a node
    /// is unreachable.
    ///
    /// `neighbours` has `degree` entries per node; a node with fewer neighbours lists itself. Takes `O(N * degree * D)`
    /// time per 64 sources for diameter `D`. Stops early if the distances so far, plus a lower bound on the others,
    /// exceed `limit`.
    pub(crate) fn of(&mut self, neighbours: &[u32], sources: usize, limit: u64) -> Option<u64> {
        let mut sum = 0;
        let mut first = 0;
        while first < sources {
            let is_wide = sources - first > SourceBatch::<1>::SOURCES;
            let batch =
                (sources - first).min(if is_wide { SourceBatch::<4>::SOURCES } else { SourceBatch::<1>::SOURCES });
            let later = self.least * (sources - first - batch) as u64;
            let room = limit.checked_sub(sum + later)?;
            let table = NeighbourTable { neighbours, order: self.order, degree: self.degree };
            let range = first..first + batch;
            sum += if is_wide {
                self.wide.sum(&table, range, room, &mut self.lookups)?
            } else {
                self.narrow.sum(&table, range, room, &mut self.lookups)?
            };
            first += batch;
        }
        Some(sum)
    }
}

/// The neighbours of all nodes, `degree` entries each.
#[derive(Clone, Copy, Debug)]
struct NeighbourTable<'a> {
    neighbours: &'a [u32],
    order: usize,
    degree: usize,
}

/// A breadth-first search from up to 64 sources per word.
#[derive(Clone, Debug, Default)]
struct SourceBatch<const WORDS: usize> {
    /// Bit `s` of a node's words is set if source `s` of the batch has reached the node.
    reached: Vec<[u64; WORDS]>,
    next: Vec<[u64; WORDS]>,
}

impl<const WORDS: usize> SourceBatch<WORDS> {
    const SOURCES: usize = 64 * WORDS;

    /// Returns the sum of the distances from these nodes, as [`DistanceSum::of`].
    fn sum(
        &mut self,
        table: &NeighbourTable<'_>,
        sources: std::ops::Range<usize>,
        limit: u64,
        lookups: &mut u64,
    ) -> Option<u64> {
        self.reached.clear();
        self.reached.resize(table.order, [0; WORDS]);
        self.next.resize(table.order, [0; WORDS]);
        for (place, source) in sources.clone().enumerate() {
            self.reached[source][place / 64] |= 1 << (place % 64);
        }
        let pairs = (sources.len() * table.order) as u64;
        let mut sum = 0;
        let mut unreached = pairs - sources.len() as u64;
        while unreached > 0 {
            // Each unreached pair adds 1 to the sum in each step.
            sum += unreached;
            if sum > limit {
                return None;
            }
            *lookups += (WORDS * table.neighbours.len()) as u64;
            let remaining = pairs - self.step(table);
            if remaining == unreached {
                return None;
            }
            unreached = remaining;
        }
        Some(sum)
    }

    /// Propagates the bits of all nodes to their neighbours. Returns the number of reached pairs.
    fn step(&mut self, table: &NeighbourTable<'_>) -> u64 {
        let mut reached_pairs = 0;
        let rows = table.neighbours.chunks_exact(table.degree);
        for ((next, own), row) in self.next.iter_mut().zip(&self.reached).zip(rows) {
            let mut words = *own;
            for &node in row {
                for (word, other) in words.iter_mut().zip(&self.reached[node as usize]) {
                    *word |= other;
                }
            }
            *next = words;
            reached_pairs += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        std::mem::swap(&mut self.reached, &mut self.next);
        reached_pairs
    }
}
