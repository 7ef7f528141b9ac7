//! Exact fractions.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A fraction that is not negative, in lowest terms.
///
/// Its text is `7/2`, or `4` for a whole number; files have this text.
///
/// ```
/// use lockstep_rings::Rational;
///
/// let bandwidth = Rational::new(14, 4);
/// assert_eq!((bandwidth.to_string(), bandwidth.to_f64()), ("7/2".to_owned(), 3.5));
/// assert!(bandwidth < Rational::from(4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    numerator: u128,
    denominator: u128,
}

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// Returns a fraction in lowest terms.
    ///
    /// # Panics
    ///
    /// If the denominator is zero.
    pub fn new(numerator: u128, denominator: u128) -> Self {
        assert!(denominator > 0, "a denominator above zero");
        let divisor = greatest_common_divisor(numerator, denominator);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// Returns the numerator in lowest terms.
    pub fn numerator(self) -> u128 {
        self.numerator
    }

    /// Returns the denominator in lowest terms.
    pub fn denominator(self) -> u128 {
        self.denominator
    }

    /// Returns the nearest floating-point number, for display.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Returns `floor(self * factor)`, at most `u64::MAX`.
    pub fn floor_of(self, factor: u32) -> u64 {
        let product = self.numerator.saturating_mul(u128::from(factor));
        u64::try_from(product / self.denominator).unwrap_or(u64::MAX)
    }

    /// Returns the product with `numerator / denominator`, or `None` if it has too many digits or the denominator is zero.
    pub fn checked_scale(self, numerator: u128, denominator: u128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        // The common factors go first, so that only results with too many digits fail.
        let factor = Self::new(numerator, denominator);
        let [a, b] = [Self::new(self.numerator, factor.denominator), Self::new(factor.numerator, self.denominator)];
        Some(Self {
            numerator: a.numerator.checked_mul(b.numerator)?,
            denominator: a.denominator.checked_mul(b.denominator)?,
        })
    }

    /// Returns `1 / self`, or `None` for zero.
    pub fn reciprocal(self) -> Option<Self> {
        (self.numerator > 0).then_some(Self { numerator: self.denominator, denominator: self.numerator })
    }
}

impl From<u64> for Rational {
    fn from(value: u64) -> Self {
        Self { numerator: value.into(), denominator: 1 }
    }
}

impl Ord for Rational {
    /// Compares the whole parts, then the reciprocals of the remainders, so that no product overflows.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut left, mut right, mut is_swapped) = (*self, *other, false);
        loop {
            let whole = [left, right].map(|value| value.numerator / value.denominator);
            let rest = [left, right].map(|value| value.numerator % value.denominator);
            let order = whole[0].cmp(&whole[1]).then_with(|| (rest[0] > 0).cmp(&(rest[1] > 0)));
            if order != Ordering::Equal || rest == [0, 0] {
                return if is_swapped { order.reverse() } else { order };
            }
            (left.numerator, left.denominator) = (left.denominator, rest[0]);
            (right.numerator, right.denominator) = (right.denominator, rest[1]);
            is_swapped = !is_swapped;
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// The reason a text is not a [`Rational`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a fraction such as 7/2 or 4")]
pub struct NotRational;

impl std::str::FromStr for Rational {
    type Err = NotRational;

    fn from_str(text: &str) -> Result<Self, NotRational> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<u128>().ok()).flatten().ok_or(NotRational)
        };
        match (number(numerator)?, number(denominator)?) {
            (_, 0) => Err(NotRational),
            (numerator, denominator) => Ok(Self::new(numerator, denominator)),
        }
    }
}

impl Serialize for Rational {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rational {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_products(a in 0..200u128, b in 1..200u128, c in 0..200u128, d in 1..200u128) {
            let [left, right] = [Rational::new(a, b), Rational::new(c, d)];
            prop_assert_eq!(left.cmp(&right), (a * d).cmp(&(c * b)));
            prop_assert_eq!(left == right, a * d == c * b);
            prop_assert_eq!(left.to_string().parse(), Ok(left));
            prop_assert_eq!(left.checked_scale(c, d), Some(Rational::new(a * c, b * d)));
            prop_assert_eq!(u128::from(left.floor_of(7)), 7 * a / b);
        }
    }

    #[test]
    fn large_fractions_are_compared() {
        let near = Rational::new(u128::MAX, u128::MAX - 1);
        assert!(near > Rational::from(1) && near < Rational::new(3, 2));
        assert_eq!(near.checked_scale(3, 1), None);
        assert_eq!(near.floor_of(2), 1);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "/", "1/0", "-1", "+1", "1/2/3", "0x1", " 1", "340282366920938463463374607431768211456"] {
            assert_eq!(text.parse::<Rational>(), Err(NotRational), "{text}");
        }
    }
}
