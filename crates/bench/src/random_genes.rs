//! Random individuals of the evolutionary search.

use lockstep_evolve::Gene;
use lockstep_paths::PathTable;
use lockstep_schedule::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns one gene per delivery: straight from the source of its message, along a random path in a random step.
///
/// # Panics
///
/// If `steps` is 0, or if the table has no path from a source to a receiver.
pub fn random_genes(problem: &Problem<'_>, paths: &PathTable, steps: u32, seed: u64) -> Vec<Gene> {
    let (messages, mut rng) = (problem.messages(), ChaCha8Rng::seed_from_u64(seed));
    messages
        .ids()
        .flat_map(|message| messages.receivers_iter(message).map(move |to| (messages.source(message), to)))
        .map(|(from, to)| {
            let path = rng.random_range(paths.between(from, to));
            Gene { path, step: rng.random_range(0..steps) }
        })
        .collect()
}
