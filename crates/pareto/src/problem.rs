//! The interface of a problem.

use rand_chacha::ChaCha8Rng;

use crate::score::Sense;

/// An optimisation problem with several objectives.
///
/// All random decisions must use the random stream that is passed in. Then the same seed gives the same result on any
/// number of threads. A problem has 1 to [`MAX_OBJECTIVES`](crate::MAX_OBJECTIVES) objectives.
pub trait MultiObjectiveProblem: Sync {
    /// A candidate solution.
    type Genome: Clone + Send + Sync;
    /// Reusable buffers of an evaluation. Each thread has its own.
    type Scratch: Send;

    /// Returns the direction of each objective. It must not change.
    fn senses(&self) -> &[Sense];

    /// Returns new buffers for [`evaluate`](Self::evaluate). Earlier uses of the buffers must not affect a result.
    fn scratch(&self) -> Self::Scratch;

    /// Draws a genome for the first population. An infeasible genome is replaced by another draw.
    fn random(&self, random: &mut ChaCha8Rng) -> Self::Genome;

    /// Replaces a part of `child`, a copy of the first parent, by the same part of `mate`, the second parent.
    fn cross(&self, child: &mut Self::Genome, mate: &Self::Genome, random: &mut ChaCha8Rng);

    /// Changes a small part of the genome.
    fn mutate(&self, genome: &mut Self::Genome, random: &mut ChaCha8Rng);

    /// Writes the scores in the order of [`senses`](Self::senses), and returns true if the genome is feasible.
    ///
    /// Scores of an infeasible genome are ignored. Scores of a feasible genome must be finite and at most
    /// [`MAX_SCORE`](crate::MAX_SCORE) in absolute value.
    fn evaluate(
        &self,
        genome: &Self::Genome,
        scratch: &mut Self::Scratch,
        random: &mut ChaCha8Rng,
        scores: &mut [f64],
    ) -> bool;

    /// Verifies a genome that was read from a file, before any other method receives it.
    ///
    /// # Errors
    ///
    /// Returns the reason, in words. The default accepts every genome.
    fn check(&self, genome: &Self::Genome) -> Result<(), String> {
        let _ = genome;
        Ok(())
    }
}
