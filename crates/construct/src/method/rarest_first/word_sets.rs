//! Sets of messages as rows of words: one bit per message.

/// The most words that are counted together.
pub(super) const BLOCK: usize = 8;

/// Intersects a set with `other ^ mask`, unless the result would be empty.
#[inline]
pub(super) fn narrow(set: &mut [u64], other: &[u64], mask: u64) {
    if set.iter().zip(other).fold(0, |any, (word, other)| any | word & (other ^ mask)) != 0 {
        set.iter_mut().zip(other).for_each(|(word, other)| *word &= other ^ mask);
    }
}

/// Narrows a set of `N` words to the messages with the least number. `digits` are the binary digits of the numbers, highest
/// first. The number of words is constant, so that the set stays in registers.
#[inline]
pub(super) fn narrow_to_least<'a, const N: usize>(set: &mut [u64], digits: impl Iterator<Item = &'a [u64]>) {
    let set = set.first_chunk_mut::<N>().expect("the set has N words");
    for digit in digits {
        let digit = digit.first_chunk::<N>().expect("a digit has a bit per message of the set");
        let without: [u64; N] = std::array::from_fn(|word| set[word] & !digit[word]);
        if without.iter().fold(0, |any, word| any | word) != 0 {
            *set = without;
        }
    }
}

/// Returns the number of messages in both sets.
///
/// Without an instruction that counts bits, this is faster than `count_ones`: the last operations are common to all words.
#[inline]
pub(super) fn count_common(one: &[u64], other: &[u64]) -> u32 {
    const PAIRS: u64 = 0x5555_5555_5555_5555;
    const FOURS: u64 = 0x3333_3333_3333_3333;
    const BYTES: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    const SHORTS: u64 = 0x00FF_00FF_00FF_00FF;
    let in_bytes = one.iter().zip(other).fold(0, |sum, (one, other)| {
        let word = one & other;
        let word = word - (word >> 1 & PAIRS);
        let word = (word & FOURS) + (word >> 2 & FOURS);
        // A byte counts up to 8 bits, so the sums of [`BLOCK`] words fit.
        sum + ((word & BYTES) + (word >> 4 & BYTES))
    });
    let in_shorts = (in_bytes & SHORTS) + (in_bytes >> 8 & SHORTS);
    (in_shorts.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
}

/// Returns one of the messages of a row: the first one from a position on that `salt` selects.
#[inline]
pub(super) fn pick(row: &[u64], salt: u32) -> Option<u32> {
    let start = ((u64::from(salt) * row.len() as u64) >> u32::BITS) as usize;
    let mut words = (start..row.len()).chain(0..start);
    let word = words.find(|&word| row[word] != 0)?;
    let turn = salt % u64::BITS;
    let bit = (row[word].rotate_right(turn).trailing_zeros() + turn) % u64::BITS;
    Some(word as u32 * u64::BITS + bit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_counted_and_narrowed_together(
            set in prop::array::uniform8(any::<u64>()), digits in prop::collection::vec(prop::array::uniform8(any::<u64>()), 0..9),
            words in 0..=BLOCK,
        ) {
            for other in digits.iter().chain([&[u64::MAX; BLOCK]]) {
                let count: u32 = set[..words].iter().zip(other).map(|(one, other)| (one & other).count_ones()).sum();
                prop_assert_eq!(count_common(&set[..words], other), count);
            }
            let [mut fast, mut general] = [set; 2];
            narrow_to_least::<BLOCK>(&mut fast, digits.iter().map(|digit| &digit[..]));
            for digit in &digits {
                narrow(&mut general, digit, u64::MAX);
            }
            prop_assert_eq!(fast, general);
        }
    }

    /// Each of several messages is selected by some salt.
    #[test]
    fn salt_selects_among_ties() {
        let row = [0, 1 << 63 | 1, 0, 1 << 17];
        let mut picked: Vec<u32> = (0..4096u32).filter_map(|salt| pick(&row, salt.wrapping_mul(0x9E37_79B9))).collect();
        picked.sort_unstable();
        picked.dedup();
        assert_eq!(picked, [64, 127, 3 * 64 + 17]);
        assert_eq!(pick(&[0, 0], 7), None);
    }
}
