//! Sums of distances, for 64 sources at a time.

/// Sums the distances from nodes `0..sources` to all nodes. Keeps its memory, 16 bytes a node, from call to call.
#[derive(Clone, Debug)]
pub(crate) struct DistanceSum {
    /// Bit `s` of a node's word: whether source `s` of the batch reaches it in the steps made so far.
    reached: Vec<u64>,
    next: Vec<u64>,
    looks: u64,
}

impl DistanceSum {
    pub(crate) fn new(order: usize) -> Self {
        Self { reached: vec![0; order], next: vec![0; order], looks: 0 }
    }

    /// Entries of neighbour tables looked at in all calls so far: a nanosecond each, or less.
    pub(crate) fn looks(&self) -> u64 {
        self.looks
    }

    /// The sum of the distances from nodes `0..sources` to all nodes; `None` if it is more than `limit` or if a node
    /// cannot be reached.
    ///
    /// `neighbours` has `degree` nodes for each node, among them the node itself where it has fewer. Takes one look at
    /// every entry for each unit of the diameter and 64 sources.
    pub(crate) fn of(&mut self, neighbours: &[u32], degree: usize, sources: usize, limit: u64) -> Option<u64> {
        let order = self.reached.len();
        let mut sum = 0;
        for first in (0..sources).step_by(64) {
            let batch = (sources - first).min(64);
            // Every pair of a later batch is at least one apart.
            let later = ((sources - first - batch) * (order - 1)) as u64;
            self.reached.fill(0);
            for source in 0..batch {
                self.reached[first + source] = 1 << source;
            }
            let mut apart = (batch * (order - 1)) as u64;
            while apart > 0 {
                // A pair counts once for every step after which it is still apart.
                sum += apart;
                if sum + later > limit {
                    return None;
                }
                let still = (batch * order) as u64 - self.step(neighbours, degree);
                if still == apart {
                    return None;
                }
                apart = still;
            }
        }
        Some(sum)
    }

    /// Every node learns what its neighbours know; the number of pairs that have met.
    fn step(&mut self, neighbours: &[u32], degree: usize) -> u64 {
        self.looks += neighbours.len() as u64;
        let mut met = 0;
        for ((next, own), row) in self.next.iter_mut().zip(&self.reached).zip(neighbours.chunks_exact(degree)) {
            *next = row.iter().fold(*own, |word, &node| word | self.reached[node as usize]);
            met += u64::from(next.count_ones());
        }
        std::mem::swap(&mut self.reached, &mut self.next);
        met
    }
}
