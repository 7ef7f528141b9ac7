//! How few cables join two halves of the terminals.

mod bisector;
mod gains;
mod halves;
mod refiner;

pub use bisector::Bisector;
pub use halves::{Bisection, BisectionError};
