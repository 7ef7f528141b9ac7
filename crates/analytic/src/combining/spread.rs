//! Which data each rank holds while a pattern runs.

use super::pattern::Pair;

/// The sets of data that ranks hold: one bit per rank and source.
pub(super) struct Spread {
    ranks: usize,
    sources: usize,
    words: usize,
    /// What each rank holds at the beginning of a step.
    held: Vec<u64>,
    /// What each rank holds at its end; equal to `held` between steps.
    next: Vec<u64>,
}

impl Spread {
    /// Every source is a rank that holds its own data.
    pub(super) fn new(ranks: usize, sources: &[u32]) -> Self {
        let words = sources.len().div_ceil(64);
        let mut held = vec![0; ranks * words];
        for (source, &rank) in sources.iter().enumerate() {
            held[rank as usize * words + source / 64] |= 1 << (source % 64);
        }
        let next = held.clone();
        Self { ranks, sources: sources.len(), words, held, next }
    }

    /// Returns the number of words that each rank holds.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Copies data in one step: every sender sends what it held before and its receiver lacks. Calls `visit` with the index
    /// of each source, the sender and the receiver; those of one pair follow each other.
    pub(super) fn copy(&mut self, pairs: &[Pair], mut visit: impl FnMut(usize, Pair)) {
        for &pair in pairs {
            let [from, to] = pair.map(|rank| rank as usize * self.words);
            for word in 0..self.words {
                let mut new = self.held[from + word] & !self.next[to + word];
                self.next[to + word] |= new;
                while new != 0 {
                    visit(word * 64 + new.trailing_zeros() as usize, pair);
                    new &= new - 1;
                }
            }
        }
        self.end_step(pairs);
    }

    /// Adds sums in one step: every sender sends the sum of what it held before. Returns false if a receiver would count data
    /// twice: its own set and those that arrive must be disjoint, or one that arrives must contain all others.
    pub(super) fn add(&mut self, pairs: &mut [Pair]) -> bool {
        let size = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        pairs.sort_unstable_by_key(|&[from, to]| (to, from));
        for arrivals in pairs.chunk_by(|first, second| first[1] == second[1]) {
            let to = arrivals[0][1] as usize * self.words;
            let (mut total, mut largest) = (size(&self.held[to..to + self.words]), 0);
            for &[from, _] in arrivals {
                let from = from as usize * self.words;
                let arriving = size(&self.held[from..from + self.words]);
                (total, largest) = (total + arriving, largest.max(arriving));
                for word in 0..self.words {
                    self.next[to + word] |= self.held[from + word];
                }
            }
            let union = size(&self.next[to..to + self.words]);
            if union != total && union != largest {
                return false;
            }
        }
        self.end_step(pairs);
        true
    }

    fn end_step(&mut self, pairs: &[Pair]) {
        for &[_, to] in pairs {
            let to = to as usize * self.words;
            self.held[to..to + self.words].copy_from_slice(&self.next[to..to + self.words]);
        }
    }

    /// Returns true if every rank holds the data of all sources.
    pub(super) fn is_complete(&self) -> bool {
        let held: u64 = self.held.iter().map(|word| u64::from(word.count_ones())).sum();
        held == self.ranks as u64 * self.sources as u64
    }
}
