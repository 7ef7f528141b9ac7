//! Random permutations.

use rand::{Rng, RngExt};

/// Shuffles the items in place; every order has the same probability.
///
/// # Source
///
/// The Fisher-Yates shuffle.
pub(crate) fn shuffle(items: &mut [u32], rng: &mut impl Rng) {
    for place in (1..items.len()).rev() {
        items.swap(place, rng.random_range(0..=place));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::stream;

    proptest! {
        #[test]
        fn shuffling_keeps_every_item(count in 0..50u32, seed: u64) {
            let mut items: Vec<u32> = (0..count).collect();
            shuffle(&mut items, &mut stream(seed));
            items.sort_unstable();
            prop_assert!(items.into_iter().eq(0..count));
        }
    }
}
