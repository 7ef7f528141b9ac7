//! The losses that simulated annealing accepts.

use rand::{Rng, RngExt};

/// Returns a loss of about exponential distribution.
#[inline]
pub(crate) fn accepted_loss(mean: u64, rng: &mut impl Rng) -> i64 {
    let random = rng.random::<u32>() | 1;
    // Minus the binary logarithm of the random part, in parts of 2^16, by linear interpolation.
    let zeros = random.leading_zeros();
    let fraction = u64::from(random << zeros) - (1 << 31);
    let logarithm = ((u64::from(zeros) + 1) << 16) - (fraction >> 15);
    // The natural logarithm is ln 2 = 177/256 times the binary one.
    ((mean * logarithm * 177) >> 24).cast_signed()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn accepted_losses_have_the_stated_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let losses: Vec<i64> = (0..10_000).map(|_| accepted_loss(1_000, &mut rng)).collect();
        let mean = losses.iter().sum::<i64>() / 10_000;
        assert!(mean.abs_diff(1_000) < 60, "{mean}");
        // A loss of three times the mean has probability e^-3.
        let large = losses.iter().filter(|&&loss| loss >= 3_000).count();
        assert!(large.abs_diff(498) < 100, "{large}");
        assert!((0..100).all(|_| accepted_loss(0, &mut rng) == 0));
    }
}
