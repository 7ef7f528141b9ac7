//! The univariate marginal distribution algorithm.

use lockstep_schedule::{Budget, NotFound, Schedule};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::restore::Heuristics;
use crate::seed::{seed_broadcast, seed_scatter};
use crate::space::{Gene, SearchSpace};
use crate::state::{Evaluator, SearchState};
use crate::walk::{Walk, WalkOptions};

/// How an individual is mutated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Mutation {
    /// As the document has it: two random deliveries swap their time slots and one gets another path; for broadcast one
    /// delivery gets a random path and slot, and restoration follows.
    SlotSwap,
    /// Slot swaps that start at conflicts and go on in chains, see [`Walk`].
    Exchange(WalkOptions),
}

/// The parameters of [`Umda`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UmdaOptions {
    /// Number of individuals.
    pub population: usize,
    /// Mutated individuals among a hundred new ones.
    pub mutation_percent: u32,
    /// How an individual is mutated.
    pub mutation: Mutation,
    /// Seed of all random streams.
    pub seed: u64,
}

impl UmdaOptions {
    /// The document's parameters and its own mutation.
    pub const fn published(seed: u64) -> Self {
        Self { population: 60, mutation_percent: 90, mutation: Mutation::SlotSwap, seed }
    }

    /// The document's parameters with mutation directed at conflicts.
    pub const fn directed(seed: u64) -> Self {
        let walk = WalkOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
        Self { mutation: Mutation::Exchange(walk), ..Self::published(seed) }
    }
}

/// A candidate solution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Individual {
    pub(crate) genes: Vec<Gene>,
    pub(crate) conflicts: u64,
}

/// Chains of the first walks; the number doubles whenever a generation brings no better individual.
pub(crate) const FIRST_EFFORT: u64 = 1 << 10;
/// The most chains of a walk, at some 2 µs each on the document's networks.
pub(crate) const MAX_EFFORT: u64 = 1 << 17;
/// Odds against keeping a chain that adds a conflict; each walk draws one, hot ones for small tight problems and cold
/// ones for large loose ones.
const UPHILL_ODDS: [u32; 5] = [3, 6, 12, 24, 48];

/// The evolutionary search of the multistage-network document for a conflict-free schedule of a given number of steps.
///
/// Each generation, binary tournaments select half as many parents as there are individuals; new individuals take every
/// gene from the univariate marginal distribution of the parents, are mutated, made admissible (broadcast) or spread over
/// the ports (scatter), and replace the worse half.
///
/// Where the document is silent: a gene's parts (sender, path, step) are one variable of the distribution; sampling the
/// marginal is copying the gene of a random parent; equal individuals rank by age, the older first; a pair in conflict
/// counts once for each resource that it shares, port sets included; restoration and the use of ports move no more
/// deliveries than they must; the first broadcasts get their slots from the earliest free one that a nearest informed
/// sender has, not from a random sender.
///
/// [`Mutation::SlotSwap`] is the document's mutation. [`Mutation::Exchange`] changes it:
///
/// - instead of a blind swap, and behind restoration, it is a [`Walk`]: chains of slot exchanges that begin at conflicts
///   and are kept by Metropolis's rule;
/// - a broadcast delivery that moves looks at short paths and at those from the source rather than at any;
/// - the effort, chains a walk, doubles whenever a generation brings no better individual.
///
/// The random stream of an individual depends on seed, generation and place alone, so threads change nothing.
///
/// Source: Mühlenbein and Paaß, *From recombination of genes to the estimation of distributions* (1996), for UMDA.
#[derive(Debug)]
pub struct Umda<'a> {
    pub(crate) space: &'a SearchSpace<'a>,
    pub(crate) options: UmdaOptions,
    pub(crate) generation: u64,
    /// Best first.
    pub(crate) population: Vec<Individual>,
    /// The individuals of the coming generation that are ready.
    pub(crate) offspring: Vec<Individual>,
    /// Chains of a walk in this generation.
    pub(crate) effort: u64,
    pub(crate) evaluations: u64,
}

impl<'a> Umda<'a> {
    /// A search that has not begun. Populations of less than 4 are taken as 4.
    pub fn new(space: &'a SearchSpace<'a>, options: UmdaOptions) -> Self {
        let options = UmdaOptions { population: options.population.max(4), ..options };
        Self {
            space,
            options,
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

    /// Evaluations so far: one for each individual and one for each chain of a walk.
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
    /// [`NotFound::Stopped`], if the budget is spent first.
    pub fn run(&mut self, budget: &Budget, mut observe: impl FnMut(&Self)) -> Result<Schedule, NotFound> {
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
        let (seeding, wanted) = match self.generation {
            0 => (true, self.options.population),
            _ => (false, self.options.population / 2),
        };
        // The size of a batch decides how often somebody can observe, never what comes out.
        let batch = (2 * rayon::current_num_threads()).min(wanted - self.offspring.len());
        let first = self.offspring.len();
        let parents = if seeding { Vec::new() } else { self.select() };
        let this = &*self;
        let make = |maker: &mut Maker<'a>, place: usize| {
            let mut rng = this.stream(place as u64);
            if seeding { maker.seed(&mut rng) } else { maker.breed(&parents, this.effort, &mut rng) }
        };
        let individuals: Vec<(Individual, u64)> =
            (first..first + batch).into_par_iter().map_init(|| Maker::new(this.space, this.options), make).collect();
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
        self.population.truncate(self.options.population - self.offspring.len());
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
        (0..self.options.population / 2).map(|_| &self.population[draw().min(draw())]).collect()
    }

    /// The random stream of an individual of this generation.
    fn stream(&self, place: u64) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip([self.options.seed, self.generation, place]) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}

/// What a thread needs to make individuals.
struct Maker<'a> {
    space: &'a SearchSpace<'a>,
    options: UmdaOptions,
    heuristics: Heuristics,
    evaluator: Evaluator<'a>,
    state: SearchState<'a>,
    walk: Option<Walk>,
}

impl<'a> Maker<'a> {
    fn new(space: &'a SearchSpace<'a>, options: UmdaOptions) -> Self {
        let walk = match options.mutation {
            Mutation::SlotSwap => None,
            Mutation::Exchange(walk) => Some(Walk::new(space.step_count(), walk)),
        };
        Self {
            space,
            options,
            heuristics: Heuristics::new(space),
            evaluator: Evaluator::new(space),
            state: SearchState::new(space),
            walk,
        }
    }

    /// An individual of the first generation, and the evaluations it cost.
    fn seed(&mut self, rng: &mut impl Rng) -> (Individual, u64) {
        if self.space.is_broadcast() {
            seed_broadcast(&mut self.state, rng);
            return (Individual { genes: self.state.genes().to_vec(), conflicts: self.state.conflicts() }, 1);
        }
        let genes = seed_scatter(self.space, &mut self.heuristics, rng);
        let conflicts = self.evaluator.conflicts(&genes);
        (Individual { genes, conflicts }, 1)
    }

    /// An individual of a later generation, and the evaluations it cost: its own, and one for each chain of its walk.
    fn breed(&mut self, parents: &[&Individual], effort: u64, rng: &mut impl Rng) -> (Individual, u64) {
        let mut genes: Vec<Gene> = (0..self.space.delivery_count())
            .map(|delivery| parents[rng.random_range(0..parents.len())].genes[delivery])
            .collect();
        let mutate = rng.random_range(0..100) < self.options.mutation_percent;
        if mutate && self.walk.is_none() {
            swap_slots(self.space, &mut genes, rng);
        }
        if self.space.is_broadcast() {
            self.heuristics.restore(self.space, &mut genes, rng);
        } else {
            self.heuristics.spread(self.space, &mut genes, rng);
        }
        if let Some(walk) = self.walk.as_mut().filter(|_| mutate) {
            self.state.load(&genes);
            let odds = UPHILL_ODDS[rng.random_range(0..UPHILL_ODDS.len())];
            let chains = walk.run(&mut self.state, effort, odds, rng);
            genes.copy_from_slice(self.state.genes());
            return (Individual { genes, conflicts: self.state.conflicts() }, 1 + chains);
        }
        let conflicts = self.evaluator.conflicts(&genes);
        (Individual { genes, conflicts }, 1)
    }
}

/// The document's mutation.
fn swap_slots(space: &SearchSpace, genes: &mut [Gene], rng: &mut impl Rng) {
    let changed = rng.random_range(0..genes.len());
    let candidates = space.candidates(changed);
    genes[changed].path = candidates[rng.random_range(0..candidates.len())];
    if space.is_broadcast() {
        genes[changed].step = rng.random_range(0..space.step_count());
    } else {
        let (first, second) = (rng.random_range(0..genes.len()), rng.random_range(0..genes.len()));
        let step = genes[first].step;
        genes[first].step = genes[second].step;
        genes[second].step = step;
    }
}
