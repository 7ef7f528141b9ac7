//! Symmetries of a network, whatever its numbers.

mod automorphism;
mod partition;
mod symmetries;

pub use automorphism::Automorphism;
pub use symmetries::Symmetries;

#[cfg(test)]
mod tests;
