//! One chain of [`Hgsa`](crate::Hgsa): paths and steps annealed by turns.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use crate::evolution::{Individual, Maker};
use crate::hgsa::{HgsaOptions, LastResort, Moves};
use crate::prediction::Prediction;
use crate::routes::{Choices, ShortestRoutes};
use crate::space::{Gene, SearchSpace};
use crate::state::SearchState;
use crate::timing::{give_any_steps, give_first_steps, keep_steps};
use crate::trees::{Aim, Trees};
use crate::walk::{Walk, accepts};

/// The falling temperatures of an annealing, as odds against keeping a move that adds a conflict.
const COOLING: [u32; 6] = [3, 6, 12, 24, 48, u32::MAX];

/// Turns of paths and steps in a chain of directed moves, at least: a walk soon finds what it can.
const DIRECTED_TURNS: u64 = 32;

/// What a thread needs to make individuals.
pub(crate) struct Chain<'a> {
    space: &'a SearchSpace<'a>,
    options: HgsaOptions,
    routes: ShortestRoutes,
    draft: Draft<'a>,
}

impl<'a> Chain<'a> {
    pub(crate) fn new(space: &'a SearchSpace<'a>, options: HgsaOptions) -> Self {
        let (walk, turns) = match options.moves {
            Moves::Blind => (None, 1),
            Moves::Directed(walk) => (Some(Walk::new(space.step_count(), walk)), DIRECTED_TURNS),
        };
        let draft = Draft {
            trees: Trees::new(space, options.prediction),
            state: SearchState::new(space),
            walk,
            turns,
            best: Individual { genes: Vec::new(), conflicts: u64::MAX },
            genes: Vec::new(),
        };
        Self { space, options, routes: ShortestRoutes::new(space), draft }
    }

    /// Random shortest paths.
    fn begin(&mut self, rng: &mut impl Rng) {
        let Self { space, routes, draft, .. } = self;
        let any = |paths: &[u32]| paths[rng.random_range(0..paths.len())];
        draft.trees.load((0..space.delivery_count()).map(|delivery| routes.of(delivery)).map(any));
        match draft.walk {
            Some(_) => give_first_steps(&draft.trees, &mut draft.state, rng),
            None => give_any_steps(&draft.trees, &mut draft.state, rng),
        }
    }

    /// What arrives at each terminal in one of the parents; but whole messages of the first one where their ways do not
    /// come from the source.
    fn cross(&mut self, parents: [&Individual; 2], rng: &mut impl Rng) {
        let Self { space, draft, .. } = self;
        let chosen: Vec<&Individual> = (0..space.terminal_count()).map(|_| parents[rng.random_range(0..2)]).collect();
        let mut genes: Vec<Gene> = (0..space.delivery_count())
            .map(|delivery| chosen[space.receiver(delivery) as usize].genes[delivery])
            .collect();
        for message in 0..space.message_count() as u32 {
            let deliveries = space.deliveries_of(message);
            if !deliveries.clone().all(|delivery| comes_from_source(space, &genes, delivery)) {
                genes[deliveries.clone()].copy_from_slice(&parents[0].genes[deliveries]);
            }
        }
        draft.trees.load(genes.iter().map(|gene| gene.path));
        keep_steps(&draft.trees, &mut draft.state, &genes);
    }
}

/// Whether a delivery is behind the source, no more transfers than there are steps.
fn comes_from_source(space: &SearchSpace, genes: &[Gene], delivery: usize) -> bool {
    let sender = |delivery: u32| space.sender(genes[delivery as usize].path);
    let above = |&delivery: &u32| match space.delivery_to(space.message(delivery as usize), sender(delivery)) {
        SearchSpace::AT_SOURCE => None,
        parent => Some(parent),
    };
    std::iter::successors(Some(delivery as u32), above).nth(space.step_count() as usize).is_none()
}

impl Maker for Chain<'_> {
    fn make(&mut self, parents: &[&Individual], effort: u64, rng: &mut ChaCha8Rng) -> (Individual, u64) {
        match parents {
            [] => self.begin(rng),
            _ => self.cross([0; 2].map(|_| parents[rng.random_range(0..parents.len())]), rng),
        }
        let Self { space, options, routes, draft } = self;
        draft.best.conflicts = u64::MAX;
        draft.keep();
        let moves = match options.last_resort {
            LastResort::None => effort,
            LastResort::AnyPath => effort / 2,
        };
        let mut evaluations = match options.prediction {
            Prediction::None => draft.anneal_together(routes, moves, rng),
            Prediction::Published | Prediction::Matching => draft.anneal_by_turns(routes, moves, rng),
        };
        if draft.best.conflicts > 0 && options.last_resort == LastResort::AnyPath {
            draft.state.load(&draft.best.genes);
            evaluations += draft.anneal_together(*space, effort - moves, rng);
        }
        (draft.best.clone(), 1 + evaluations)
    }
}

/// A schedule in the making.
struct Draft<'a> {
    trees: Trees<'a>,
    state: SearchState<'a>,
    /// None, if moves are blind.
    walk: Option<Walk>,
    /// Of the moves of a chain, steps get one part in so many before it is the turn of the paths again.
    turns: u64,
    best: Individual,
    /// Scratch space.
    genes: Vec<Gene>,
}

impl Draft<'_> {
    /// Notes the schedule, if it is the best of the chain.
    fn keep(&mut self) {
        if self.state.conflicts() < self.best.conflicts {
            self.best.conflicts = self.state.conflicts();
            self.best.genes.clear();
            self.best.genes.extend_from_slice(self.state.genes());
        }
    }

    /// Steps for new paths, from which their annealing starts.
    fn begin_steps(&mut self, rng: &mut impl Rng) {
        if self.walk.is_some() {
            give_first_steps(&self.trees, &mut self.state, rng);
        } else {
            self.genes.clear();
            self.genes.extend_from_slice(self.state.genes());
            keep_steps(&self.trees, &mut self.state, &self.genes);
        }
    }

    /// Anneals paths and steps at once; returns the evaluations.
    fn anneal_together(&mut self, choices: &impl Choices, moves: u64, rng: &mut impl Rng) -> u64 {
        let spent = anneal_genes(choices, &mut self.state, self.walk.as_mut(), moves, rng);
        self.keep();
        spent
    }

    /// Anneals paths until no conflict is foretold, then their steps, then again paths of those in conflict, and so on;
    /// returns the evaluations.
    fn anneal_by_turns(&mut self, choices: &impl Choices, moves: u64, rng: &mut impl Rng) -> u64 {
        let mut spent = 0;
        while spent < moves && self.best.conflicts > 0 {
            spent += self.upset(choices, rng);
            spent += self.anneal_paths(choices, moves.saturating_sub(spent), rng);
            self.begin_steps(rng);
            spent += 1;
            if self.trees.predicted() == 0 {
                let moves = (moves / self.turns).min(moves.saturating_sub(spent));
                spent += anneal_genes(&self.trees, &mut self.state, self.walk.as_mut(), moves, rng);
            }
            self.keep();
        }
        spent
    }

    /// Gives those in conflict any paths.
    fn upset(&mut self, choices: &impl Choices, rng: &mut impl Rng) -> u64 {
        let mut spent = 0;
        for delivery in 0..self.state.genes().len() {
            if self.state.in_conflict(delivery) {
                self.trees.shift(choices, delivery, rng);
                spent += 1;
            }
        }
        spent
    }

    /// The first subproblem.
    fn anneal_paths(&mut self, choices: &impl Choices, moves: u64, rng: &mut impl Rng) -> u64 {
        let aim = if self.walk.is_some() { Aim::Directed } else { Aim::Blind };
        cooling(moves).map(|(odds, moves)| self.trees.anneal(choices, aim, moves, odds, rng)).sum()
    }
}

/// The second subproblem, or, where there are choices, both: chains of a walk or single blind moves.
fn anneal_genes(
    choices: &impl Choices,
    state: &mut SearchState,
    mut walk: Option<&mut Walk>,
    moves: u64,
    rng: &mut impl Rng,
) -> u64 {
    let anneal = |(odds, moves)| match &mut walk {
        Some(walk) => walk.run_among(choices, state, moves, odds, rng),
        None => drift(choices, state, moves, odds, rng),
    };
    cooling(moves).map(anneal).sum()
}

/// The temperatures in turn, with equal parts of the moves.
fn cooling(moves: u64) -> impl Iterator<Item = (u32, u64)> {
    let stages = COOLING.len() as u64;
    (0..stages).zip(COOLING).map(move |(stage, odds)| (odds, moves * (stage + 1) / stages - moves * stage / stages))
}

/// Gives any deliveries any paths and steps at which their senders hold the message and nobody passes it on before;
/// until no conflict is left or `moves` are spent. Returns the number of moves.
fn drift(choices: &impl Choices, state: &mut SearchState, moves: u64, uphill_odds: u32, rng: &mut impl Rng) -> u64 {
    let space = state.space();
    for tried in 0..moves {
        if state.conflicts() == 0 {
            return tried;
        }
        let delivery = rng.random_range(0..space.delivery_count());
        let paths = choices.of(delivery);
        let path = paths[rng.random_range(0..paths.len())];
        let message = space.message(delivery);
        let steps = state.ready(message, space.sender(path))..state.first_passed_on(message, space.receiver(delivery));
        if steps.is_empty() {
            continue;
        }
        let (gene, before) = (state.genes()[delivery], state.conflicts());
        state.set(delivery, Gene { path, step: rng.random_range(steps) });
        if !accepts(state.conflicts().saturating_sub(before), uphill_odds, rng) {
            state.set(delivery, gene);
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::restore::Heuristics;
    use crate::state::Evaluator;
    use crate::strategy::{forwarded, in_space, random_genes, stream};

    fn any_options() -> impl Strategy<Value = HgsaOptions> {
        let prediction = prop_oneof![Just(Prediction::None), Just(Prediction::Published), Just(Prediction::Matching)];
        let options = prop_oneof![Just(HgsaOptions::published(0)), Just(HgsaOptions::directed(0))];
        (prediction, options).prop_map(|(prediction, options)| HgsaOptions { prediction, ..options })
    }

    fn individual(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Individual {
        let mut genes = random_genes(space, rng);
        Heuristics::new(space).restore(space, &mut genes, rng);
        Individual { conflicts: Evaluator::new(space).conflicts(&genes), genes }
    }

    proptest! {
        #[test]
        fn individuals_are_admissible_count_right_and_cost_what_they_may(
            instance in forwarded(7), spare in 0..=2u32, options in any_options(), seed: u64, effort in 0..200u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                // Any parents, with paths that are not shortest, too.
                let parents = [(); 2].map(|()| individual(space, &mut rng));
                let mut chain = Chain::new(space, options);
                for parents in [&[][..], &[&parents[0], &parents[1]]] {
                    let (made, evaluations) = chain.make(parents, effort, &mut rng);
                    prop_assert!(space.is_admissible(&made.genes));
                    prop_assert_eq!(made.conflicts, Evaluator::new(space).conflicts(&made.genes));
                    // Its own, the deliveries that were upset last, and the steps that they were given.
                    prop_assert!(evaluations <= 2 + effort + space.delivery_count() as u64);
                }
                Ok(())
            })?;
        }

        #[test]
        fn without_last_resort_paths_are_shortest(instance in forwarded(7), spare in 0..=2u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, routes) = (stream(seed), ShortestRoutes::new(space));
                let mut chain = Chain::new(space, HgsaOptions::published(0));
                let parents = [(); 2].map(|()| chain.make(&[], 50, &mut rng).0);
                let (child, _) = chain.make(&[&parents[0], &parents[1]], 50, &mut rng);
                for individual in parents.iter().chain([&child]) {
                    let mut genes = individual.genes.iter().enumerate();
                    prop_assert!(genes.all(|(delivery, gene)| routes.of(delivery).contains(&gene.path)));
                }
                Ok(())
            })?;
        }

        #[test]
        fn children_of_equals_are_as_their_parents(instance in forwarded(7), spare in 0..=2u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let parent = individual(space, &mut rng);
                let mut chain = Chain::new(space, HgsaOptions::directed(0));
                chain.cross([&parent; 2], &mut rng);
                prop_assert_eq!(chain.draft.state.genes(), parent.genes);
                Ok(())
            })?;
        }

        #[test]
        fn nothing_is_left_of_the_individual_before(
            instance in forwarded(7), spare in 0..=2u32, options in any_options(), seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let [first, second] = [(); 2].map(|()| individual(space, &mut rng));
                let parents = [&first, &second];
                let mut used = Chain::new(space, options);
                used.make(&[], 100, &mut stream(seed));
                let made = used.make(&parents, 100, &mut stream(seed));
                prop_assert_eq!(made, Chain::new(space, options).make(&parents, 100, &mut stream(seed)));
                Ok(())
            })?;
        }

        #[test]
        fn cooling_spends_the_moves_and_ends_cold(moves in 0..1000u64) {
            let stages: Vec<_> = cooling(moves).collect();
            prop_assert_eq!(stages.iter().map(|&(_, moves)| moves).sum::<u64>(), moves);
            prop_assert!(stages.is_sorted());
            prop_assert_eq!(stages.last().map(|&(odds, _)| odds), Some(u32::MAX));
        }
    }
}
