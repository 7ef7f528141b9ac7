//! Sets of numbers, a bit each.

/// A set of numbers below a limit.
#[derive(Clone, Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(limit: u64) -> Self {
        Self(vec![0; limit.div_ceil(64) as usize])
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        self.0[(number / 64) as usize] >> (number % 64) & 1 == 1
    }

    /// Puts a number in; whether it was not there.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let word = &mut self.0[(number / 64) as usize];
        let fresh = *word >> (number % 64) & 1 == 0;
        *word |= 1 << (number % 64);
        fresh
    }

    pub(super) fn remove(&mut self, number: u64) {
        self.0[(number / 64) as usize] &= !(1 << (number % 64));
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
