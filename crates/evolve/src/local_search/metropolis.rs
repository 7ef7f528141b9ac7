//! Metropolis's rule.

use rand::{Rng, RngExt};

/// Returns true if a change that adds `added` conflicts is kept.
///
/// Its probability is `uphill_odds` to the power `-added`: the temperature is given as the odds against one more
/// conflict. Odds of 0 count as 1.
///
/// # Source
///
/// Metropolis, Rosenbluth, Rosenbluth, Teller, Teller, *Equation of state calculations by fast computing machines*, The
/// Journal of Chemical Physics 21 (1953).
pub(crate) fn accepts(added: u64, uphill_odds: u32, rng: &mut impl Rng) -> bool {
    uphill_odds <= 1 || (0..added).all(|_| rng.random_range(0..uphill_odds) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::stream;

    #[test]
    fn improvements_are_always_kept_and_the_worst_never() {
        let mut rng = stream(1);
        assert!((0..100).all(|_| accepts(0, u32::MAX, &mut rng) && accepts(9, 0, &mut rng) && accepts(9, 1, &mut rng)));
        assert!(!(0..100).any(|_| accepts(9, u32::MAX, &mut rng)));
    }
}
