//! Directed mutation: a walk of slot exchanges that starts at conflicts.

use rand::{Rng, RngExt};

use serde::{Deserialize, Serialize};

use crate::routes::Choices;
use crate::space::Gene;
use crate::state::SearchState;

/// How a [walk](Walk::run) behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WalkOptions {
    /// Deliveries moved in one chain, at most.
    pub chain_length: usize,
    /// Candidate paths looked at for each delivery that moves.
    pub sampled_paths: usize,
    /// A path that moves is the shortest of this many random candidates, where there are more than `sampled_paths`.
    pub short_draws: u32,
}

/// The document's slot swap, led by conflicts and carried on: scratch space of a walk.
///
/// A delivery in conflict is taken out and put where its path is free. Where there is no such place it takes the slot
/// of the one delivery that is in its way, which then looks for a place of its own, and so on: a chain of exchanges. In
/// a broadcast, those who would pass a message on before they have it look for another sender in the same way. A chain
/// that adds conflicts is undone but for rare exceptions (Metropolis's rule at a fixed temperature).
#[derive(Debug)]
pub struct Walk {
    options: WalkOptions,
    one: Vec<u64>,
    two: Vec<u64>,
    allowed: Vec<u64>,
    /// Deliveries that are out, each with the step it must not return to.
    homeless: Vec<(u32, u32)>,
    /// Deliveries that the chain took out, with the genes they had, in order.
    journal: Vec<(u32, Gene)>,
}

/// Where a delivery could go.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// All resources are free.
    Free(Gene),
    /// Exactly one resource is full.
    Taken(Gene),
}

impl Walk {
    /// A walk for states of spaces of `step_count` steps.
    pub fn new(step_count: u32, options: WalkOptions) -> Self {
        let words = (step_count as usize).div_ceil(64);
        Self {
            options,
            one: vec![0; words],
            two: vec![0; words],
            allowed: vec![0; words],
            homeless: Vec::new(),
            journal: Vec::new(),
        }
    }

    /// Walks until no conflict is left or `chains` are spent; returns the number of chains tried.
    ///
    /// A chain that adds `n` conflicts is kept with probability `uphill_odds` to the power `-n`; 0 odds count as 1.
    /// Admissible genes stay admissible.
    ///
    /// # Panics
    ///
    /// If a delivery of `state` is not placed, or its space has more steps than the walk was made for.
    pub fn run(&mut self, state: &mut SearchState, chains: u64, uphill_odds: u32, rng: &mut impl Rng) -> u64 {
        self.run_among(state.space(), state, chains, uphill_odds, rng)
    }

    /// The same along these paths alone; a delivery that is in conflict on another path leaves it.
    pub(crate) fn run_among(
        &mut self,
        choices: &impl Choices,
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
            self.journal.clear();
            let whole = self.chain(choices, state, delivery, rng);
            let added = state.conflicts().saturating_sub(before);
            if !whole || !accepts(added, uphill_odds, rng) {
                self.undo(state);
            }
        }
        chains
    }

    /// Moves `first` and whoever stands in the way; `false` if somebody finds no place at all.
    fn chain(&mut self, choices: &impl Choices, state: &mut SearchState, first: usize, rng: &mut impl Rng) -> bool {
        self.homeless.clear();
        self.lift(state, first);
        let mut moves = self.options.chain_length;
        while let Some((hand, left)) = self.homeless.pop() {
            let hand = hand as usize;
            let spot = if moves > 0 { self.spot(choices, state, hand, left, rng) } else { None };
            moves = moves.saturating_sub(1);
            let gene = match spot {
                Some(Spot::Free(gene)) => gene,
                Some(Spot::Taken(gene)) => {
                    let full = state.space().resources(gene.path).iter().find(|&&r| state.is_full(r, gene.step));
                    if let Some(user) = full.and_then(|&resource| state.only_user(resource, gene.step)) {
                        self.lift(state, user);
                    }
                    gene
                }
                None => match self.least_crowded(choices, state, hand, rng) {
                    Some(gene) => gene,
                    None => return false,
                },
            };
            self.lift_orphans(state, hand, gene.step);
            state.place(hand, gene);
        }
        true
    }

    fn lift(&mut self, state: &mut SearchState, delivery: usize) {
        let gene = state.lift(delivery);
        self.journal.push((delivery as u32, gene));
        self.homeless.push((delivery as u32, gene.step));
    }

    /// Takes out the deliveries that the receiver of `delivery` makes before it has the message from `step` on.
    fn lift_orphans(&mut self, state: &mut SearchState, delivery: usize, step: u32) {
        let space = state.space();
        if space.is_broadcast() {
            let (message, receiver) = (space.message(delivery), space.receiver(delivery));
            for child in space.deliveries_of(message) {
                if state.sender(child) == receiver && state.genes()[child].step <= step {
                    self.lift(state, child);
                }
            }
        }
    }

    fn undo(&mut self, state: &mut SearchState) {
        while let Some((delivery, gene)) = self.journal.pop() {
            state.set(delivery as usize, gene);
        }
    }

    /// A free spot along some sampled paths, else a random one where a single resource is full. Not the step `left`.
    fn spot(
        &mut self,
        choices: &impl Choices,
        state: &SearchState,
        delivery: usize,
        left: u32,
        rng: &mut impl Rng,
    ) -> Option<Spot> {
        let candidates = choices.of(delivery);
        let samples = candidates.len().min(self.options.sampled_paths);
        let offset = rng.random_range(0..candidates.len());
        let from_source = choices.direct(delivery);
        let (mut taken, mut taken_count) = (None, 0);
        for sample in 0..samples {
            // All candidates from a random one on where there are few, else random ones: rather short ones, and some
            // from the source, which alone can fill the first steps.
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
            state.crowding(path, &mut self.one, &mut self.two);
            allow(&mut self.allowed, first, end, left);
            let free = self.allowed.iter().zip(&self.one).map(|(allowed, one)| allowed & !one);
            if let Some(step) = draw_bit(free, rng) {
                return Some(Spot::Free(Gene { path, step }));
            }
            let single = self.allowed.iter().zip(&self.one).zip(&self.two);
            let single = single.map(|((allowed, one), two)| allowed & one & !two);
            let spots: u32 = single.clone().map(u64::count_ones).sum();
            if spots > 0 {
                taken_count += spots;
                if rng.random_range(0..taken_count) < spots {
                    taken = draw_bit(single, rng).map(|step| Gene { path, step });
                }
            }
        }
        taken.map(Spot::Taken)
    }

    /// The least crowded of some random spots that make no orphans.
    fn least_crowded(
        &mut self,
        choices: &impl Choices,
        state: &SearchState,
        delivery: usize,
        rng: &mut impl Rng,
    ) -> Option<Gene> {
        let space = state.space();
        let end = if space.is_broadcast() {
            state.first_passed_on(space.message(delivery), space.receiver(delivery))
        } else {
            space.step_count()
        };
        let candidates = choices.of(delivery);
        let draws = (0..2 * self.options.sampled_paths).filter_map(|_| {
            let path = draw_short(candidates, self.options.short_draws, rng);
            let first = earliest(state, delivery, path);
            let step = if first < end { rng.random_range(first..end) } else { return None };
            Some((state.cost(path, step), Gene { path, step }))
        });
        draws.min_by_key(|&(cost, _)| cost).map(|(_, gene)| gene)
    }
}

/// Metropolis's rule, the temperature given as the odds against one more conflict.
pub(crate) fn accepts(added: u64, uphill_odds: u32, rng: &mut impl Rng) -> bool {
    uphill_odds <= 1 || (0..added).all(|_| rng.random_range(0..uphill_odds) == 0)
}

/// The first step in which the sender of a path can make a delivery; `u32::MAX` if it never gets the message.
fn earliest(state: &SearchState, delivery: usize, path: u32) -> u32 {
    let space = state.space();
    if space.is_broadcast() { state.ready(space.message(delivery), space.sender(path)) } else { 0 }
}

/// A candidate, a short one more likely than a long one.
fn draw_short(candidates: &[u32], draws: u32, rng: &mut impl Rng) -> u32 {
    let place = (0..draws).map(|_| rng.random_range(0..candidates.len())).min();
    candidates[place.unwrap_or(0)]
}

/// The bits `first..end` without `left`.
fn allow(allowed: &mut [u64], first: u32, end: u32, left: u32) {
    for (word, allowed) in allowed.iter_mut().enumerate() {
        let below = |limit: u32| match limit.saturating_sub(word as u32 * 64) {
            bits @ 0..64 => (1 << bits) - 1,
            _ => u64::MAX,
        };
        *allowed = below(end) & !below(first);
    }
    allowed[left as usize / 64] &= !(1 << (left % 64));
}

/// A set bit, each with equal chance.
fn draw_bit(words: impl Iterator<Item = u64> + Clone, rng: &mut impl Rng) -> Option<u32> {
    let count: u32 = words.clone().map(u64::count_ones).sum();
    let mut rank = if count == 0 { return None } else { rng.random_range(0..count) };
    for (word, mut bits) in words.enumerate() {
        let ones = bits.count_ones();
        if rank >= ones {
            rank -= ones;
            continue;
        }
        for _ in 0..rank {
            bits &= bits - 1;
        }
        return Some(word as u32 * 64 + bits.trailing_zeros());
    }
    None
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use proptest::prelude::*;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::engine::candidate_paths;
    use crate::restore::Heuristics;
    use crate::space::SearchSpace;
    use crate::state::Evaluator;
    use crate::strategy::{in_space, random_genes, searchable, stream};

    fn any_options() -> impl Strategy<Value = WalkOptions> {
        (0..=8usize, 0..=16usize, 0..=4u32).prop_map(|(chain_length, sampled_paths, short_draws)| WalkOptions {
            chain_length,
            sampled_paths,
            short_draws,
        })
    }

    fn admissible_genes(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Vec<Gene> {
        let mut genes = random_genes(space, rng);
        if space.is_broadcast() {
            Heuristics::new(space).restore(space, &mut genes, rng);
        }
        genes
    }

    proptest! {
        #[test]
        fn a_walk_keeps_genes_admissible_and_counts_right(
            instance in searchable(8), spare in 0..=3u32, options in any_options(), odds in 0..=48u32, seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                state.load(&admissible_genes(space, &mut rng));
                let chains = Walk::new(space.step_count(), options).run(&mut state, 30, odds, &mut rng);
                prop_assert!(space.is_admissible(state.genes()));
                prop_assert_eq!(state.conflicts(), Evaluator::new(space).conflicts(state.genes()));
                prop_assert!(chains == 30 || (chains < 30 && state.conflicts() == 0));
                Ok(())
            })?;
        }

        #[test]
        fn against_long_odds_conflicts_only_fall(
            instance in searchable(8), spare in 0..=3u32, options in any_options(), seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                state.load(&admissible_genes(space, &mut rng));
                let mut walk = Walk::new(space.step_count(), options);
                for _ in 0..20 {
                    let before = state.conflicts();
                    walk.run(&mut state, 1, u32::MAX, &mut rng);
                    prop_assert!(state.conflicts() <= before);
                }
                Ok(())
            })?;
        }

        #[test]
        fn an_undone_chain_leaves_no_trace(
            instance in searchable(8), spare in 0..=3u32, options in any_options(), seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                let genes = admissible_genes(space, &mut rng);
                state.load(&genes);
                let conflicts = state.conflicts();
                let mut walk = Walk::new(space.step_count(), options);
                for delivery in 0..space.delivery_count() {
                    walk.chain(space, &mut state, delivery, &mut rng);
                    walk.undo(&mut state);
                    prop_assert_eq!(state.genes(), &genes[..]);
                    prop_assert_eq!(state.conflicts(), conflicts);
                }
                Ok(())
            })?;
        }

        #[test]
        fn allowed_steps_are_a_range_without_one(
            words in 1..=3usize, first in 0..200u32, end in 0..200u32, left in 0..192u32,
        ) {
            let left = left % (64 * words as u32);
            let mut allowed = vec![u64::MAX; words];
            allow(&mut allowed, first, end, left);
            for step in 0..64 * words as u32 {
                let is_allowed = allowed[step as usize / 64] >> (step % 64) & 1 == 1;
                prop_assert_eq!(is_allowed, (first..end).contains(&step) && step != left);
            }
        }

        #[test]
        fn every_set_bit_is_drawn_and_no_other(bits in prop::collection::btree_set(0..192u32, 0..6), seed: u64) {
            let mut words = [0u64; 3];
            for bit in &bits {
                words[*bit as usize / 64] |= 1 << (bit % 64);
            }
            // 200 draws miss one of 5 bits with a chance of 5 * 0.8^200, about 2e-19.
            let mut rng = stream(seed);
            let drawn: std::collections::BTreeSet<u32> =
                (0..200).filter_map(|_| draw_bit(words.into_iter(), &mut rng)).collect();
            prop_assert_eq!(drawn, bits);
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
        let options = WalkOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
        assert_eq!(Walk::new(1, options).run(&mut state, 9, 3, &mut stream(1)), 0);
        assert_eq!(state.genes(), genes);
    }
}
