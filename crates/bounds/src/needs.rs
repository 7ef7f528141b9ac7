//! Short vectors of small whole numbers, added and compared all at once.

use std::ops::Add;

/// The most steps that fit.
pub(crate) const MAX_STEPS: usize = 8;

/// The largest absolute value of a number.
pub(crate) const MAX_NEED: i32 = 4_000;

/// A number of copies for each of up to [`MAX_STEPS`] steps: what a subtree takes from above, or gives where it is
/// negative. Ordered like a list, the first step first.
///
/// Sixteen bits a step, the first in the highest ones, hold the number and [`ZERO`](Self::ZERO)'s 4,096, so that neither
/// sums nor differences reach a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Needs(u128);

/// One in each place.
const ONES: u128 = 0x0001_0001_0001_0001_0001_0001_0001_0001;

/// The highest bit of each place, which no number reaches.
const GUARD: u128 = ONES << 15;

impl Needs {
    /// Nothing in any step.
    pub(crate) const ZERO: Self = Self(ONES << 12);

    /// The same number in every step.
    pub(crate) fn uniform(number: i32) -> Self {
        Self::ZERO.plus_from(0, number)
    }

    /// With so many more in `step` and every later one.
    pub(crate) fn plus_from(self, step: usize, number: i32) -> Self {
        let places = ONES.checked_shr(16 * step as u32).unwrap_or(0);
        Self(self.0.wrapping_add_signed(i128::from(number).wrapping_mul(places.cast_signed())))
    }

    /// With so many more in `step`.
    pub(crate) fn plus_at(self, step: usize, number: i32) -> Self {
        self.plus_from(step, number).plus_from(step + 1, -number)
    }

    /// The number of the step.
    pub(crate) fn at(self, step: usize) -> i32 {
        i32::from((self.0 >> (16 * (MAX_STEPS - 1 - step))) as u16) - (1 << 12)
    }

    /// Whether no number is above the other's.
    pub(crate) fn fits(self, other: Self) -> bool {
        ((other.0 | GUARD) - self.0) & GUARD == GUARD
    }

    /// In each step the larger of both numbers.
    pub(crate) fn max(self, other: Self) -> Self {
        let not_below = (((self.0 | GUARD) - other.0) & GUARD) >> 15;
        let own = not_below * 0xFFFF;
        Self(self.0 & own | other.0 & !own)
    }

    /// The sum over all steps, up to a constant.
    pub(crate) fn rank(self) -> u16 {
        (self.0.wrapping_mul(ONES) >> 112) as u16
    }
}

impl Add for Needs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0 - Self::ZERO.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(numbers: [i32; MAX_STEPS]) -> Needs {
        numbers.into_iter().enumerate().fold(Needs::ZERO, |needs, (step, number)| needs.plus_at(step, number))
    }

    fn unpacked(needs: Needs) -> [i32; MAX_STEPS] {
        std::array::from_fn(|step| needs.at(step))
    }

    /// Numbers whose sums are in range too; many of them equal.
    fn numbers() -> impl Strategy<Value = [i32; MAX_STEPS]> {
        let half = MAX_NEED / 2;
        prop_oneof![prop::array::uniform8(-1..=1), prop::array::uniform8(-half..=half)]
    }

    proptest! {
        #[test]
        fn places_do_not_disturb_each_other(a in numbers(), b in numbers(), step in 0..MAX_STEPS, number in -9..=9i32) {
            let both = |with: fn(i32, i32) -> i32| std::array::from_fn(|step| with(a[step], b[step]));
            prop_assert_eq!(unpacked(packed(a)), a);
            prop_assert_eq!(unpacked(packed(a) + packed(b)), both(|a, b| a + b));
            prop_assert_eq!(unpacked(packed(a).max(packed(b))), both(i32::max));
            prop_assert_eq!(packed(a).fits(packed(b)), a.iter().zip(&b).all(|(a, b)| a <= b));
            prop_assert_eq!(packed(a).cmp(&packed(b)), a.cmp(&b));
            let ranks = i32::from(packed(a).rank()) - i32::from(Needs::ZERO.rank());
            prop_assert_eq!(ranks, a.iter().sum::<i32>());
            let from = std::array::from_fn(|place| a[place] + if place < step { 0 } else { number });
            prop_assert_eq!(unpacked(packed(a).plus_from(step, number)), from);
        }
    }
}
