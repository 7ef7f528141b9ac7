//! The ring.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::pattern::Pattern;
use super::ranks::Ranks;

/// Each of `p` ranks sends to the next one and to the one before, each half of the blocks: `p - 1` steps.
///
/// # Source
///
/// Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH* (2005), section 4.1.
pub(super) const RING: CombiningAlgorithm = CombiningAlgorithm {
    name: "ring",
    about: "the next rank, half of the blocks in each direction: p - 1 steps",
    plan: Plan::Everywhere(pattern),
};

fn pattern(ranks: &Ranks) -> Pattern<'_> {
    let cycle = &ranks.cycle;
    let size = cycle.len();
    Pattern::new(2, size - 1, move |instance, _, pairs| {
        pairs.extend((0..size).map(|place| {
            let pair = [cycle[place], cycle[(place + 1) % size]];
            if instance == 0 { pair } else { [pair[1], pair[0]] }
        }));
    })
}
