//! The univariate marginal distribution algorithm.

use lockstep_files::FileKind;
use lockstep_schedule::NotFound;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::evolution::{Algorithm, Evolution, Individual, Maker};
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
pub type Umda<'a> = Evolution<'a, UmdaOptions>;

impl Algorithm for UmdaOptions {
    const CHECKPOINT_KIND: FileKind = FileKind {
        format: "lockstep-umda-checkpoint",
        noun: "checkpoint of UMDA",
        magic: *b"lockumda",
        version: 1,
        remedies: &[],
    };

    fn within_limits(self) -> Self {
        Self { population: self.population.max(4), ..self }
    }

    fn population(&self) -> usize {
        self.population
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn maker<'a>(&self, space: &'a SearchSpace<'a>) -> Box<dyn Maker + 'a> {
        Box::new(UmdaMaker::new(space, *self))
    }

    fn check(&self, _: &SearchSpace<'_>) -> Result<(), NotFound> {
        Ok(())
    }
}

impl Maker for UmdaMaker<'_> {
    fn make(&mut self, parents: &[&Individual], effort: u64, rng: &mut ChaCha8Rng) -> (Individual, u64) {
        if parents.is_empty() { self.seed(rng) } else { self.breed(parents, effort, rng) }
    }
}

/// What a thread needs to make individuals.
struct UmdaMaker<'a> {
    space: &'a SearchSpace<'a>,
    options: UmdaOptions,
    heuristics: Heuristics,
    evaluator: Evaluator<'a>,
    state: SearchState<'a>,
    walk: Option<Walk>,
}

impl<'a> UmdaMaker<'a> {
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
