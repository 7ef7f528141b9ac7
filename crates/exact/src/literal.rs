//! Variables and their negations.

use std::ops::Not;

/// A variable of a formula, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Literal(u32);

impl Literal {
    /// Always true: variable 0, which no clause contains.
    pub(crate) const TRUE: Self = Self(0);
    /// Always false.
    pub(crate) const FALSE: Self = Self(1);

    /// Returns the literal of a variable, from 1 on.
    pub(crate) fn of_variable(variable: u32) -> Self {
        Self(variable << 1)
    }

    /// Returns the literal of a number in a proof: the number of its variable, negative for the negation. `None` if no
    /// variable up to `variables` has this number.
    pub(crate) fn of_number(number: i32, variables: u32) -> Option<Self> {
        let variable = number.unsigned_abs();
        let literal = (1..=variables).contains(&variable).then(|| Self::of_variable(variable))?;
        Some(if number < 0 { !literal } else { literal })
    }

    pub(crate) fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Returns the place of the literal in a table: twice its variable, and 1 more for the negation.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(any(feature = "solver", test))]
impl Literal {
    /// Returns the number of the literal in a proof.
    pub(crate) fn number(self) -> i32 {
        let number = self.variable().cast_signed();
        if self.is_negation() { -number } else { number }
    }

    pub(crate) fn is_negation(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Literal;

    #[test]
    fn numbers_are_those_of_variables() {
        let three = Literal::of_variable(3);
        assert_eq!((three.number(), (!three).number()), (3, -3));
        assert_eq!(Literal::of_number(-3, 3), Some(!three));
        for number in [0, 4, -4, i32::MIN, i32::MAX] {
            assert_eq!(Literal::of_number(number, 3), None);
        }
        assert_eq!(!Literal::TRUE, Literal::FALSE);
    }
}
