//! What an evolution must know of a problem.

use rand_chacha::ChaCha8Rng;

use crate::sense::Sense;

/// The most genomes that are tried for one individual until one is feasible.
pub const MAX_ATTEMPTS: u32 = 10_000;

/// A problem with several objectives.
///
/// Whatever is random must come from the stream that is handed in, so that the same seed gives the same result on any
/// number of threads. There must be an objective, and at most [`MAX_OBJECTIVES`](crate::MAX_OBJECTIVES).
pub trait Problem: Sync {
    /// A candidate solution.
    type Genome: Clone + Send + Sync;
    /// What an evaluation needs beside the genome and can be used again: buffers. A thread at work has one.
    type Scratch: Send;

    /// The direction of each objective, the same at all times.
    fn senses(&self) -> &[Sense];

    /// Buffers for [`evaluate`](Self::evaluate). What they were used for before must not change a result.
    fn scratch(&self) -> Self::Scratch;

    /// A genome for the first population, feasible or not: others are drawn in its place.
    fn random(&self, random: &mut ChaCha8Rng) -> Self::Genome;

    /// Brings a part of `mate` into `child`, which is a copy of the other parent.
    fn cross(&self, child: &mut Self::Genome, mate: &Self::Genome, random: &mut ChaCha8Rng);

    /// Changes a genome a little.
    fn mutate(&self, genome: &mut Self::Genome, random: &mut ChaCha8Rng);

    /// Writes the scores, in the order of [`senses`](Self::senses), and returns whether the genome is feasible. Scores
    /// of one that is not are never read; those of one that is must be finite and at most
    /// [`MAX_SCORE`](crate::MAX_SCORE) in size.
    fn evaluate(
        &self,
        genome: &Self::Genome,
        scratch: &mut Self::Scratch,
        random: &mut ChaCha8Rng,
        scores: &mut [f64],
    ) -> bool;

    /// What is wrong with a genome that was read from a file, so that nothing else can be asked of it.
    ///
    /// # Errors
    ///
    /// The reason, in words. Unless it is overridden, every genome is right.
    fn check(&self, genome: &Self::Genome) -> Result<(), String> {
        let _ = genome;
        Ok(())
    }
}
