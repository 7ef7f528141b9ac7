//! Creation and evaluation of children, each with its own random stream.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::error::EvolutionError;
use crate::limits::MAX_ATTEMPTS;
use crate::options::EvolutionOptions;
use crate::problem::MultiObjectiveProblem;
use crate::score::invalid_score;
use crate::selection::Selection;

/// The purpose of a random stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Birth,
    Survival,
    ReEvaluation,
}

/// Returns the random stream of one individual of one generation.
pub(crate) fn stream(seed: u64, generation: u64, individual: usize, purpose: Purpose) -> ChaCha8Rng {
    let mut key = [0; 32];
    let numbers = [seed, generation, individual as u64, purpose as u64];
    for (part, number) in key.chunks_exact_mut(8).zip(numbers) {
        part.copy_from_slice(&number.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A feasible child.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Child<G> {
    /// The genome.
    pub genome: G,
    /// The scores, in the order of [`MultiObjectiveProblem::senses`].
    pub scores: Vec<f64>,
    /// Number of genomes that were evaluated, including this one.
    pub attempts: u32,
}

/// Draws genomes until one is feasible.
pub(crate) fn feasible<P: MultiObjectiveProblem>(
    problem: &P,
    scratch: &mut P::Scratch,
    random: &mut ChaCha8Rng,
    draw: impl Fn(&mut ChaCha8Rng) -> P::Genome,
) -> Result<Child<P::Genome>, EvolutionError> {
    let mut scores = vec![0.0; problem.senses().len()];
    for attempts in 1..=MAX_ATTEMPTS {
        let genome = draw(random);
        if evaluate(problem, &genome, scratch, random, &mut scores)? {
            return Ok(Child { genome, scores, attempts });
        }
    }
    Err(EvolutionError::NoneFeasible)
}

/// Evaluates a genome and verifies its scores.
pub(crate) fn evaluate<P: MultiObjectiveProblem>(
    problem: &P,
    genome: &P::Genome,
    scratch: &mut P::Scratch,
    random: &mut ChaCha8Rng,
    scores: &mut [f64],
) -> Result<bool, EvolutionError> {
    let is_feasible = problem.evaluate(genome, scratch, random, scores);
    match invalid_score(scores) {
        Some((objective, value)) if is_feasible => Err(EvolutionError::Score { objective, value }),
        _ => Ok(is_feasible),
    }
}

/// Creates a child of selected parents. It may be infeasible.
pub(crate) fn breed<P: MultiObjectiveProblem>(
    problem: &P,
    options: &EvolutionOptions,
    selection: &dyn Selection,
    parents: &[P::Genome],
    random: &mut ChaCha8Rng,
) -> P::Genome {
    let mut child = parents[selection.parent(parents.len(), random)].clone();
    if random.random_bool(options.crossover) {
        let mate = &parents[selection.parent(parents.len(), random)];
        problem.cross(&mut child, mate, random);
    }
    if random.random_bool(options.mutation) {
        problem.mutate(&mut child, random);
    }
    child
}
