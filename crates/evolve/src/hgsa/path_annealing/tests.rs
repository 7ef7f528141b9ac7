use proptest::prelude::*;
use proptest::sample::Index;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::hgsa::window::Window;
use crate::local_search::{EjectionChainOptions, EjectionChainSearch};
use crate::space::Gene;
use crate::state::SearchState;
use crate::strategy::{forwarded, in_space, random_genes, stream};
use crate::umda::FeasibilityRepair;

fn any_prediction() -> impl Strategy<Value = Prediction> {
    prop_oneof![Just(Prediction::None), Just(Prediction::Published), Just(Prediction::Matching)]
}

fn admissible_genes(space: &SearchSpace, rng: &mut ChaCha8Rng) -> Vec<Gene> {
    let mut genes = random_genes(space, rng);
    FeasibilityRepair::new(space).repair(space, &mut genes, rng);
    genes
}

fn annealing_of<'a>(space: &'a SearchSpace, prediction: Prediction, genes: &[Gene]) -> PathAnnealing<'a> {
    let mut annealing = PathAnnealing::new(space, prediction);
    annealing.load(genes.iter().map(|gene| gene.path));
    annealing
}

/// Everything that follows from the paths.
fn contents(annealing: &PathAnnealing) -> impl PartialEq + std::fmt::Debug {
    (annealing.trees.contents(), annealing.conflicts.contents())
}

proptest! {
    #[test]
    fn incremental_tables_equal_those_of_the_loaded_paths(
        instance in forwarded(8), spare in 0..=3u32, prediction in any_prediction(), seed: u64,
        moved in prop::collection::vec(any::<Index>(), 0..40),
    ) {
        in_space(&instance, spare, |space| {
            let mut rng = stream(seed);
            let mut annealing = annealing_of(space, prediction, &admissible_genes(space, &mut rng));
            for moved in moved {
                annealing.perturb(space, moved.index(space.delivery_count()), &mut rng);
                let mut fresh = PathAnnealing::new(space, prediction);
                fresh.load(annealing.trees().paths().iter().copied());
                prop_assert_eq!(contents(&annealing), contents(&fresh));
                for delivery in 0..space.delivery_count() {
                    let Window { first, end } = annealing.trees().window(delivery);
                    prop_assert!(first < end && end <= space.step_count());
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn annealing_tries_its_moves_and_at_low_temperature_never_predicts_more(
        instance in forwarded(8), spare in 0..=3u32, prediction in any_prediction(), directed: bool, seed: u64,
    ) {
        in_space(&instance, spare, |space| {
            let mut rng = stream(seed);
            let mut annealing = annealing_of(space, prediction, &admissible_genes(space, &mut rng));
            let origin = if directed { MoveOrigin::Conflicts } else { MoveOrigin::Anywhere };
            for _ in 0..20 {
                let before = annealing.predicted();
                let moves = annealing.anneal(space, origin, 3, u32::MAX, &mut rng);
                prop_assert!(annealing.predicted() <= before);
                prop_assert!(moves == 3 || annealing.predicted() == 0);
            }
            let mut fresh = PathAnnealing::new(space, prediction);
            fresh.load(annealing.trees().paths().iter().copied());
            prop_assert_eq!(contents(&annealing), contents(&fresh));
            Ok(())
        })?;
    }

    #[test]
    fn steps_of_a_schedule_are_in_the_windows_of_its_paths(
        instance in forwarded(8), spare in 0..=3u32, seed: u64,
    ) {
        in_space(&instance, spare, |space| {
            let genes = admissible_genes(space, &mut stream(seed));
            let annealing = annealing_of(space, Prediction::None, &genes);
            for (delivery, gene) in genes.iter().enumerate() {
                let Window { first, end } = annealing.trees().window(delivery);
                prop_assert!((first..end).contains(&gene.step));
            }
            Ok(())
        })?;
    }

    /// Every schedule has at least the conflicts that a matching predicts.
    #[test]
    fn no_more_conflicts_are_predicted_than_there_are(
        instance in forwarded(8), spare in 0..=3u32, seed: u64, chains in 0..300u64,
    ) {
        in_space(&instance, spare, |space| {
            let (mut rng, mut state) = (stream(seed), SearchState::new(space));
            state.load(&admissible_genes(space, &mut rng));
            let options = EjectionChainOptions { chain_length: 8, sampled_paths: 16, short_draws: 4 };
            EjectionChainSearch::new(space.step_count(), options).run(&mut state, chains, 6, &mut rng);
            let predicted = |prediction| annealing_of(space, prediction, state.genes()).predicted();
            prop_assert!(predicted(Prediction::Matching) <= state.conflicts());
            prop_assert!(predicted(Prediction::Published) <= 2 * state.conflicts());
            Ok(())
        })?;
    }
}
