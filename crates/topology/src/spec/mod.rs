//! Spec strings, `family:parameters`.

mod error;
mod parse;

pub use error::SpecError;
