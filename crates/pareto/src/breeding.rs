//! New individuals, each from its own random stream.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::algorithm::Selection;
use crate::error::EvolutionError;
use crate::options::EvolutionOptions;
use crate::points::unusable;
use crate::problem::{MAX_ATTEMPTS, Problem};

/// What a random stream is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Birth,
    Survival,
    ReEvaluation,
}

/// The random stream of an individual of a generation.
pub(crate) fn stream(seed: u64, generation: u64, individual: usize, purpose: Purpose) -> ChaCha8Rng {
    let mut key = [0; 32];
    let numbers = [seed, generation, individual as u64, purpose as u64];
    for (part, number) in key.chunks_exact_mut(8).zip(numbers) {
        part.copy_from_slice(&number.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// A feasible individual, and what it took.
#[derive(Debug)]
pub(crate) struct Newborn<G> {
    pub(crate) genome: G,
    pub(crate) scores: Vec<f64>,
    pub(crate) attempts: u32,
}

/// The first feasible one of the genomes that are drawn.
pub(crate) fn feasible<P: Problem>(
    problem: &P,
    scratch: &mut P::Scratch,
    random: &mut ChaCha8Rng,
    draw: impl Fn(&mut ChaCha8Rng) -> P::Genome,
) -> Result<Newborn<P::Genome>, EvolutionError> {
    let mut scores = vec![0.0; problem.senses().len()];
    for attempts in 1..=MAX_ATTEMPTS {
        let genome = draw(random);
        if evaluate(problem, &genome, scratch, random, &mut scores)? {
            return Ok(Newborn { genome, scores, attempts });
        }
    }
    Err(EvolutionError::NoneFeasible)
}

/// Evaluates a genome, and refuses scores that cannot be compared.
pub(crate) fn evaluate<P: Problem>(
    problem: &P,
    genome: &P::Genome,
    scratch: &mut P::Scratch,
    random: &mut ChaCha8Rng,
    scores: &mut [f64],
) -> Result<bool, EvolutionError> {
    let is_feasible = problem.evaluate(genome, scratch, random, scores);
    match unusable(scores) {
        Some((objective, value)) if is_feasible => Err(EvolutionError::Score { objective, value }),
        _ => Ok(is_feasible),
    }
}

/// A child of parents that the selection picks, feasible or not.
pub(crate) fn child<P: Problem>(
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
