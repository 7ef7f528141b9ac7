//! Sums of distances, for up to 256 sources at a time.

use super::bound::node_bound;

/// Sums the distances from nodes `0..sources` to all nodes, in graphs of one order whose nodes have at most so many
/// neighbours. Keeps its memory from call to call: 16 bytes a node, and 80 where there are more than 64 sources.
#[derive(Clone, Debug)]
pub(crate) struct DistanceSum {
    order: usize,
    degree: usize,
    /// The least sum of the distances from one node.
    least: u64,
    narrow: Batch<1>,
    wide: Batch<4>,
    looks: u64,
}

impl DistanceSum {
    pub(crate) fn new(order: usize, degree: usize) -> Self {
        let least = node_bound(order as u64, degree as u64).unwrap_or(0);
        Self { order, degree, least, narrow: Batch::default(), wide: Batch::default(), looks: 0 }
    }

    /// Entries of neighbour tables looked at in all calls so far, for 64 sources each: about a nanosecond.
    pub(crate) fn looks(&self) -> u64 {
        self.looks
    }

    /// The sum of the distances from nodes `0..sources` to all nodes; `None` if it is more than `limit` or if a node
    /// cannot be reached.
    ///
    /// `neighbours` has `degree` nodes for each node, among them the node itself where it has fewer. Takes one look at
    /// every entry for each unit of the diameter and 64 sources; less where the sum of some sources shows that `limit`
    /// is passed, because the others add what is unavoidable at least.
    pub(crate) fn of(&mut self, neighbours: &[u32], sources: usize, limit: u64) -> Option<u64> {
        let mut sum = 0;
        let mut first = 0;
        while first < sources {
            let is_wide = sources - first > Batch::<1>::SOURCES;
            let batch = (sources - first).min(if is_wide { Batch::<4>::SOURCES } else { Batch::<1>::SOURCES });
            let later = self.least * (sources - first - batch) as u64;
            let room = limit.checked_sub(sum + later)?;
            let table = Table { neighbours, order: self.order, degree: self.degree };
            let range = first..first + batch;
            sum += if is_wide {
                self.wide.sum(&table, range, room, &mut self.looks)?
            } else {
                self.narrow.sum(&table, range, room, &mut self.looks)?
            };
            first += batch;
        }
        Some(sum)
    }
}

/// The neighbours of all nodes.
#[derive(Clone, Copy, Debug)]
struct Table<'a> {
    neighbours: &'a [u32],
    order: usize,
    degree: usize,
}

/// Searches from up to 64 sources for each word, side by side.
#[derive(Clone, Debug, Default)]
struct Batch<const WORDS: usize> {
    /// Bit `s` of a node's words: whether source `s` of the batch reaches it in the steps made so far.
    reached: Vec<[u64; WORDS]>,
    next: Vec<[u64; WORDS]>,
}

impl<const WORDS: usize> Batch<WORDS> {
    const SOURCES: usize = 64 * WORDS;

    /// The sum of the distances from these nodes, as [`DistanceSum::of`].
    fn sum(&mut self, table: &Table<'_>, sources: std::ops::Range<usize>, limit: u64, looks: &mut u64) -> Option<u64> {
        self.reached.clear();
        self.reached.resize(table.order, [0; WORDS]);
        self.next.resize(table.order, [0; WORDS]);
        for (place, source) in sources.clone().enumerate() {
            self.reached[source][place / 64] |= 1 << (place % 64);
        }
        let pairs = (sources.len() * table.order) as u64;
        let mut sum = 0;
        let mut apart = pairs - sources.len() as u64;
        while apart > 0 {
            // A pair counts once for every step after which it is still apart.
            sum += apart;
            if sum > limit {
                return None;
            }
            *looks += (WORDS * table.neighbours.len()) as u64;
            let still = pairs - self.step(table);
            if still == apart {
                return None;
            }
            apart = still;
        }
        Some(sum)
    }

    /// Every node learns what its neighbours know; the number of pairs that have met.
    fn step(&mut self, table: &Table<'_>) -> u64 {
        let mut met = 0;
        let rows = table.neighbours.chunks_exact(table.degree);
        for ((next, own), row) in self.next.iter_mut().zip(&self.reached).zip(rows) {
            let mut words = *own;
            for &node in row {
                for (word, other) in words.iter_mut().zip(&self.reached[node as usize]) {
                    *word |= other;
                }
            }
            *next = words;
            met += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        std::mem::swap(&mut self.reached, &mut self.next);
        met
    }
}
