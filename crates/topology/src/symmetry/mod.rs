//! Automorphisms of networks.

mod automorphism;
mod partition;
mod symmetries;

pub use automorphism::Automorphism;
pub use symmetries::Symmetries;

#[cfg(test)]
mod tests;
