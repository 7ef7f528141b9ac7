//! Sums of distances by bit-parallel breadth-first search from up to 256 sources.

use std::cmp::Ordering;

use super::bound::node_bound;

/// The distances from some sources to all nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DistanceTotals {
    /// The largest distance.
    pub(crate) diameter: u32,
    pub(crate) sum: u64,
    /// The sum with the surcharge on long distances.
    pub(super) cost: u64,
    /// Number of pairs at the largest distance.
    pub(super) farthest_pairs: u64,
}

/// A surcharge on long distances: each distance counts `weight` more per step beyond `target`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Surcharge {
    pub(super) target: u32,
    pub(super) weight: u64,
}

impl Surcharge {
    /// No surcharge.
    pub(super) const NONE: Self = Self { target: u32::MAX, weight: 0 };
}

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
        Some(self.totals(neighbours, sources, limit, Surcharge::NONE)?.sum)
    }

    /// As [`of`](Self::of), with the diameter. The limit applies to the sum plus the surcharge.
    pub(super) fn totals(
        &mut self,
        neighbours: &[u32],
        sources: usize,
        limit: u64,
        surcharge: Surcharge,
    ) -> Option<DistanceTotals> {
        let mut totals = DistanceTotals::ZERO;
        let mut first = 0;
        while first < sources {
            let is_wide = sources - first > SourceBatch::<1>::SOURCES;
            let batch =
                (sources - first).min(if is_wide { SourceBatch::<4>::SOURCES } else { SourceBatch::<1>::SOURCES });
            let later = self.least * (sources - first - batch) as u64;
            let room = limit.checked_sub(totals.cost + later)?;
            let table = NeighbourTable { neighbours, order: self.order, degree: self.degree };
            let range = first..first + batch;
            let of_batch = if is_wide {
                self.wide.totals(&table, range, room, surcharge, &mut self.lookups)?
            } else {
                self.narrow.totals(&table, range, room, surcharge, &mut self.lookups)?
            };
            totals.add(of_batch);
            first += batch;
        }
        Some(totals)
    }
}

impl DistanceTotals {
    const ZERO: Self = Self { diameter: 0, sum: 0, cost: 0, farthest_pairs: 0 };

    /// Sums the distances of `pairs` pairs of nodes. In `sources` of these pairs, both nodes are the same. `reached` returns the
    /// number of pairs whose distance is at most the given one. Returns `None` if the cost exceeds `limit` or a pair is unreachable.
    pub(super) fn by_level(
        pairs: u64,
        sources: u64,
        limit: u64,
        surcharge: Surcharge,
        mut reached: impl FnMut(u32) -> u64,
    ) -> Option<Self> {
        let mut unreached = pairs - sources;
        let mut totals = Self::ZERO;
        while unreached > 0 {
            // Each unreached pair adds 1 to the sum in each step.
            totals.sum += unreached;
            let weight = if totals.diameter >= surcharge.target { surcharge.weight } else { 0 };
            totals.cost += unreached * (1 + weight);
            if totals.cost > limit {
                return None;
            }
            totals.diameter += 1;
            totals.farthest_pairs = unreached;
            let remaining = pairs - reached(totals.diameter);
            if remaining == unreached {
                return None;
            }
            unreached = remaining;
        }
        Some(totals)
    }

    fn add(&mut self, other: Self) {
        self.farthest_pairs = match self.diameter.cmp(&other.diameter) {
            Ordering::Less => other.farthest_pairs,
            Ordering::Equal => self.farthest_pairs + other.farthest_pairs,
            Ordering::Greater => self.farthest_pairs,
        };
        self.diameter = self.diameter.max(other.diameter);
        self.sum += other.sum;
        self.cost += other.cost;
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

    /// Returns the distances from these nodes, as [`DistanceSum::totals`].
    fn totals(
        &mut self,
        table: &NeighbourTable<'_>,
        sources: std::ops::Range<usize>,
        limit: u64,
        surcharge: Surcharge,
        lookups: &mut u64,
    ) -> Option<DistanceTotals> {
        let pairs = (sources.len() * table.order) as u64;
        DistanceTotals::by_level(pairs, sources.len() as u64, limit, surcharge, |distance| {
            *lookups += (WORDS * table.neighbours.len()) as u64;
            if distance == 1 {
                self.start(table, sources.clone())
            } else {
                self.step(table);
                reached_pairs(&self.reached)
            }
        })
    }

    /// Sets the bits of the sources and of their neighbours. Returns the number of reached pairs.
    fn start(&mut self, table: &NeighbourTable<'_>, sources: std::ops::Range<usize>) -> u64 {
        self.reached.clear();
        self.reached.resize(table.order, [0; WORDS]);
        self.next.resize(table.order, [0; WORDS]);
        let mut reached = sources.len() as u64;
        for (place, source) in sources.enumerate() {
            let (word, bit) = (place / 64, 1 << (place % 64));
            self.reached[source][word] |= bit;
            for &node in &table.neighbours[source * table.degree..][..table.degree] {
                let word = &mut self.reached[node as usize][word];
                reached += u64::from(*word & bit == 0);
                *word |= bit;
            }
        }
        reached
    }

    /// Propagates the bits of all nodes to their neighbours.
    fn step(&mut self, table: &NeighbourTable<'_>) {
        match table.degree {
            3 => self.step_of_degree::<3>(table.neighbours),
            4 => self.step_of_degree::<4>(table.neighbours),
            5 => self.step_of_degree::<5>(table.neighbours),
            6 => self.step_of_degree::<6>(table.neighbours),
            8 => self.step_of_degree::<8>(table.neighbours),
            _ => {
                let rows = table.neighbours.chunks_exact(table.degree);
                for ((next, own), row) in self.next.iter_mut().zip(&self.reached).zip(rows) {
                    *next = joined(&self.reached, own, row);
                }
            }
        }
        std::mem::swap(&mut self.reached, &mut self.next);
    }

    /// As [`step`](Self::step), for a degree that the compiler knows: the loop over a row is unrolled.
    fn step_of_degree<const DEGREE: usize>(&mut self, neighbours: &[u32]) {
        let (rows, _) = neighbours.as_chunks::<DEGREE>();
        for ((next, own), row) in self.next.iter_mut().zip(&self.reached).zip(rows) {
            *next = joined(&self.reached, own, row);
        }
    }
}

/// Returns the union of the bits of a node and of its neighbours.
#[inline]
fn joined<const WORDS: usize>(reached: &[[u64; WORDS]], own: &[u64; WORDS], row: &[u32]) -> [u64; WORDS] {
    let mut words = *own;
    for &node in row {
        for (word, other) in words.iter_mut().zip(&reached[node as usize]) {
            *word |= other;
        }
    }
    words
}

/// Returns the number of bits that are set. The loop has no other work, so that the compiler can vectorize it.
fn reached_pairs<const WORDS: usize>(reached: &[[u64; WORDS]]) -> u64 {
    reached.as_flattened().iter().map(|word| u64::from(word.count_ones())).sum()
}
