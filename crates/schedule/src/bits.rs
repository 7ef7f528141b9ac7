//! A set of numbers as bits.

/// Numbers from 0 on, a bit each.
///
/// Fresh zeroed memory costs nothing until it is touched, so that a large set with few members is cheap.
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `bits`.
    pub(crate) fn new(bits: u64) -> Self {
        Self(vec![0; bits.div_ceil(64) as usize])
    }

    #[inline]
    pub(crate) fn get(&self, bit: u64) -> bool {
        self.0[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// Sets the bit; `true` if it was set before.
    #[inline]
    pub(crate) fn set(&mut self, bit: u64) -> bool {
        let word = &mut self.0[(bit / 64) as usize];
        let mask = 1 << (bit % 64);
        let before = *word & mask != 0;
        *word |= mask;
        before
    }

    /// Clears the bit.
    #[inline]
    pub(crate) fn clear(&mut self, bit: u64) {
        self.0[(bit / 64) as usize] &= !(1 << (bit % 64));
    }
}
