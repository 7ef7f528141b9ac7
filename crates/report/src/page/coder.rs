//! Compact numbers: an adaptive binary range coder.

/// Bits of a probability.
const PRECISION: u32 = 11;
/// The probability of equally likely bits.
const EVEN: u16 = 1 << (PRECISION - 1);
/// The adaptation: a smaller shift adapts faster.
const SHIFT: u32 = 4;
/// The range is kept above this limit.
const BOTTOM: u32 = 1 << 24;
/// Bits of the bit length of a number, which is at most 32.
const LENGTH_BITS: u32 = 6;
/// The most significant bits of a number, after the leading one, that have probabilities of their own.
const MODELLED_BITS: u32 = 3;

/// An adaptive binary range coder. The decoder of the page has the same models.
///
/// # Source
///
/// Igor Pavlov, *LZMA specification* (2015), section "Range coding"; after G. N. N. Martin, *Range encoding: an algorithm
/// for removing redundancy from a digitised message* (1979).
#[derive(Debug)]
pub(super) struct Encoder {
    low: u64,
    range: u32,
    /// The last byte, which a carry can still change, followed by `pending` bytes of 255.
    cache: u8,
    pending: usize,
    is_started: bool,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self { low: 0, range: u32::MAX, cache: 0, pending: 0, is_started: false, bytes: Vec::new() }
    }

    /// Returns the bytes of all numbers.
    pub(super) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.bytes
    }

    fn bit(&mut self, probability: &mut u16, bit: bool) {
        let bound = (self.range >> PRECISION) * u32::from(*probability);
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
            *probability -= *probability >> SHIFT;
        } else {
            self.range = bound;
            *probability += ((1 << PRECISION) - *probability) >> SHIFT;
        }
        self.normalize();
    }

    /// Codes a bit of even probability.
    fn plain_bit(&mut self, bit: bool) {
        self.range >>= 1;
        if bit {
            self.low += u64::from(self.range);
        }
        self.normalize();
    }

    fn normalize(&mut self) {
        while self.range < BOTTOM {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low < 0xff00_0000 || carry == 1 {
            if self.is_started {
                self.bytes.push(self.cache.wrapping_add(carry));
            }
            self.is_started = true;
            self.bytes.extend(std::iter::repeat_n(255_u8.wrapping_add(carry), self.pending));
            self.pending = 0;
            self.cache = (self.low >> 24) as u8;
        } else {
            self.pending += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

/// The model of a symbol below `2^bits`.
#[derive(Clone, Debug)]
pub(super) struct SymbolModel {
    bits: u32,
    probabilities: Vec<u16>,
}

impl SymbolModel {
    /// Creates the model of the symbols below `count`.
    pub(super) fn new(count: usize) -> Self {
        let bits = count.max(2).next_power_of_two().trailing_zeros();
        Self { bits, probabilities: vec![EVEN; 1 << bits] }
    }

    /// Codes a symbol below the count.
    pub(super) fn put(&mut self, encoder: &mut Encoder, symbol: usize) {
        let mut node = 1;
        for place in (0..self.bits).rev() {
            let bit = symbol >> place & 1 == 1;
            encoder.bit(&mut self.probabilities[node], bit);
            node = 2 * node + usize::from(bit);
        }
    }
}

/// The model of any number: its bit length, then its bits.
#[derive(Clone, Debug)]
pub(super) struct NumberModel {
    length: SymbolModel,
    /// For each bit length, the probabilities of the bits after the leading one.
    high: Vec<u16>,
}

impl NumberModel {
    pub(super) fn new() -> Self {
        Self { length: SymbolModel::new(1 << LENGTH_BITS), high: vec![EVEN; 33 << MODELLED_BITS] }
    }

    /// Codes a number.
    pub(super) fn put(&mut self, encoder: &mut Encoder, number: u32) {
        let length = 32 - number.leading_zeros();
        self.length.put(encoder, length as usize);
        let mut node = 1;
        for place in (0..length.saturating_sub(1)).rev() {
            let bit = number >> place & 1 == 1;
            if node < 1 << MODELLED_BITS {
                encoder.bit(&mut self.high[(length as usize) << MODELLED_BITS | node], bit);
                node = 2 * node + usize::from(bit);
            } else {
                encoder.plain_bit(bit);
            }
        }
    }

    /// Codes the difference of two numbers, modulo 2^32.
    pub(super) fn put_difference(&mut self, encoder: &mut Encoder, number: u32, from: u32) {
        let difference = number.wrapping_sub(from).cast_signed();
        self.put(encoder, (difference << 1 ^ difference >> 31).cast_unsigned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_numbers_take_less_than_a_bit_each() {
        let (mut encoder, mut model) = (Encoder::new(), NumberModel::new());
        for _ in 0..8000 {
            model.put_difference(&mut encoder, 77, 76);
        }
        let bytes = encoder.finish().len();
        assert!(bytes < 600, "{bytes}");
    }

    #[test]
    fn a_carry_passes_through_bytes_of_255() {
        // The largest numbers push `low` to its limit.
        let (mut encoder, mut model) = (Encoder::new(), NumberModel::new());
        for number in [u32::MAX, 0, u32::MAX - 1, 1 << 31, u32::MAX] {
            model.put(&mut encoder, number);
        }
        assert!(encoder.finish().len() >= 12);
    }
}
