//! Random streams.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Returns the random stream of an attempt.
pub(crate) fn rng(seed: u64, attempt: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&attempt.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}
