use proptest::prelude::*;
use proptest::sample::Index;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::restore::Heuristics;
use crate::space::Gene;
use crate::state::SearchState;
use crate::strategy::{forwarded, in_space, random_genes, stream};
use crate::walk::{Walk, WalkOptions};

fn any_prediction() -> impl Strategy<Value = Prediction> {
    prop_oneof![Just(Prediction::None), Just(Prediction::Published), Just(Prediction::Matching)]
}

fn admissible_genes(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Vec<Gene> {
    let mut genes = random_genes(space, rng);
    Heuristics::new(space).restore(space, &mut genes, rng);
    genes
}

fn trees_of<'a>(space: &'a SearchSpace, prediction: Prediction, genes: &[Gene]) -> Trees<'a> {
    let mut trees = Trees::new(space, prediction);
    trees.load(genes.iter().map(|gene| gene.path));
    trees
}

/// Everything that follows from the paths.
fn contents(trees: &Trees) -> impl PartialEq + std::fmt::Debug {
    let mut users = trees.users.clone();
    for users in &mut users {
        users.sort_unstable();
    }
    let mut crowded = trees.crowded.clone();
    crowded.sort_unstable();
    (
        trees.path.clone(),
        trees.depth.clone(),
        trees.height.clone(),
        users,
        trees.predicted.clone(),
        crowded,
        trees.total,
    )
}

proptest! {
    #[test]
    fn moved_trees_are_those_that_their_paths_make(
        instance in forwarded(8), spare in 0..=3u32, prediction in any_prediction(), seed: u64,
        moved in prop::collection::vec(any::<Index>(), 0..40),
    ) {
        in_space(&instance, spare, |space| {
            let mut rng = stream(seed);
            let mut trees = trees_of(space, prediction, &admissible_genes(space, &mut rng));
            for moved in moved {
                trees.shift(space, moved.index(space.delivery_count()), &mut rng);
                let mut fresh = Trees::new(space, prediction);
                fresh.load(trees.paths().iter().copied());
                prop_assert_eq!(contents(&trees), contents(&fresh));
                for delivery in 0..space.delivery_count() {
                    let Window { first, end } = trees.window(delivery);
                    prop_assert!(first < end && end <= space.step_count());
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn annealing_keeps_to_its_moves_and_against_long_odds_never_foretells_more(
        instance in forwarded(8), spare in 0..=3u32, prediction in any_prediction(), directed: bool, seed: u64,
    ) {
        in_space(&instance, spare, |space| {
            let mut rng = stream(seed);
            let mut trees = trees_of(space, prediction, &admissible_genes(space, &mut rng));
            let aim = if directed { Aim::Directed } else { Aim::Blind };
            for _ in 0..20 {
                let before = trees.predicted();
                let moves = trees.anneal(space, aim, 3, u32::MAX, &mut rng);
                prop_assert!(trees.predicted() <= before);
                prop_assert!(moves == 3 || trees.predicted() == 0);
            }
            let mut fresh = Trees::new(space, prediction);
            fresh.load(trees.paths().iter().copied());
            prop_assert_eq!(contents(&trees), contents(&fresh));
            Ok(())
        })?;
    }

    #[test]
    fn steps_of_a_schedule_are_in_the_windows_of_its_paths(
        instance in forwarded(8), spare in 0..=3u32, seed: u64,
    ) {
        in_space(&instance, spare, |space| {
            let genes = admissible_genes(space, &mut stream(seed));
            let trees = trees_of(space, Prediction::None, &genes);
            for (delivery, gene) in genes.iter().enumerate() {
                let Window { first, end } = trees.window(delivery);
                prop_assert!((first..end).contains(&gene.step));
            }
            Ok(())
        })?;
    }

    /// Of every schedule, the conflicts are at least those that a matching foretells.
    #[test]
    fn no_more_conflicts_are_foretold_than_there_are(
        instance in forwarded(8), spare in 0..=3u32, seed: u64, chains in 0..300u64,
    ) {
        in_space(&instance, spare, |space| {
            let (mut rng, mut state) = (stream(seed), SearchState::new(space));
            state.load(&admissible_genes(space, &mut rng));
            let options = WalkOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
            Walk::new(space.step_count(), options).run(&mut state, chains, 6, &mut rng);
            let foretold = |prediction| trees_of(space, prediction, state.genes()).predicted();
            prop_assert!(foretold(Prediction::Matching) <= state.conflicts());
            prop_assert!(foretold(Prediction::Published) <= 2 * state.conflicts());
            Ok(())
        })?;
    }
}
