//! How few cables join two halves of the terminals.

mod bisector;
mod exact;
mod gains;
mod halves;
mod multilevel;
mod refiner;

#[cfg(test)]
mod tests;

pub use bisector::{BisectionEffort, Bisector};
pub use exact::{ExactBisection, MAX_EXACT_TERMINALS, TooManyTerminals, exact_bisection};
pub use halves::{Bisection, BisectionError};
