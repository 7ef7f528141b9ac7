//! A set of numbers in which the first and the last member of a range are found fast.

use std::ops::Range;

/// A set of numbers below a limit: one bit per number, and above every 64 bits one bit that says whether any is set, up
/// to a single word.
///
/// Every operation takes `O(log limit / log 64)` time. Memory: 65/64 bits per number.
#[derive(Clone, Debug)]
pub(crate) struct SummaryBitSet {
    /// The words of each level, the numbers themselves first.
    levels: Vec<Vec<u64>>,
}

impl SummaryBitSet {
    /// Returns the empty set of numbers below `limit`.
    pub(crate) fn new(limit: u32) -> Self {
        let mut levels = vec![vec![0; limit.div_ceil(64).max(1) as usize]];
        while levels.last().is_some_and(|level| level.len() > 1) {
            let words = levels[levels.len() - 1].len().div_ceil(64);
            levels.push(vec![0; words]);
        }
        Self { levels }
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / 64];
            let was_empty = *word == 0;
            *word |= 1 << (place % 64);
            if !was_empty {
                return;
            }
            place /= 64;
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / 64];
            *word &= !(1 << (place % 64));
            if *word != 0 {
                return;
            }
            place /= 64;
        }
    }

    /// Returns the smallest member in a range.
    #[inline]
    pub(crate) fn first_in(&self, range: &Range<u32>) -> Option<u32> {
        let mut place = range.start as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let later = level.get(place / 64)? & u64::MAX << (place % 64);
            if later != 0 {
                let found = place / 64 * 64 + later.trailing_zeros() as usize;
                let first = |place: usize, level: &Vec<u64>| place * 64 + level[place].trailing_zeros() as usize;
                let member = self.levels[..height].iter().rev().fold(found, first) as u32;
                return Some(member).filter(|&member| member < range.end);
            }
            place = place / 64 + 1;
        }
        None
    }

    /// Returns the largest member in a range.
    #[inline]
    pub(crate) fn last_in(&self, range: &Range<u32>) -> Option<u32> {
        let mut place = range.end.checked_sub(1)? as usize;
        for (height, level) in self.levels.iter().enumerate() {
            let earlier = level[place / 64] & u64::MAX >> (63 - place % 64);
            if earlier != 0 {
                let found = place / 64 * 64 + earlier.ilog2() as usize;
                let last = |place: usize, level: &Vec<u64>| place * 64 + level[place].ilog2() as usize;
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
        #[test]
        fn agrees_with_a_set_of_the_standard_library(
            changes in prop::collection::vec((prop_oneof![0..LIMIT, 0..200u32], any::<bool>()), 0..60),
            ranges in prop::collection::vec((0..=LIMIT, 0..=LIMIT), 1..20),
        ) {
            let (mut bits, mut set) = (SummaryBitSet::new(LIMIT), BTreeSet::new());
            for (number, is_inserted) in changes {
                if is_inserted {
                    bits.insert(number);
                    set.insert(number);
                } else {
                    bits.remove(number);
                    set.remove(&number);
                }
                for &(start, end) in &ranges {
                    let range = start.min(end)..start.max(end);
                    prop_assert_eq!(bits.first_in(&range), set.range(range.clone()).next().copied());
                    prop_assert_eq!(bits.last_in(&range), set.range(range.clone()).next_back().copied());
                }
            }
        }
    }
}
