//! Bisection width: the smallest number of cables between two halves of the terminals.

mod bisector;
mod exact;
mod gain_buckets;
mod multilevel;
mod refiner;
mod sides;

#[cfg(test)]
mod tests;

pub use bisector::{BisectionEffort, Bisector};
pub use exact::{ExactBisection, MAX_EXACT_TERMINALS, TooManyTerminals, exact_bisection};
pub use sides::{Bisection, BisectionError};
