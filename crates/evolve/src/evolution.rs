//! Generations of individuals: the part that all evolutionary algorithms share.

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

/// An evolutionary algorithm, given by its parameters: [`UmdaOptions`](crate::UmdaOptions) or
/// [`HgsaOptions`](crate::HgsaOptions).
///
/// Other crates cannot implement it.
pub trait Algorithm: Copy + PartialEq + fmt::Debug + Serialize + DeserializeOwned + Sync {
    /// The kind of its checkpoint files.
    const CHECKPOINT_KIND: FileKind;

    /// Returns the parameters with every value within its limits.
    #[must_use]
    fn within_limits(self) -> Self;

    /// Returns the number of individuals, at least 4.
    fn population(&self) -> usize;

    /// Seed of all random streams.
    fn seed(&self) -> u64;

    /// Creates the scratch space in which one thread creates individuals.
    fn maker<'a>(&self, space: &'a SearchSpace<'a>) -> Box<dyn Maker + 'a>;

    /// Verifies that the algorithm can search the space.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`] with the reason, if it cannot.
    fn check(&self, space: &SearchSpace<'_>) -> Result<(), NotFound>;
}

/// Creates the individuals of an [`Algorithm`].
pub trait Maker {
    /// Creates an individual of the first generation, if there are no parents, or of a later one. Also returns the
    /// number of its evaluations.
    fn make(&mut self, parents: &[&Individual], effort: u64, rng: &mut ChaCha8Rng) -> (Individual, u64);
}

/// The effort of the first generations. It doubles whenever a generation finds no better individual.
pub(crate) const FIRST_EFFORT: u64 = 1 << 10;
/// The largest effort, in ejection chains. One takes about 2 µs on the networks of the documents.
pub(crate) const MAX_EFFORT: u64 = 1 << 17;

/// An evolutionary search for a conflict-free schedule of a given number of steps: [`Umda`](crate::Umda) or
/// [`Hgsa`](crate::Hgsa).
///
/// Each generation, binary tournaments select half as many parents as there are individuals, and the same number of new
/// individuals replaces the worse half. The random stream of an individual depends only on the seed, the generation and
/// its index. The number of threads does not change the result.
///
/// Memory: 8 bytes per delivery and individual, and per thread the tables of a [`SearchState`](crate::SearchState).
///
/// ```
/// use lockstep_evolve::{Evolution, SearchSpace, UmdaOptions, candidate_paths};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let tree: Topology = "b-tree:4".parse()?;
/// let exchange = Collective::all_to_all();
/// let problem = Problem::new(&tree, &exchange, CommunicationModel::wormhole())?;
/// let paths = candidate_paths(&problem)?;
/// let space = SearchSpace::new(problem, &paths, 4)?;
///
/// let mut evolution = Evolution::new(&space, UmdaOptions::directed(1));
/// let mut generations = 0;
/// let schedule = evolution.run(&Budget::evaluations(100_000), |search| generations = search.generation())?;
/// assert_eq!((schedule.step_count(), generations), (4, evolution.generation()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Evolution<'a, A: Algorithm> {
    pub(crate) space: &'a SearchSpace<'a>,
    pub(crate) options: A,
    pub(crate) generation: u64,
    /// The individuals, best first.
    pub(crate) population: Vec<Individual>,
    /// The new individuals of the current generation so far.
    pub(crate) offspring: Vec<Individual>,
    /// The limit of an individual of this generation, in evaluations of its local search.
    pub(crate) effort: u64,
    pub(crate) evaluations: u64,
}

impl<'a, A: Algorithm> Evolution<'a, A> {
    /// Creates a search before its first generation. Populations below 4 count as 4.
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

    /// Returns the number of the current generation; 0 is the first, random one.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of evaluations so far: one per individual, and one per change that its local search has
    /// tried.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Conflicts of the best individual; `None` before the first generation is complete.
    pub fn best_conflicts(&self) -> Option<u64> {
        self.population.first().map(|best| best.conflicts)
    }

    /// Runs generations until one has a conflict-free individual, and returns its schedule.
    ///
    /// Calls `observe` several times per generation, at least about once per second on usual sizes. The deadline and
    /// cancellation are checked equally often, the limit of evaluations between generations. A second call continues.
    ///
    /// # Errors
    ///
    /// [`NotFound::Unsupported`] if the algorithm cannot search the space, and [`NotFound::Stopped`] if the budget ends
    /// first.
    pub fn run(&mut self, budget: &Budget, mut observe: impl FnMut(&Self)) -> Result<Schedule, NotFound> {
        self.options.check(self.space)?;
        let steps = self.space.step_count();
        loop {
            let is_complete = self.offspring.is_empty();
            if let Some(best) = self.population.first().filter(|best| is_complete && best.conflicts == 0) {
                return Ok(self.space.schedule(&best.genes));
            }
            let counted = if is_complete { self.evaluations } else { 0 };
            if let Some(reason) = budget.stop_after(counted) {
                return Err(NotFound::Stopped { steps, reason });
            }
            self.advance();
            observe(self);
        }
    }

    /// Creates a batch of individuals, and ends the generation when it is complete.
    fn advance(&mut self) {
        let population = self.options.population();
        let (size, parents) = match self.generation {
            0 => (population, Vec::new()),
            _ => (population / 2, self.select()),
        };
        // The size of a batch determines how often `observe` is called, but not the result.
        let batch = (2 * rayon::current_num_threads()).min(size - self.offspring.len());
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
        if self.offspring.len() == size {
            self.replace();
        }
    }

    /// Ends a generation: the new individuals replace the worse half.
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

    /// Selects half as many parents as there are individuals, by binary tournaments.
    fn select(&self) -> Vec<&Individual> {
        let mut rng = self.stream(u64::MAX);
        let mut draw = || rng.random_range(0..self.population.len());
        // The population is sorted, so the lower index wins.
        (0..self.options.population() / 2).map(|_| &self.population[draw().min(draw())]).collect()
    }

    /// Returns the random stream of an individual of this generation.
    fn stream(&self, place: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([self.options.seed(), self.generation, place]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}
