//! Sets of steps, one bit per step, 64 steps per word.

use rand::{Rng, RngExt};

/// Sets the bits of the steps `first..end` except `excluded`.
pub(super) fn set_range(words: &mut [u64], first: u32, end: u32, excluded: u32) {
    for (place, word) in words.iter_mut().enumerate() {
        let below = |limit: u32| match limit.saturating_sub(place as u32 * 64) {
            bits @ 0..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        *word = below(end) & !below(first);
    }
    words[excluded as usize / 64] &= !(1 << (excluded % 64));
}

/// Draws a step of the set, each with equal probability; `None` if it is empty.
pub(super) fn draw(words: impl Iterator<Item = u64> + Clone, rng: &mut impl Rng) -> Option<u32> {
    let count: u32 = words.clone().map(u64::count_ones).sum();
    let mut rank = if count == 0 { return None } else { rng.random_range(0..count) };
    for (word, mut bits) in words.enumerate() {
        let ones = bits.count_ones();
        if rank >= ones {
            rank -= ones;
            continue;
        }
        for _ in 0..rank {
            bits &= bits - 1;
        }
        return Some(word as u32 * 64 + bits.trailing_zeros());
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::stream;

    proptest! {
        #[test]
        fn a_range_has_all_its_steps_but_the_excluded_one(
            words in 1..=3usize, first in 0..200u32, end in 0..200u32, excluded in 0..192u32,
        ) {
            let excluded = excluded % (64 * words as u32);
            let mut allowed = vec![u64::MAX; words];
            set_range(&mut allowed, first, end, excluded);
            for step in 0..64 * words as u32 {
                let is_allowed = allowed[step as usize / 64] >> (step % 64) & 1 == 1;
                prop_assert_eq!(is_allowed, (first..end).contains(&step) && step != excluded);
            }
        }

        #[test]
        fn every_step_of_the_set_is_drawn_and_no_other(bits in prop::collection::btree_set(0..192u32, 0..6), seed: u64) {
            let mut words = [0u64; 3];
            for bit in &bits {
                words[*bit as usize / 64] |= 1 << (bit % 64);
            }
            // 200 draws miss one of 5 bits with probability 5 * 0.8^200, about 2e-19.
            let mut rng = stream(seed);
            let drawn: std::collections::BTreeSet<u32> =
                (0..200).filter_map(|_| draw(words.into_iter(), &mut rng)).collect();
            prop_assert_eq!(drawn, bits);
        }
    }
}
