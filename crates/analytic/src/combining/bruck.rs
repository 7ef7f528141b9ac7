//! Bruck's algorithm for several ports.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::pattern::Pattern;
use super::ranks::Ranks;

/// In step `s`, every rank sends to `k` ranks at multiples of `(k + 1)^s`: `ceil(log_{k+1} p)` steps for `k` ports.
///
/// The multiples lie on both sides of a rank. For two ports on a ring of `3^n` ranks, these are the partners of Trivance.
///
/// # Source
///
/// Bruck, Ho, Kipnis, Upfal and Weathersby, *Efficient algorithms for all-to-all communications in multiport message-passing
/// systems* (1997), sections 3 and 4.
pub(super) const BRUCK: CombiningAlgorithm = CombiningAlgorithm {
    name: "bruck",
    about: "k ports: the ranks at k multiples of (k+1)^s, on both sides: ceil(log_{k+1} p) steps",
    plan: Plan::Everywhere(pattern),
};

fn pattern(ranks: &Ranks) -> Pattern<'_> {
    Pattern::of_windows(&ranks.cycle, ranks.ports)
}
