//! Initial steps for given paths: the start of the second subproblem.

use std::ops::Range;

use rand::{Rng, RngExt};

use super::message_trees::MessageTrees;
use crate::space::Gene;
use crate::state::SearchState;

/// Assigns every delivery a random step of those that its sender and its descendants leave.
pub(super) fn assign_random_steps(trees: &MessageTrees, state: &mut SearchState, rng: &mut impl Rng) {
    assign_steps(trees, state, |_, steps| rng.random_range(steps));
}

/// Assigns every delivery its step in these genes, or the nearest step that its sender and its descendants leave.
pub(super) fn keep_steps(trees: &MessageTrees, state: &mut SearchState, genes: &[Gene]) {
    assign_steps(trees, state, |delivery, steps| genes[delivery].step.clamp(steps.start, steps.end - 1));
}

/// Assigns every delivery the step that `choose` selects from the steps after its sender's and before its descendants'.
fn assign_steps(trees: &MessageTrees, state: &mut SearchState, mut choose: impl FnMut(usize, Range<u32>) -> u32) {
    let space = trees.space();
    state.clear();
    let mut next = Vec::new();
    for message in 0..space.message_count() as u32 {
        next.extend(trees.sent_by(message, space.source(message)));
        while let Some(delivery) = next.pop() {
            let path = trees.paths()[delivery];
            let ready = state.ready(message, space.sender(path));
            let step = choose(delivery, ready..trees.window(delivery).end);
            state.place(delivery, Gene { path, step });
            next.extend(trees.children(delivery));
        }
    }
}

/// Assigns every delivery the first step in which its path is free, in the order of the ends of their windows.
///
/// A delivery at the end of its window is placed even with a conflict.
pub(super) fn assign_first_steps(trees: &MessageTrees, state: &mut SearchState, rng: &mut impl Rng) {
    let space = trees.space();
    state.clear();
    // End of the window, a random number that breaks ties, delivery.
    let mut waiting: Vec<(u32, u32, u32)> = Vec::new();
    let mut next: Vec<usize> = Vec::new();
    for message in 0..space.message_count() as u32 {
        next.extend(trees.sent_by(message, space.source(message)));
    }
    for step in 0..space.step_count() {
        waiting.extend(next.drain(..).map(|delivery| (trees.window(delivery).end, rng.random(), delivery as u32)));
        waiting.sort_unstable();
        waiting.retain(|&(end, _, delivery)| {
            let path = trees.paths()[delivery as usize];
            let waits = step + 1 < end && state.cost(path, step) > 0;
            if !waits {
                state.place(delivery as usize, Gene { path, step });
                next.extend(trees.children(delivery as usize));
            }
            waits
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::local_search::{PathChoices, ShortestPathChoices};
    use crate::space::SearchSpace;
    use crate::strategy::{forwarded, in_space, random_genes, stream};
    use crate::umda::FeasibilityRepair;

    /// Trees of random paths, and their genes.
    fn any_trees<'a>(space: &'a SearchSpace, rng: &mut impl Rng, seed: u64) -> (MessageTrees<'a>, Vec<Gene>) {
        let mut genes = random_genes(space, &mut stream(seed));
        FeasibilityRepair::new(space).repair(space, &mut genes, rng);
        let mut trees = MessageTrees::new(space);
        trees.load(genes.iter().map(|gene| gene.path));
        (trees, genes)
    }

    proptest! {
        #[test]
        fn assigned_steps_are_admissible(instance in forwarded(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let mut rng = stream(seed);
                let (trees, _) = any_trees(space, &mut rng, seed);
                let mut state = SearchState::new(space);
                assign_random_steps(&trees, &mut state, &mut rng);
                prop_assert!(space.is_admissible(state.genes()));
                assign_first_steps(&trees, &mut state, &mut rng);
                prop_assert!(space.is_admissible(state.genes()));
                keep_steps(&trees, &mut state, &random_genes(space, &mut rng));
                prop_assert!(space.is_admissible(state.genes()));
                prop_assert!(state.genes().iter().map(|gene| gene.path).eq(trees.paths().iter().copied()));
                Ok(())
            })?;
        }

        #[test]
        fn admissible_steps_do_not_change(instance in forwarded(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (trees, genes) = any_trees(space, &mut stream(seed), seed);
                let mut state = SearchState::new(space);
                keep_steps(&trees, &mut state, &genes);
                prop_assert_eq!(state.genes(), genes);
                Ok(())
            })?;
        }

        /// The k-th delivery waits for fewer than k others.
        #[test]
        fn first_steps_are_without_conflict_where_there_is_a_step_for_every_delivery(
            instance in forwarded(6), seed: u64,
        ) {
            let deliveries = instance.problem().messages().delivery_count() as u32;
            in_space(&instance, deliveries, |space| {
                let (mut rng, choices, mut state) =
                    (stream(seed), ShortestPathChoices::new(space), SearchState::new(space));
                let mut trees = MessageTrees::new(space);
                trees.load((0..space.delivery_count()).map(|delivery| choices.of(delivery)[0]));
                assign_first_steps(&trees, &mut state, &mut rng);
                prop_assert_eq!(state.conflicts(), 0);
                Ok(())
            })?;
        }
    }
}
