//! The values that `rho` can have.

use crate::rational::Rational;

/// The fractions `load / capacity` over all capacities of a network.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// The distinct capacities.
    capacities: Vec<u32>,
}

impl Candidates {
    pub(crate) fn new(mut capacities: Vec<u32>) -> Self {
        capacities.sort_unstable();
        capacities.dedup();
        if capacities.is_empty() {
            capacities.push(1);
        }
        Self { capacities }
    }

    /// Returns the least candidate above zero.
    pub(crate) fn least(&self) -> Rational {
        self.after(Rational::ZERO)
    }

    /// Returns the least candidate above a value.
    pub(crate) fn after(&self, value: Rational) -> Rational {
        let above = |&capacity: &u32| Rational::new(u128::from(value.floor_of(capacity)) + 1, capacity.into());
        self.capacities.iter().map(above).min().expect("there is a capacity")
    }

    /// Returns the least candidate that is a value or more.
    pub(crate) fn from(&self, value: Rational) -> Rational {
        self.first(value.numerator().div_ceil(value.denominator()), |candidate| candidate >= value)
    }

    /// Returns the least candidate above zero for which a monotone property holds. It holds for the whole number `enough`.
    pub(crate) fn first(&self, enough: u128, holds: impl Fn(Rational) -> bool) -> Rational {
        let first_of = |&capacity: &u32| {
            let capacity = u128::from(capacity);
            // The property fails for `low / capacity`, or `low` is zero, and holds for `high / capacity`.
            let (mut low, mut high) = (0, enough.max(1) * capacity);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if holds(Rational::new(middle, capacity)) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            Rational::new(high, capacity)
        };
        self.capacities.iter().map(first_of).min().expect("there is a capacity")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_multiples_of_unit_loads() {
        let candidates = Candidates::new(vec![3, 2, 3]);
        let mut value = Rational::ZERO;
        let mut found = Vec::new();
        for _ in 0..6 {
            value = candidates.after(value);
            found.push(value.to_string());
        }
        assert_eq!(found, ["1/3", "1/2", "2/3", "1", "4/3", "3/2"]);
        assert_eq!(candidates.first(7, |rho| rho > Rational::new(5, 4)), Rational::new(4, 3));
        assert_eq!(candidates.first(7, |_| true), Rational::new(1, 3));
    }
}
