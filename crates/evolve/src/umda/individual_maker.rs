//! The individuals of the univariate marginal distribution algorithm.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use super::feasibility_repair::FeasibilityRepair;
use super::initial::{draw_broadcast, draw_scatter};
use super::options::{Mutation, UmdaOptions};
use super::port_balance::PortBalance;
use crate::evolution::{Individual, Maker};
use crate::local_search::EjectionChainSearch;
use crate::space::{Gene, SearchSpace};
use crate::state::{Evaluator, SearchState};

/// Odds against keeping a chain that adds a conflict. Each search draws one of them: high temperatures suit small
/// problems with few spare steps, low temperatures suit large problems with many.
const UPHILL_ODDS: [u32; 5] = [3, 6, 12, 24, 48];

/// Number of paths that a chain examines in about a microsecond, the time of one evaluation.
const PATHS_PER_EVALUATION: u64 = 16;

/// Creates the individuals of one thread.
pub(super) struct UmdaMaker<'a> {
    space: &'a SearchSpace<'a>,
    options: UmdaOptions,
    repair: FeasibilityRepair,
    ports: PortBalance,
    evaluator: Evaluator<'a>,
    state: SearchState<'a>,
    search: Option<EjectionChainSearch>,
}

impl Maker for UmdaMaker<'_> {
    fn make(&mut self, parents: &[&Individual], effort: u64, rng: &mut ChaCha8Rng) -> (Individual, u64) {
        if parents.is_empty() { self.draw(rng) } else { self.recombine(parents, effort, rng) }
    }
}

impl<'a> UmdaMaker<'a> {
    pub(super) fn new(space: &'a SearchSpace<'a>, options: UmdaOptions) -> Self {
        let search = match options.mutation {
            Mutation::SlotSwap => None,
            Mutation::EjectionChains(options) => Some(EjectionChainSearch::new(space.step_count(), options)),
        };
        Self {
            space,
            options,
            repair: FeasibilityRepair::new(space),
            ports: PortBalance::new(space),
            evaluator: Evaluator::new(space),
            state: SearchState::new(space),
            search,
        }
    }

    /// Creates an individual of the first generation; also returns its number of evaluations.
    fn draw(&mut self, rng: &mut impl Rng) -> (Individual, u64) {
        if self.space.is_broadcast() {
            draw_broadcast(&mut self.state, rng);
            return (Individual { genes: self.state.genes().to_vec(), conflicts: self.state.conflicts() }, 1);
        }
        let genes = draw_scatter(self.space, &mut self.ports, rng);
        let conflicts = self.evaluator.conflicts(&genes);
        (Individual { genes, conflicts }, 1)
    }

    /// Creates an individual of a later generation; also returns its number of evaluations: one, and one per chain, or
    /// more for long chains of a broadcast.
    fn recombine(&mut self, parents: &[&Individual], effort: u64, rng: &mut impl Rng) -> (Individual, u64) {
        let mut genes: Vec<Gene> = (0..self.space.delivery_count())
            .map(|delivery| parents[rng.random_range(0..parents.len())].genes[delivery])
            .collect();
        let mutate = rng.random_range(0..100) < self.options.mutation_percent;
        if mutate && self.search.is_none() {
            swap_slots(self.space, &mut genes, rng);
        }
        if self.space.is_broadcast() {
            self.repair.repair(self.space, &mut genes, rng);
        } else {
            self.ports.balance(self.space, &mut genes, rng);
        }
        if let Some(search) = self.search.as_mut().filter(|_| mutate) {
            self.state.load(&genes);
            let odds = UPHILL_ODDS[rng.random_range(0..UPHILL_ODDS.len())];
            let examined = search.examined();
            let chains = search.run(&mut self.state, effort, odds, rng);
            let examined = search.examined() - examined;
            genes.copy_from_slice(self.state.genes());
            // A chain of a broadcast can eject all deliveries that depend on one of them.
            let work = if self.space.is_broadcast() { chains.max(examined / PATHS_PER_EVALUATION) } else { chains };
            return (Individual { genes, conflicts: self.state.conflicts() }, 1 + work);
        }
        let conflicts = self.evaluator.conflicts(&genes);
        (Individual { genes, conflicts }, 1)
    }
}

/// The published mutation, [`Mutation::SlotSwap`].
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
