//! Dissemination.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::pattern::Pattern;
use super::ranks::Ranks;

/// In step `s`, every rank sends to the rank `2^s` places ahead, whatever its number of ports: `ceil(log2 p)` steps.
///
/// With one port, Bruck's algorithm is the same.
///
/// # Source
///
/// Hensgen, Finkel and Manber, *Two algorithms for barrier synchronization* (1988), section 3.
pub(super) const DISSEMINATION: CombiningAlgorithm = CombiningAlgorithm {
    name: "dissemination",
    about: "the rank 2^s places ahead, whatever the number of ports: ceil(log2 p) steps",
    plan: Plan::Everywhere(pattern),
};

fn pattern(ranks: &Ranks) -> Pattern<'_> {
    Pattern::of_windows(&ranks.cycle, 1)
}
