//! Bine trees and butterflies.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::negabinary::partner;
use super::pattern::Pattern;
use super::ranks::Ranks;

/// Binomial trees and butterflies with negabinary distances, on all ranks in one order: `log2 p` steps, and two more if `p`
/// is no power of two.
///
/// Partners are nearer than in recursive doubling, so that fewer blocks leave a group of near ranks.
///
/// # Source
///
/// De Sensi et al., *Bine trees: enhancing collective operations by optimizing communication locality* (2025).
pub(super) const BINE: CombiningAlgorithm = CombiningAlgorithm {
    name: "bine",
    about: "partners at distances 1, -1, 3, -5, … in one order of the ranks: log2 p steps, and 2 more if p is no power of two",
    plan: Plan::Everywhere(pattern),
};

fn pattern(ranks: &Ranks) -> Pattern<'_> {
    Pattern::folded(&ranks.cycle, |place, level, places| partner(place, level, places, false))
}
