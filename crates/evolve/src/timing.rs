//! First steps for the channels of trees, with which the document's second subproblem begins.

use std::ops::Range;

use rand::{Rng, RngExt};

use crate::space::Gene;
use crate::state::SearchState;
use crate::trees::Trees;

/// Gives every delivery any step that its sender and those behind it leave.
pub(crate) fn give_any_steps(trees: &Trees, state: &mut SearchState, rng: &mut impl Rng) {
    give_steps(trees, state, |_, steps| rng.random_range(steps));
}

/// Gives every delivery the step that it has in these genes, or the nearest that its sender and those behind it leave.
pub(crate) fn keep_steps(trees: &Trees, state: &mut SearchState, genes: &[Gene]) {
    give_steps(trees, state, |delivery, steps| genes[delivery].step.clamp(steps.start, steps.end - 1));
}

/// Gives every delivery the step that is chosen among those behind its sender's and before those it must leave to others.
fn give_steps(trees: &Trees, state: &mut SearchState, mut choose: impl FnMut(usize, Range<u32>) -> u32) {
    let space = trees.space();
    state.clear();
    let mut coming = Vec::new();
    for message in 0..space.message_count() as u32 {
        coming.extend(trees.sent_by(message, space.source(message)));
        while let Some(delivery) = coming.pop() {
            let path = trees.paths()[delivery];
            let ready = state.ready(message, space.sender(path));
            let step = choose(delivery, ready..trees.window(delivery).end);
            state.place(delivery, Gene { path, step });
            coming.extend(trees.behind(delivery));
        }
    }
}

/// Gives every delivery the first step in which its path is free, those first whose windows end first; at the end of its
/// window a delivery is made, conflict or not.
pub(crate) fn give_first_steps(trees: &Trees, state: &mut SearchState, rng: &mut impl Rng) {
    let space = trees.space();
    state.clear();
    // End of the window, a random number that breaks ties, delivery.
    let mut waiting: Vec<(u32, u32, u32)> = Vec::new();
    let mut coming: Vec<usize> = Vec::new();
    for message in 0..space.message_count() as u32 {
        coming.extend(trees.sent_by(message, space.source(message)));
    }
    for step in 0..space.step_count() {
        waiting.extend(coming.drain(..).map(|delivery| (trees.window(delivery).end, rng.random(), delivery as u32)));
        waiting.sort_unstable();
        waiting.retain(|&(end, _, delivery)| {
            let path = trees.paths()[delivery as usize];
            let waits = step + 1 < end && state.cost(path, step) > 0;
            if !waits {
                state.place(delivery as usize, Gene { path, step });
                coming.extend(trees.behind(delivery as usize));
            }
            waits
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::prediction::Prediction;
    use crate::restore::Heuristics;
    use crate::routes::{Choices, ShortestRoutes};
    use crate::space::SearchSpace;
    use crate::strategy::{forwarded, in_space, random_genes, stream};

    /// Trees of any paths, and the genes they are from.
    fn any_trees<'a>(space: &'a SearchSpace, rng: &mut impl Rng, seed: u64) -> (Trees<'a>, Vec<Gene>) {
        let mut genes = random_genes(space, &mut stream(seed));
        Heuristics::new(space).restore(space, &mut genes, rng);
        let mut trees = Trees::new(space, Prediction::None);
        trees.load(genes.iter().map(|gene| gene.path));
        (trees, genes)
    }

    proptest! {
        #[test]
        fn given_steps_are_admissible(instance in forwarded(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let (trees, _) = any_trees(space, &mut rng, seed);
                let mut state = SearchState::new(space);
                give_any_steps(&trees, &mut state, &mut rng);
                prop_assert!(space.is_admissible(state.genes()));
                give_first_steps(&trees, &mut state, &mut rng);
                prop_assert!(space.is_admissible(state.genes()));
                keep_steps(&trees, &mut state, &random_genes(space, &mut rng));
                prop_assert!(space.is_admissible(state.genes()));
                prop_assert!(state.genes().iter().map(|gene| gene.path).eq(trees.paths().iter().copied()));
                Ok(())
            })?;
        }

        #[test]
        fn admissible_steps_are_kept(instance in forwarded(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (trees, genes) = any_trees(space, &mut stream(seed), seed);
                let mut state = SearchState::new(space);
                keep_steps(&trees, &mut state, &genes);
                prop_assert_eq!(state.genes(), genes);
                Ok(())
            })?;
        }

        /// The k-th delivery to be made waits for less than k others.
        #[test]
        fn first_steps_are_without_conflict_where_there_is_a_step_for_every_delivery(
            instance in forwarded(6), seed: u64,
        ) {
            let deliveries = instance.problem().messages().delivery_count() as u32;
            in_space(&instance, deliveries, |space| {
                let (mut rng, routes, mut state) = (stream(seed), ShortestRoutes::new(space), SearchState::new(space));
                let mut trees = Trees::new(space, Prediction::None);
                trees.load((0..space.delivery_count()).map(|delivery| routes.of(delivery)[0]));
                give_first_steps(&trees, &mut state, &mut rng);
                prop_assert_eq!(state.conflicts(), 0);
                Ok(())
            })?;
        }
    }
}
