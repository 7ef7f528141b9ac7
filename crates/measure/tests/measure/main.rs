//! Readers of benchmark outputs, and the fit of networks to measurements.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod fit;
mod formats;
