//! The algorithms that libraries have, as rounds of messages between ranks.

pub mod all_gather;
pub mod all_reduce;
pub mod all_to_all;
mod exchange;
#[cfg(test)]
mod tests;
pub mod tree;

use crate::rounds::{Phase, Rounds};

/// An algorithm for a collective.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The name in textbooks.
    pub name: &'static str,
    /// The partners of a rank and the number of rounds, in one line.
    pub about: &'static str,
    /// Returns the parts of the algorithm for a number of ranks, at least 2, and a radix or fan-out, at least 2 for a radix and
    /// at least 1 for a fan-out. Algorithms without such a parameter ignore it. `None` if the number of ranks does not fit.
    pub phases: fn(u32, u32) -> Option<Vec<Phase>>,
}

/// Returns the only part of an algorithm, without segments.
fn one(rounds: Rounds) -> Vec<Phase> {
    vec![Phase::whole(rounds)]
}
