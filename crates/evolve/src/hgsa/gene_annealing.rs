//! Simulated annealing of genes at falling temperatures.

use rand::{Rng, RngExt};

use crate::local_search::{EjectionChainSearch, PathChoices, accepts};
use crate::space::Gene;
use crate::state::SearchState;

/// The falling temperatures of an annealing, as odds against keeping a move that adds a conflict.
const COOLING: [u32; 6] = [3, 6, 12, 24, 48, u32::MAX];

/// Anneals steps, or paths and steps together where deliveries have several paths, by ejection chains or random moves;
/// returns the number of moves.
pub(super) fn anneal_genes(
    choices: &impl PathChoices,
    state: &mut SearchState,
    mut search: Option<&mut EjectionChainSearch>,
    moves: u64,
    rng: &mut impl Rng,
) -> u64 {
    let anneal = |(odds, moves)| match &mut search {
        Some(search) => search.run_among(choices, state, moves, odds, rng),
        None => move_randomly(choices, state, moves, odds, rng),
    };
    cooling(moves).map(anneal).sum()
}

/// Returns the temperatures in falling order, with equal numbers of moves.
pub(super) fn cooling(moves: u64) -> impl Iterator<Item = (u32, u64)> {
    let stages = COOLING.len() as u64;
    (0..stages).zip(COOLING).map(move |(stage, odds)| (odds, moves * (stage + 1) / stages - moves * stage / stages))
}

/// Assigns random deliveries random paths and steps until no conflict is left or `moves` are tried; returns the number
/// of moves.
///
/// In each step, the sender holds the message, and the receiver does not forward it earlier.
fn move_randomly(
    choices: &impl PathChoices,
    state: &mut SearchState,
    moves: u64,
    uphill_odds: u32,
    rng: &mut impl Rng,
) -> u64 {
    let space = state.space();
    for tried in 0..moves {
        if state.conflicts() == 0 {
            return tried;
        }
        let delivery = rng.random_range(0..space.delivery_count());
        let paths = choices.of(delivery);
        let path = paths[rng.random_range(0..paths.len())];
        let message = space.message(delivery);
        let steps = state.ready(message, space.sender(path))..state.first_forwarded(message, space.receiver(delivery));
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

    proptest! {
        #[test]
        fn cooling_distributes_all_moves_and_ends_at_the_lowest_temperature(moves in 0..1000u64) {
            let stages: Vec<_> = cooling(moves).collect();
            prop_assert_eq!(stages.iter().map(|&(_, moves)| moves).sum::<u64>(), moves);
            prop_assert!(stages.is_sorted());
            prop_assert_eq!(stages.last().map(|&(odds, _)| odds), Some(u32::MAX));
        }
    }
}
