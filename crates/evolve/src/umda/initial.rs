//! Individuals of the first generation.

use rand::{Rng, RngExt};

use super::port_balance::PortBalance;
use super::shuffle::shuffle;
use crate::space::{Gene, SearchSpace};
use crate::state::SearchState;

/// Draws a random individual of a scatter: any path and any step, then balanced over the ports.
pub(super) fn draw_scatter(space: &SearchSpace, ports: &mut PortBalance, rng: &mut impl Rng) -> Vec<Gene> {
    let mut genes: Vec<Gene> = (0..space.delivery_count())
        .map(|delivery| {
            let candidates = space.candidates(delivery);
            let path = candidates[rng.random_range(0..candidates.len())];
            Gene { path, step: rng.random_range(0..space.step_count()) }
        })
        .collect();
    ports.balance(space, &mut genes, rng);
    genes
}

/// Draws a random individual of a broadcast into `state`.
///
/// Messages come in random order, and the receivers near the source first. Each delivery takes the earliest free step
/// of a nearest sender that holds the message. If there is none, it takes a random step with a conflict, early enough
/// for the receivers behind it.
pub(super) fn draw_broadcast(state: &mut SearchState, rng: &mut impl Rng) {
    let space = state.space();
    let words = (space.step_count() as usize).div_ceil(64);
    let mut scratch = [vec![0; words], vec![0; words]];
    state.clear();
    let mut messages: Vec<u32> = (0..space.message_count() as u32).collect();
    shuffle(&mut messages, rng);
    let mut order = Vec::new();
    for message in messages {
        order.clear();
        order.extend(space.deliveries_of(message).map(|delivery| delivery as u32));
        shuffle(&mut order, rng);
        order.sort_by_key(|&delivery| space.distance(delivery as usize));
        for &delivery in &order {
            let gene = first_free(state, delivery as usize, &mut scratch, rng);
            state.place(delivery as usize, gene);
        }
    }
}

/// Returns the earliest free step of a nearest sender that holds the message, otherwise a random step with a conflict.
fn first_free(state: &SearchState, delivery: usize, scratch: &mut [Vec<u64>; 2], rng: &mut impl Rng) -> Gene {
    let space = state.space();
    let message = space.message(delivery);
    let end = space.deadline(delivery);
    let candidates = space.candidates(delivery);
    let length = |path| space.resources(path).len();
    let [one, two] = scratch;
    let (mut best, mut ties): (Option<Gene>, u32) = (None, 0);
    let (mut informed_path, mut informed_count) = (candidates[0], 0);
    for &path in candidates {
        if best.is_some_and(|gene| length(gene.path) < length(path)) {
            break;
        }
        let ready = state.ready(message, space.sender(path));
        if ready >= end {
            continue;
        }
        informed_count += 1;
        if rng.random_range(0..informed_count) == 0 {
            informed_path = path;
        }
        state.full_steps(path, one, two);
        let free = (ready..end).find(|step| one[*step as usize / 64] >> (step % 64) & 1 == 0);
        let Some(step) = free else { continue };
        let earlier = best.is_none_or(|gene| step < gene.step);
        let level = best.is_some_and(|gene| step == gene.step);
        ties = if earlier { 1 } else { ties + u32::from(level) };
        if earlier || (level && rng.random_range(0..ties) == 0) {
            best = Some(Gene { path, step });
        }
    }
    best.unwrap_or_else(|| {
        let ready = state.ready(message, space.sender(informed_path));
        Gene { path: informed_path, step: rng.random_range(ready..end) }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::Evaluator;
    use crate::strategy::{in_space, searchable, searchable_broadcast, stream};

    proptest! {
        #[test]
        fn initial_individuals_are_admissible(instance in searchable(8), spare in 0..=3u32, seed: u64) {
            in_space(&instance, spare, |space| {
                let (mut rng, mut state) = (stream(seed), SearchState::new(space));
                if space.is_broadcast() {
                    draw_broadcast(&mut state, &mut rng);
                    prop_assert_eq!(state.conflicts(), Evaluator::new(space).conflicts(state.genes()));
                } else {
                    state.load(&draw_scatter(space, &mut PortBalance::new(space), &mut rng));
                }
                prop_assert!(space.is_admissible(state.genes()));
                Ok(())
            })?;
        }

        /// The k-th delivery finds a free slot in the first k steps.
        #[test]
        fn a_broadcast_with_a_step_for_every_delivery_begins_without_conflict(
            instance in searchable_broadcast(6), seed: u64,
        ) {
            let deliveries = instance.problem().messages().delivery_count() as u32;
            in_space(&instance, deliveries, |space| {
                let mut state = SearchState::new(space);
                draw_broadcast(&mut state, &mut stream(seed));
                prop_assert_eq!(state.conflicts(), 0);
                Ok(())
            })?;
        }
    }
}
