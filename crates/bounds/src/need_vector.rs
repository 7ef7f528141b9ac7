//! Short vectors of small integers, packed into one number.

use std::ops::Add;

/// The largest number of steps.
pub(crate) const MAX_STEPS: usize = 8;

/// The largest absolute value of an entry.
pub(crate) const MAX_NEED: i32 = 4_000;

/// A number of copies for each of up to [`MAX_STEPS`] steps: those that a subtree takes from above, or gives if
/// negative. The order is lexicographic, the first step first.
///
/// Each step has 16 bits, and the first step has the highest ones. They hold the entry plus the 4,096 of
/// [`ZERO`](Self::ZERO), so neither sums nor differences carry into the next entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NeedVector(u128);

/// A one in each entry.
const ONES: u128 = 0x0001_0001_0001_0001_0001_0001_0001_0001;

/// The highest bit of each entry, which no value reaches.
const GUARD: u128 = ONES << 15;

impl NeedVector {
    /// No copy in any step.
    pub(crate) const ZERO: Self = Self(ONES << 12);

    /// Returns the vector with the same entry in every step.
    pub(crate) fn uniform(number: i32) -> Self {
        Self::ZERO.plus_from(0, number)
    }

    /// Adds a number to the entry of `step` and to every later one.
    pub(crate) fn plus_from(self, step: usize, number: i32) -> Self {
        let places = ONES.checked_shr(16 * step as u32).unwrap_or(0);
        Self(self.0.wrapping_add_signed(i128::from(number).wrapping_mul(places.cast_signed())))
    }

    /// Adds a number to the entry of `step`.
    pub(crate) fn plus_at(self, step: usize, number: i32) -> Self {
        self.plus_from(step, number).plus_from(step + 1, -number)
    }

    /// Returns the entry of a step.
    pub(crate) fn at(self, step: usize) -> i32 {
        i32::from((self.0 >> (16 * (MAX_STEPS - 1 - step))) as u16) - (1 << 12)
    }

    /// Returns true if no entry exceeds that of the other vector.
    pub(crate) fn is_at_most(self, other: Self) -> bool {
        ((other.0 | GUARD) - self.0) & GUARD == GUARD
    }

    /// Returns the larger entry of both vectors in each step.
    pub(crate) fn max(self, other: Self) -> Self {
        let not_below = (((self.0 | GUARD) - other.0) & GUARD) >> 15;
        let own = not_below * 0xFFFF;
        Self(self.0 & own | other.0 & !own)
    }

    /// Returns the sum over all steps, up to a constant.
    pub(crate) fn rank(self) -> u16 {
        (self.0.wrapping_mul(ONES) >> 112) as u16
    }
}

impl Add for NeedVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0 - Self::ZERO.0)
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
        prop_oneof![prop::array::uniform8(-1..=1), prop::array::uniform8(-half..=half)]
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
            let ranks = i32::from(packed(a).rank()) - i32::from(NeedVector::ZERO.rank());
            prop_assert_eq!(ranks, a.iter().sum::<i32>());
            let from = std::array::from_fn(|place| a[place] + if place < step { 0 } else { number });
            prop_assert_eq!(unpacked(packed(a).plus_from(step, number)), from);
        }
    }
}
