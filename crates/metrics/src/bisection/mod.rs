//! How few cables join two halves of the terminals.

mod bisector;
mod exact;
mod gains;
mod halves;
mod refiner;

pub use bisector::Bisector;
pub use exact::{ExactBisection, MAX_EXACT_TERMINALS, TooManyTerminals, exact_bisection};
pub use halves::{Bisection, BisectionError};
