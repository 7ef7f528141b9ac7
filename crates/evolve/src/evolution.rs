//! Generations of individuals: what all evolutionary algorithms share.

use std::fmt;

use lockstep_files::FileKind;
use lockstep_schedule::{Budget, NotFound, Schedule};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::space::{Gene, SearchSpace};

/// A candidate solution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Individual {
    pub(crate) genes: Vec<Gene>,
    pub(crate) conflicts: u64,
}

/// The parameters of an evolutionary algorithm, and so the algorithm: [`UmdaOptions`](crate::UmdaOptions) or
/// [`HgsaOptions`](crate::HgsaOptions). It cannot be implemented outside.
pub trait Algorithm: Copy + PartialEq + fmt::Debug + Serialize + DeserializeOwned + Sync {
    /// The kind of its checkpoint files.
    const CHECKPOINT_KIND: FileKind;

    /// The same parameters, brought within their limits.
    #[must_use]
    fn within_limits(self) -> Self;

    /// Number of individuals, at least 4.
    fn population(&self) -> usize;

    /// Seed of all random streams.
    fn seed(&self) -> u64;

    /// What a thread needs to make individuals.
    fn maker<'a>(&self, space: &'a SearchSpace<'a>) -> Box<dyn Maker + 'a>;

    /// Whether the algorithm can search the space.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`] with the reason, if it cannot.
    fn check(&self, space: &SearchSpace<'_>) -> Result<(), NotFound>;
}

/// Makes the individuals of an [`Algorithm`].
pub trait Maker {
    /// An individual of the first generation, where there are no parents, or of a later one, and the evaluations it cost.
    fn make(&mut self, parents: &[&Individual], effort: u64, rng: &mut ChaCha8Rng) -> (Individual, u64);
}

/// The effort of the first generations; it doubles whenever a generation brings no better individual.
pub(crate) const FIRST_EFFORT: u64 = 1 << 10;
/// The greatest effort: chains of a [`Walk`](crate::Walk) at some 2 µs each on the documents' networks.
pub(crate) const MAX_EFFORT: u64 = 1 << 17;

/// An evolutionary search for a conflict-free schedule of a given number of steps: [`Umda`](crate::Umda) or
/// [`Hgsa`](crate::Hgsa).
///
/// Each generation, binary tournaments select half as many parents as there are individuals, and as many new individuals
/// replace the worse half. The random stream of an individual depends on seed, generation and place alone, so threads
/// change nothing.
#[derive(Debug)]
pub struct Evolution<'a, A: Algorithm> {
    pub(crate) space: &'a SearchSpace<'a>,
    pub(crate) options: A,
    pub(crate) generation: u64,
    /// Best first.
    pub(crate) population: Vec<Individual>,
    /// The individuals of the coming generation that are ready.
    pub(crate) offspring: Vec<Individual>,
    /// What an individual of this generation may cost, in evaluations of its own search.
    pub(crate) effort: u64,
    pub(crate) evaluations: u64,
}

impl<'a, A: Algorithm> Evolution<'a, A> {
    /// A search that has not begun. Populations of less than 4 are taken as 4.
    pub fn new(space: &'a SearchSpace<'a>, options: A) -> Self {
        Self {
            space,
            options: options.within_limits(),
            generation: 0,
            population: Vec::new(),
            offspring: Vec::new(),
            effort: FIRST_EFFORT,
            evaluations: 0,
        }
    }

    /// Number of the generation in the making; 0 is the first, random one.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Evaluations so far: one for each individual, and one for each change that was tried on the way to it.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Conflicts of the best individual; `None` before the first generation is whole.
    pub fn best_conflicts(&self) -> Option<u64> {
        self.population.first().map(|best| best.conflicts)
    }

    /// A conflict-free schedule, as soon as a whole generation holds one.
    ///
    /// `observe` is called several times a generation, at least about once a second on usual sizes; deadline and
    /// cancellation are looked at as often, the limit of evaluations between generations. May be called again to go on.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`], if the algorithm cannot search such a space; [`NotFound::Stopped`], if the budget is
    /// spent first.
    pub fn run(&mut self, budget: &Budget, mut observe: impl FnMut(&Self)) -> Result<Schedule, NotFound> {
        self.options.check(self.space)?;
        let steps = self.space.step_count();
        loop {
            let is_whole = self.offspring.is_empty();
            if let Some(best) = self.population.first().filter(|best| is_whole && best.conflicts == 0) {
                return Ok(self.space.schedule(&best.genes));
            }
            let counted = if is_whole { self.evaluations } else { 0 };
            if let Some(reason) = budget.stop_after(counted) {
                return Err(NotFound::Stopped { steps, reason });
            }
            self.advance();
            observe(self);
        }
    }

    /// Makes some more individuals of the generation, and ends it when they are all there.
    fn advance(&mut self) {
        let size = self.options.population();
        let (wanted, parents) = match self.generation {
            0 => (size, Vec::new()),
            _ => (size / 2, self.select()),
        };
        // The size of a batch decides how often somebody can observe, never what comes out.
        let batch = (2 * rayon::current_num_threads()).min(wanted - self.offspring.len());
        let first = self.offspring.len();
        let this = &*self;
        let individuals: Vec<(Individual, u64)> = (first..first + batch)
            .into_par_iter()
            .map_init(
                || this.options.maker(this.space),
                |maker, place| maker.make(&parents, this.effort, &mut this.stream(place as u64)),
            )
            .collect();
        for (individual, evaluations) in individuals {
            self.offspring.push(individual);
            self.evaluations = self.evaluations.saturating_add(evaluations);
        }
        if self.offspring.len() == wanted {
            self.replace();
        }
    }

    /// Ends a generation: the new individuals take the place of the worse half.
    fn replace(&mut self) {
        let before = self.best_conflicts();
        self.population.truncate(self.options.population() - self.offspring.len());
        self.population.append(&mut self.offspring);
        self.population.sort_by_key(|individual| individual.conflicts);
        if before == self.best_conflicts() {
            self.effort = (2 * self.effort).min(MAX_EFFORT);
        }
        self.generation = self.generation.saturating_add(1);
        tracing::debug!(generation = self.generation, best = self.best_conflicts(), effort = self.effort);
    }

    /// The parents: winners of binary tournaments, half as many as there are individuals.
    fn select(&self) -> Vec<&Individual> {
        let mut rng = self.stream(u64::MAX);
        let mut draw = || rng.random_range(0..self.population.len());
        // The population is sorted, so the lower place wins.
        (0..self.options.population() / 2).map(|_| &self.population[draw().min(draw())]).collect()
    }

    /// The random stream of an individual of this generation.
    fn stream(&self, place: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([self.options.seed(), self.generation, place]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}
