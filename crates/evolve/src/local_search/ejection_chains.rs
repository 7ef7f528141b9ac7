//! Ejection chains that start at conflicts.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::metropolis::accepts;
use super::path_choices::PathChoices;
use super::step_set;
use crate::space::Gene;
use crate::state::SearchState;

/// The parameters of an [`EjectionChainSearch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EjectionChainOptions {
    /// The largest number of deliveries that one chain moves.
    pub chain_length: usize,
    /// Number of candidate paths that are examined for each delivery that moves.
    pub sampled_paths: usize,
    /// Where there are more than `sampled_paths` candidates, each path is the shortest of this number of random ones.
    pub short_draws: u32,
}

/// A local search that removes conflicts by ejection chains.
///
/// A delivery in conflict is removed and placed where its path is free. If there is no free place, it takes the place
/// of the one delivery that blocks its path. The ejected delivery then looks for a place of its own, and so on. In a
/// broadcast, deliveries that would forward a message before their sender holds it are ejected too. A chain that adds
/// conflicts is undone, except for rare cases by Metropolis's rule at a fixed temperature.
///
/// The value holds only scratch space: 24 bytes per 64 steps and 12 bytes per delivery of a chain.
///
/// ```
/// use lockstep_evolve::{
///     EjectionChainOptions, EjectionChainSearch, Gene, SearchSpace, SearchState, candidate_paths,
/// };
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
/// use rand::SeedableRng;
///
/// let ring: Topology = "ring:4".parse()?;
/// let root = ring.terminals()[0];
/// let scatter = Collective::scatter(root);
/// let problem = Problem::new(&ring, &scatter, CommunicationModel::wormhole())?;
/// let paths = candidate_paths(&problem)?;
/// let space = SearchSpace::new(problem, &paths, 2)?;
///
/// // Three messages leave node 0 over two channels in one step.
/// let gene = |&to| Gene { path: paths.between(root, to).start, step: 0 };
/// let mut state = SearchState::new(&space);
/// state.load(&ring.terminals()[1..].iter().map(gene).collect::<Vec<_>>());
/// assert_eq!(state.conflicts(), 1);
///
/// let options = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// EjectionChainSearch::new(2, options).run(&mut state, 100, 12, &mut rng);
/// assert_eq!(state.conflicts(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Glover, *Ejection chains, reference structures and alternating path methods for traveling salesman problems*,
/// Discrete Applied Mathematics 65 (1996). The moves are the slot swaps of the multistage-network document, directed at
/// conflicts.
#[derive(Debug)]
pub struct EjectionChainSearch {
    options: EjectionChainOptions,
    /// Steps in which at least one resource of a path is full.
    one_full: Vec<u64>,
    /// Steps in which at least two resources of a path are full.
    two_full: Vec<u64>,
    /// Steps in which a delivery may take place.
    allowed: Vec<u64>,
    /// The deliveries that wait for a place, each with the step to which it must not return.
    ejected: Vec<(u32, u32)>,
    /// The deliveries that the chain has removed, each with its gene before, in order.
    undo_log: Vec<(u32, Gene)>,
    /// Number of paths examined so far.
    examined: u64,
}

/// A place for a delivery.
#[derive(Clone, Copy, Debug)]
enum Placement {
    /// All its resources are free.
    Free(Gene),
    /// Exactly one of its resources is full.
    Blocked(Gene),
}

impl EjectionChainSearch {
    /// Creates a search for states of spaces with `step_count` steps.
    pub fn new(step_count: u32, options: EjectionChainOptions) -> Self {
        let words = (step_count as usize).div_ceil(64);
        Self {
            options,
            one_full: vec![0; words],
            two_full: vec![0; words],
            allowed: vec![0; words],
            ejected: Vec::new(),
            undo_log: Vec::new(),
            examined: 0,
        }
    }

    /// Returns the number of paths that have been examined for a place.
    pub(crate) fn examined(&self) -> u64 {
        self.examined
    }

    /// Tries chains until no conflict is left or the number `chains` is reached; returns the number of chains tried.
    ///
    /// A chain that adds `n` conflicts is kept with probability `uphill_odds` to the power `-n`. Odds of 0 count as 1.
    /// Admissible genes stay admissible. A chain takes `O(chain_length * sampled_paths * (path length * steps / 64))`
    /// time.
    ///
    /// # Panics
    ///
    /// If a delivery of `state` is unplaced, or its space has more steps than `step_count` in [`new`](Self::new).
    pub fn run(&mut self, state: &mut SearchState, chains: u64, uphill_odds: u32, rng: &mut impl Rng) -> u64 {
        self.run_among(state.space(), state, chains, uphill_odds, rng)
    }

    /// Returns the same with these paths only. A delivery that is in conflict on another path moves to one of them.
    pub(crate) fn run_among(
        &mut self,
        choices: &impl PathChoices,
        state: &mut SearchState,
        chains: u64,
        uphill_odds: u32,
        rng: &mut impl Rng,
    ) -> u64 {
        for chain in 0..chains {
            let before = state.conflicts();
            if before == 0 {
                return chain;
            }
            let Some(delivery) = state.draw_conflict(|n| rng.random_range(0..n)) else { return chain };
            self.undo_log.clear();
            let is_complete = self.chain(choices, state, delivery, rng);
            let added = state.conflicts().saturating_sub(before);
            if !is_complete || !accepts(added, uphill_odds, rng) {
                self.undo(state);
            }
        }
        chains
    }

    /// Moves `first` and all deliveries that are ejected in turn; returns false if one of them finds no place.
    fn chain(&mut self, choices: &impl PathChoices, state: &mut SearchState, first: usize, rng: &mut impl Rng) -> bool {
        self.ejected.clear();
        self.eject(state, first);
        let mut moves = self.options.chain_length;
        while let Some((delivery, excluded)) = self.ejected.pop() {
            let delivery = delivery as usize;
            let placement = if moves > 0 { self.placement(choices, state, delivery, excluded, rng) } else { None };
            moves = moves.saturating_sub(1);
            let gene = match placement {
                Some(Placement::Free(gene)) => gene,
                Some(Placement::Blocked(gene)) => {
                    let full = state.space().resources(gene.path).iter().find(|&&r| state.is_full(r, gene.step));
                    if let Some(user) = full.and_then(|&resource| state.only_user(resource, gene.step)) {
                        self.eject(state, user);
                    }
                    gene
                }
                None => match self.cheapest_placement(choices, state, delivery, rng) {
                    Some(gene) => gene,
                    None => return false,
                },
            };
            self.eject_early_forwards(state, delivery, gene.step);
            state.place(delivery, gene);
        }
        true
    }

    fn eject(&mut self, state: &mut SearchState, delivery: usize) {
        let gene = state.lift(delivery);
        self.undo_log.push((delivery as u32, gene));
        self.ejected.push((delivery as u32, gene.step));
    }

    /// Ejects the deliveries that the receiver of `delivery` sends in or before `step`, in which it receives the
    /// message.
    fn eject_early_forwards(&mut self, state: &mut SearchState, delivery: usize, step: u32) {
        let space = state.space();
        if space.is_broadcast() {
            let (message, receiver) = (space.message(delivery), space.receiver(delivery));
            for child in space.deliveries_of(message) {
                if state.sender(child) == receiver && state.genes()[child].step <= step {
                    self.eject(state, child);
                }
            }
        }
    }

    fn undo(&mut self, state: &mut SearchState) {
        while let Some((delivery, gene)) = self.undo_log.pop() {
            state.set(delivery as usize, gene);
        }
    }

    /// Returns a free placement on one of some sampled paths, otherwise a random one with a single full resource. Never
    /// in the step `excluded`.
    fn placement(
        &mut self,
        choices: &impl PathChoices,
        state: &SearchState,
        delivery: usize,
        excluded: u32,
        rng: &mut impl Rng,
    ) -> Option<Placement> {
        let candidates = choices.of(delivery);
        let samples = candidates.len().min(self.options.sampled_paths);
        self.examined += samples as u64;
        let offset = rng.random_range(0..candidates.len());
        let from_source = choices.direct(delivery);
        let (mut blocked, mut blocked_count) = (None, 0);
        for sample in 0..samples {
            // With few candidates, all of them from a random one on. Otherwise random ones: mostly short ones, and some
            // from the source, because only the source can send in the first steps.
            let path = if samples == candidates.len() {
                candidates[(offset + sample) % samples]
            } else if from_source.is_empty() || sample % 2 > 0 {
                draw_short(candidates, self.options.short_draws, rng)
            } else {
                from_source[rng.random_range(0..from_source.len())]
            };
            let (first, end) = (earliest(state, delivery, path), state.space().step_count());
            if first >= end {
                continue;
            }
            state.full_steps(path, &mut self.one_full, &mut self.two_full);
            step_set::set_range(&mut self.allowed, first, end, excluded);
            let free = self.allowed.iter().zip(&self.one_full).map(|(allowed, one)| allowed & !one);
            if let Some(step) = step_set::draw(free, rng) {
                return Some(Placement::Free(Gene { path, step }));
            }
            let single = self.allowed.iter().zip(&self.one_full).zip(&self.two_full);
            let single = single.map(|((allowed, one), two)| allowed & one & !two);
            let count: u32 = single.clone().map(u64::count_ones).sum();
            if count > 0 {
                blocked_count += count;
                if rng.random_range(0..blocked_count) < count {
                    blocked = step_set::draw(single, rng).map(|step| Gene { path, step });
                }
            }
        }
        blocked.map(Placement::Blocked)
    }

    /// Returns the placement with the fewest conflicts among random ones that eject no other delivery.
    fn cheapest_placement(
        &mut self,
        choices: &impl PathChoices,
        state: &SearchState,
        delivery: usize,
        rng: &mut impl Rng,
    ) -> Option<Gene> {
        let space = state.space();
        let end = if space.is_broadcast() {
            state.first_forwarded(space.message(delivery), space.receiver(delivery))
        } else {
            space.step_count()
        };
        let candidates = choices.of(delivery);
        self.examined += 2 * self.options.sampled_paths as u64;
        let draws = (0..2 * self.options.sampled_paths).filter_map(|_| {
            let path = draw_short(candidates, self.options.short_draws, rng);
            let first = earliest(state, delivery, path);
            let step = if first < end { rng.random_range(first..end) } else { return None };
            Some((state.cost(path, step), Gene { path, step }))
        });
        draws.min_by_key(|&(cost, _)| cost).map(|(_, gene)| gene)
    }
}

/// Returns the first step in which the sender of a path can send; `u32::MAX` if it never receives the message.
fn earliest(state: &SearchState, delivery: usize, path: u32) -> u32 {
    let space = state.space();
    if space.is_broadcast() { state.ready(space.message(delivery), space.sender(path)) } else { 0 }
}

/// Returns a random candidate; a short one is more likely than a long one.
fn draw_short(candidates: &[u32], draws: u32, rng: &mut impl Rng) -> u32 {
    let place = (0..draws).map(|_| rng.random_range(0..candidates.len())).min();
    candidates[place.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use proptest::prelude::*;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::engine::candidate_paths;
    use crate::space::SearchSpace;
    use crate::state::Evaluator;
    use crate::strategy::{in_space, random_genes, searchable, stream};
    use crate::umda::FeasibilityRepair;

    fn any_options() -> impl Strategy<Value = EjectionChainOptions> {
        (0..=8usize, 0..=16usize, 0..=4u32).prop_map(|(chain_length, sampled_paths, short_draws)| {
            EjectionChainOptions { chain_length, sampled_paths, short_draws }
        })
    }

    fn admissible_genes(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Vec<Gene> {
        let mut genes = random_genes(space, rng);
        if space.is_broadcast() {
            FeasibilityRepair::new(space).repair(space, &mut genes, rng);
        }
        genes
    }

    proptest! {
        #[test]
        fn a_search_keeps_genes_admissible_and_its_conflict_count_right(
            instance in searchable(8), spare in 0..=3u32, options in any_options(), odds in 0..=48u32, seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                state.load(&admissible_genes(space, &mut rng));
                let chains = EjectionChainSearch::new(space.step_count(), options).run(&mut state, 30, odds, &mut rng);
                prop_assert!(space.is_admissible(state.genes()));
                prop_assert_eq!(state.conflicts(), Evaluator::new(space).conflicts(state.genes()));
                prop_assert!(chains == 30 || (chains < 30 && state.conflicts() == 0));
                Ok(())
            })?;
        }

        #[test]
        fn at_low_temperature_conflicts_never_increase(
            instance in searchable(8), spare in 0..=3u32, options in any_options(), seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                state.load(&admissible_genes(space, &mut rng));
                let mut search = EjectionChainSearch::new(space.step_count(), options);
                for _ in 0..20 {
                    let before = state.conflicts();
                    search.run(&mut state, 1, u32::MAX, &mut rng);
                    prop_assert!(state.conflicts() <= before);
                }
                Ok(())
            })?;
        }

        #[test]
        fn an_undone_chain_restores_the_state(
            instance in searchable(8), spare in 0..=3u32, options in any_options(), seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                let genes = admissible_genes(space, &mut rng);
                state.load(&genes);
                let conflicts = state.conflicts();
                let mut search = EjectionChainSearch::new(space.step_count(), options);
                for delivery in 0..space.delivery_count() {
                    search.chain(space, &mut state, delivery, &mut rng);
                    search.undo(&mut state);
                    prop_assert_eq!(state.genes(), &genes[..]);
                    prop_assert_eq!(state.conflicts(), conflicts);
                }
                Ok(())
            })?;
        }
    }

    #[test]
    fn without_conflict_no_chain_is_tried() {
        let network = "ring:3".parse().unwrap();
        let exchange = Collective::all_to_all();
        let problem = Problem::new(&network, &exchange, CommunicationModel::wormhole()).unwrap();
        let table = candidate_paths(&problem).unwrap();
        let space = SearchSpace::new(problem, &table, 1).unwrap();
        // Every pair has its own channel.
        let genes: Vec<Gene> = (0..6).map(|delivery| Gene { path: space.candidates(delivery)[0], step: 0 }).collect();
        let mut state = SearchState::new(&space);
        state.load(&genes);
        let options = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
        assert_eq!(EjectionChainSearch::new(1, options).run(&mut state, 9, 3, &mut stream(1)), 0);
        assert_eq!(state.genes(), genes);
    }
}
