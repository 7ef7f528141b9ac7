//! Short vectors of small integers, packed into two numbers.

use std::ops::Add;

/// The largest number of steps.
pub(crate) const MAX_STEPS: usize = 2 * STEPS_PER_WORD;

/// The number of steps in one number.
const STEPS_PER_WORD: usize = 8;

/// The largest absolute value of an entry.
pub(crate) const MAX_NEED: i32 = 4_000;

/// A number of copies for each of up to [`MAX_STEPS`] steps: those that a subtree takes from above, or gives if
/// negative. The order is lexicographic, the first step first.
///
/// Each step has 16 bits, and the first step of a word has the highest ones. They hold the entry plus the 4,096 of
/// [`ZERO`](Self::ZERO), so neither sums nor differences carry into the next entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NeedVector([u128; 2]);

/// A one in each entry.
const ONES: u128 = 0x0001_0001_0001_0001_0001_0001_0001_0001;

/// The highest bit of each entry, which no value reaches.
const GUARD: u128 = ONES << 15;

/// A word whose entries are 0.
const ZEROS: u128 = ONES << 12;

impl NeedVector {
    /// No copy in any step.
    pub(crate) const ZERO: Self = Self([ZEROS; 2]);

    /// Returns the vector with the same entry in every step.
    pub(crate) fn uniform(number: i32) -> Self {
        Self::ZERO.plus_from(0, number)
    }

    /// Adds a number to the entry of `step` and to every later one.
    pub(crate) fn plus_from(self, step: usize, number: i32) -> Self {
        let [first, second] = self.0;
        let plus = |word: u128, step: usize| {
            let places = ONES.checked_shr(16 * step as u32).unwrap_or(0);
            word.wrapping_add_signed(i128::from(number).wrapping_mul(places.cast_signed()))
        };
        Self([plus(first, step), plus(second, step.saturating_sub(STEPS_PER_WORD))])
    }

    /// Adds a number to the entry of `step`.
    pub(crate) fn plus_at(self, step: usize, number: i32) -> Self {
        self.plus_from(step, number).plus_from(step + 1, -number)
    }

    /// Returns the entry of a step.
    pub(crate) fn at(self, step: usize) -> i32 {
        let word = self.0[step / STEPS_PER_WORD];
        i32::from((word >> (16 * (STEPS_PER_WORD - 1 - step % STEPS_PER_WORD))) as u16) - (1 << 12)
    }

    /// Returns true if no entry exceeds that of the other vector.
    pub(crate) fn is_at_most(self, other: Self) -> bool {
        let [first, second] = self.with(other, |own, other| ((other | GUARD) - own) & GUARD).0;
        first & second == GUARD
    }

    /// Returns the larger entry of both vectors in each step.
    pub(crate) fn max(self, other: Self) -> Self {
        self.with(other, |own, other| {
            let not_below = (((own | GUARD) - other) & GUARD) >> 15;
            let kept = not_below * 0xFFFF;
            own & kept | other & !kept
        })
    }

    /// Returns the sum over all steps, up to a constant.
    pub(crate) fn rank(self) -> u32 {
        self.0.iter().map(|word| u32::from((word.wrapping_mul(ONES) >> 112) as u16)).sum()
    }

    fn with(self, other: Self, join: impl Fn(u128, u128) -> u128) -> Self {
        Self([0, 1].map(|word| join(self.0[word], other.0[word])))
    }
}

impl Add for NeedVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, |own, other| own + other - ZEROS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(numbers: [i32; MAX_STEPS]) -> NeedVector {
        numbers.into_iter().enumerate().fold(NeedVector::ZERO, |needs, (step, number)| needs.plus_at(step, number))
    }

    fn unpacked(needs: NeedVector) -> [i32; MAX_STEPS] {
        std::array::from_fn(|step| needs.at(step))
    }

    /// Entries whose sums are in range too. Many of them are equal.
    fn numbers() -> impl Strategy<Value = [i32; MAX_STEPS]> {
        let half = MAX_NEED / 2;
        prop_oneof![prop::array::uniform16(-1..=1), prop::array::uniform16(-half..=half)]
    }

    proptest! {
        #[test]
        fn entries_do_not_affect_each_other(a in numbers(), b in numbers(), step in 0..MAX_STEPS, number in -9..=9i32) {
            let both = |with: fn(i32, i32) -> i32| std::array::from_fn(|step| with(a[step], b[step]));
            prop_assert_eq!(unpacked(packed(a)), a);
            prop_assert_eq!(unpacked(packed(a) + packed(b)), both(|a, b| a + b));
            prop_assert_eq!(unpacked(packed(a).max(packed(b))), both(i32::max));
            prop_assert_eq!(packed(a).is_at_most(packed(b)), a.iter().zip(&b).all(|(a, b)| a <= b));
            prop_assert_eq!(packed(a).cmp(&packed(b)), a.cmp(&b));
            let ranks = packed(a).rank().cast_signed() - NeedVector::ZERO.rank().cast_signed();
            prop_assert_eq!(ranks, a.iter().sum::<i32>());
            let from = std::array::from_fn(|place| a[place] + if place < step { 0 } else { number });
            prop_assert_eq!(unpacked(packed(a).plus_from(step, number)), from);
        }
    }
}
