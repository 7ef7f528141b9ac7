//! Certificates of lower bounds: the facts that prove a bound, their explanation in words, and an independent check.

mod certificate;
mod check;
mod explain;

pub use certificate::{Certificate, Direction, LowerBound, Rule, WeightedSet};
pub use check::CertificateError;
