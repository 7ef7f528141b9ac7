//! Sets of numbers in which the first and the last member of a range are found fast.

use std::ops::Range;

/// Sets of numbers below a limit: one bit per number, and above every 64 bits one bit that says whether any is set, up to
/// a single word per set.
///
/// Every operation takes `O(log limit / log 64)` time. Memory: 65/64 bits per set and number.
#[derive(Clone, Debug)]
pub(crate) struct SummaryBitSets {
    /// The numbers themselves first.
    levels: Vec<Level>,
}

/// The words of one level, set by set.
#[derive(Clone, Debug)]
struct Level {
    words: Vec<u64>,
    /// Number of words per set.
    width: usize,
}

impl SummaryBitSets {
    /// Returns `count` empty sets of numbers below `limit`.
    pub(crate) fn new(count: usize, limit: u32) -> Self {
        let mut levels = Vec::new();
        let mut width = limit as usize;
        while levels.is_empty() || width > 1 {
            width = width.div_ceil(64).max(1);
            levels.push(Level { words: vec![0; count * width], width });
        }
        Self { levels }
    }

    #[inline]
    pub(crate) fn insert(&mut self, set: usize, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level.words[set * level.width + place / 64];
            let was_empty = *word == 0;
            *word |= 1 << (place % 64);
            if !was_empty {
                return;
            }
            place /= 64;
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, set: usize, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level.words[set * level.width + place / 64];
            let before = *word;
            *word &= !(1 << (place % 64));
            if *word != 0 || before == 0 {
                return;
            }
            place /= 64;
        }
    }

    /// Returns the smallest member of a set in a range.
    #[inline]
    pub(crate) fn first_in(&self, set: usize, range: &Range<u32>) -> Option<u32> {
        let mut place = range.start as usize;
        for (height, level) in self.levels.iter().enumerate() {
            if place / 64 >= level.width {
                return None;
            }
            let later = level.words[set * level.width + place / 64] & u64::MAX << (place % 64);
            if later != 0 {
                let found = place / 64 * 64 + later.trailing_zeros() as usize;
                let first = |place: usize, level: &Level| {
                    place * 64 + level.words[set * level.width + place].trailing_zeros() as usize
                };
                let member = self.levels[..height].iter().rev().fold(found, first) as u32;
                return Some(member).filter(|&member| member < range.end);
            }
            place = place / 64 + 1;
        }
        None
    }

    /// Returns the largest member of a set in a range.
    #[inline]
    pub(crate) fn last_in(&self, set: usize, range: &Range<u32>) -> Option<u32> {
        let mut place = range.end.checked_sub(1)? as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let earlier = level.words[set * level.width + place / 64] & u64::MAX >> (63 - place % 64);
            if earlier != 0 {
                let found = place / 64 * 64 + earlier.ilog2() as usize;
                let last =
                    |place: usize, level: &Level| place * 64 + level.words[set * level.width + place].ilog2() as usize;
                let member = self.levels[..height].iter().rev().fold(found, last) as u32;
                return Some(member).filter(|&member| member >= range.start);
            }
            place = (place / 64).checked_sub(1)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const LIMIT: u32 = 300_000;

    proptest! {
        /// One set is changed; its neighbours stay as they are.
        #[test]
        fn agrees_with_a_set_of_the_standard_library(
            changes in prop::collection::vec((prop_oneof![0..LIMIT, 0..200u32], any::<bool>()), 0..60),
            ranges in prop::collection::vec((0..=LIMIT, 0..=LIMIT), 1..20),
        ) {
            let (mut bits, mut set) = (SummaryBitSets::new(3, LIMIT), BTreeSet::new());
            bits.insert(2, 5);
            for (number, is_inserted) in changes {
                if is_inserted {
                    bits.insert(1, number);
                    set.insert(number);
                } else {
                    bits.remove(1, number);
                    set.remove(&number);
                }
                for &(start, end) in &ranges {
                    let range = start.min(end)..start.max(end);
                    prop_assert_eq!(bits.first_in(1, &range), set.range(range.clone()).next().copied());
                    prop_assert_eq!(bits.last_in(1, &range), set.range(range.clone()).next_back().copied());
                }
            }
            let all = 0..LIMIT;
            prop_assert_eq!((bits.first_in(0, &all), bits.last_in(0, &all)), (None, None));
            prop_assert_eq!((bits.first_in(2, &all), bits.last_in(2, &all)), (Some(5), Some(5)));
        }
    }
}
