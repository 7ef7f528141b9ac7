//! The individuals of the hybrid of genetic algorithm and simulated annealing.

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use super::alternating_annealing::AlternatingAnnealing;
use super::options::{HgsaOptions, LastResort, Moves};
use super::prediction::Prediction;
use super::step_assignment::{assign_first_steps, assign_random_steps, keep_steps};
use crate::evolution::{Individual, Maker};
use crate::local_search::{EjectionChainSearch, PathChoices, ShortestPathChoices};
use crate::space::{Gene, SearchSpace};

/// The number of rounds of paths and steps with ejection chains, at least. They converge in few moves.
const EJECTION_CHAIN_ROUNDS: u64 = 32;

/// Creates the individuals of one thread.
pub(super) struct AnnealingMaker<'a> {
    space: &'a SearchSpace<'a>,
    options: HgsaOptions,
    choices: ShortestPathChoices,
    annealing: AlternatingAnnealing<'a>,
}

impl<'a> AnnealingMaker<'a> {
    pub(super) fn new(space: &'a SearchSpace<'a>, options: HgsaOptions) -> Self {
        let (search, rounds) = match options.moves {
            Moves::Random => (None, 1),
            Moves::EjectionChains(chains) => {
                (Some(EjectionChainSearch::new(space.step_count(), chains)), EJECTION_CHAIN_ROUNDS)
            }
        };
        let annealing = AlternatingAnnealing::new(space, options.prediction, search, rounds);
        Self { space, options, choices: ShortestPathChoices::new(space), annealing }
    }

    /// Starts from random shortest paths.
    fn draw(&mut self, rng: &mut impl Rng) {
        let Self { space, choices, annealing, .. } = self;
        let any = |paths: &[u32]| paths[rng.random_range(0..paths.len())];
        annealing.paths.load((0..space.delivery_count()).map(|delivery| choices.of(delivery)).map(any));
        let (trees, state) = (annealing.paths.trees(), &mut annealing.state);
        match annealing.search {
            Some(_) => assign_first_steps(trees, state, rng),
            None => assign_random_steps(trees, state, rng),
        }
    }

    /// Starts from the crossover of two parents: each terminal takes the genes of its deliveries from one of them. A
    /// message whose channels then do not make a tree is taken from the first parent.
    fn cross(&mut self, parents: [&Individual; 2], rng: &mut impl Rng) {
        let Self { space, annealing, .. } = self;
        let chosen: Vec<&Individual> = (0..space.terminal_count()).map(|_| parents[rng.random_range(0..2)]).collect();
        let mut genes: Vec<Gene> = (0..space.delivery_count())
            .map(|delivery| chosen[space.receiver(delivery) as usize].genes[delivery])
            .collect();
        for message in 0..space.message_count() as u32 {
            let deliveries = space.deliveries_of(message);
            if !deliveries.clone().all(|delivery| is_connected_to_source(space, &genes, delivery)) {
                genes[deliveries.clone()].copy_from_slice(&parents[0].genes[deliveries]);
            }
        }
        annealing.paths.load(genes.iter().map(|gene| gene.path));
        keep_steps(annealing.paths.trees(), &mut annealing.state, &genes);
    }
}

/// Returns true if the channels lead from the source to a delivery in no more transfers than there are steps.
fn is_connected_to_source(space: &SearchSpace, genes: &[Gene], delivery: usize) -> bool {
    let sender = |delivery: u32| space.sender(genes[delivery as usize].path);
    let above = |&delivery: &u32| match space.delivery_to(space.message(delivery as usize), sender(delivery)) {
        SearchSpace::AT_SOURCE => None,
        parent => Some(parent),
    };
    std::iter::successors(Some(delivery as u32), above).nth(space.step_count() as usize).is_none()
}

impl Maker for AnnealingMaker<'_> {
    fn make(&mut self, parents: &[&Individual], effort: u64, rng: &mut ChaCha8Rng) -> (Individual, u64) {
        match parents {
            [] => self.draw(rng),
            _ => self.cross([0; 2].map(|_| parents[rng.random_range(0..parents.len())]), rng),
        }
        let Self { space, options, choices, annealing } = self;
        annealing.begin();
        let moves = match options.last_resort {
            LastResort::None => effort,
            LastResort::AnyPath => effort / 2,
        };
        let mut evaluations = match options.prediction {
            Prediction::None => annealing.anneal_together(choices, moves, rng),
            Prediction::Published | Prediction::Matching => annealing.alternate(choices, moves, rng),
        };
        if annealing.best().conflicts > 0 && options.last_resort == LastResort::AnyPath {
            annealing.restart_from_best();
            evaluations += annealing.anneal_together(*space, effort - moves, rng);
        }
        (annealing.best().clone(), 1 + evaluations)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::Evaluator;
    use crate::strategy::{forwarded, in_space, random_genes, stream};
    use crate::umda::FeasibilityRepair;

    fn any_options() -> impl Strategy<Value = HgsaOptions> {
        let prediction = prop_oneof![Just(Prediction::None), Just(Prediction::Published), Just(Prediction::Matching)];
        let options = prop_oneof![Just(HgsaOptions::published(0)), Just(HgsaOptions::directed(0))];
        (prediction, options).prop_map(|(prediction, options)| HgsaOptions { prediction, ..options })
    }

    fn individual(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Individual {
        let mut genes = random_genes(space, rng);
        FeasibilityRepair::new(space).repair(space, &mut genes, rng);
        Individual { conflicts: Evaluator::new(space).conflicts(&genes), genes }
    }

    proptest! {
        #[test]
        fn individuals_are_admissible_and_respect_their_effort(
            instance in forwarded(7), spare in 0..=2u32, options in any_options(), seed: u64, effort in 0..200u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                // Any parents, including some with paths that are not shortest.
                let parents = [(); 2].map(|()| individual(space, &mut rng));
                let mut maker = AnnealingMaker::new(space, options);
                for parents in [&[][..], &[&parents[0], &parents[1]]] {
                    let (made, evaluations) = maker.make(parents, effort, &mut rng);
                    prop_assert!(space.is_admissible(&made.genes));
                    prop_assert_eq!(made.conflicts, Evaluator::new(space).conflicts(&made.genes));
                    // One for the individual, and the last perturbations with their new steps.
                    prop_assert!(evaluations <= 2 + effort + space.delivery_count() as u64);
                }
                Ok(())
            })?;
        }

        #[test]
        fn without_a_last_resort_paths_are_shortest(instance in forwarded(7), spare in 0..=2u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, choices) = (stream(seed), ShortestPathChoices::new(space));
                let mut maker = AnnealingMaker::new(space, HgsaOptions::published(0));
                let parents = [(); 2].map(|()| maker.make(&[], 50, &mut rng).0);
                let (child, _) = maker.make(&[&parents[0], &parents[1]], 50, &mut rng);
                for individual in parents.iter().chain([&child]) {
                    let mut genes = individual.genes.iter().enumerate();
                    prop_assert!(genes.all(|(delivery, gene)| choices.of(delivery).contains(&gene.path)));
                }
                Ok(())
            })?;
        }

        #[test]
        fn children_of_equal_parents_are_equal_to_them(instance in forwarded(7), spare in 0..=2u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let parent = individual(space, &mut rng);
                let mut maker = AnnealingMaker::new(space, HgsaOptions::directed(0));
                maker.cross([&parent; 2], &mut rng);
                prop_assert_eq!(maker.annealing.state.genes(), parent.genes);
                Ok(())
            })?;
        }

        #[test]
        fn an_individual_does_not_depend_on_the_one_before(
            instance in forwarded(7), spare in 0..=2u32, options in any_options(), seed: u64,
        ) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let [first, second] = [(); 2].map(|()| individual(space, &mut rng));
                let parents = [&first, &second];
                let mut used = AnnealingMaker::new(space, options);
                used.make(&[], 100, &mut stream(seed));
                let made = used.make(&parents, 100, &mut stream(seed));
                prop_assert_eq!(made, AnnealingMaker::new(space, options).make(&parents, 100, &mut stream(seed)));
                Ok(())
            })?;
        }
    }
}
