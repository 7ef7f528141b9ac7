//! A set of numbers, one bit per number.

/// A set of numbers below a limit.
///
/// Zeroed memory costs nothing until it is written, so a large set of few members is cheap.
#[derive(Clone, Debug)]
pub(crate) struct BitSet(Vec<u64>);

impl BitSet {
    /// Returns the empty set of numbers below `limit`.
    pub(crate) fn new(limit: u64) -> Self {
        Self(vec![0; limit.div_ceil(64) as usize])
    }

    #[inline]
    pub(crate) fn contains(&self, number: u64) -> bool {
        self.0[(number / 64) as usize] >> (number % 64) & 1 == 1
    }

    /// Adds a number; returns whether it was absent.
    #[inline]
    pub(crate) fn insert(&mut self, number: u64) -> bool {
        let word = &mut self.0[(number / 64) as usize];
        let mask = 1 << (number % 64);
        let is_new = *word & mask == 0;
        *word |= mask;
        is_new
    }

    /// Removes a number; returns whether it was present.
    #[inline]
    pub(crate) fn remove(&mut self, number: u64) -> bool {
        let word = &mut self.0[(number / 64) as usize];
        let mask = 1 << (number % 64);
        let was_present = *word & mask != 0;
        *word &= !mask;
        was_present
    }

    /// Removes all numbers.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Returns the number of members. O(limit).
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
