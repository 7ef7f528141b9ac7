//! Tabu search for a placement of every item, where a placement uses slots in steps.

use std::cmp::Reverse;
use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::direct_paths::{DirectPlacement, ItemPlacement};
use super::usage_board::UsageBoard;

/// Number of items in conflict among which the best move is made.
const CANDIDATES: usize = 3;

/// The tabu tenure: the number of moves for which an item may not return to its placement. Half the number of items in
/// conflict is added.
const TENURE: Range<u32> = 3..10;

/// The maximum number of moves per item.
const MOVES_PER_ITEM: usize = 256;

/// The maximum number of moves.
const MAX_MOVES: usize = 20_000;

/// The maximum number of cells visited by all moves together.
const MAX_VISITS: usize = 1 << 27;

/// Number of moves between two checks of the budget.
const CHECK_INTERVAL: u32 = 64;

/// The maximum number of items, so that an excess fits into 16 bits.
pub(super) const MAX_ITEMS: usize = 1 << 14;

/// Returns a placement of each item without conflicts; `None` if none is found within [`MAX_MOVES`] moves. Takes
/// `O(U + W)` time per move, for `U` used cells and the [work](DirectPlacement::work) `W` of an item. `may_continue`
/// gets the number of cells visited since its last call.
///
/// # Source
///
/// Hertz and de Werra, *Using tabu search techniques for graph coloring* (1987).
pub(super) fn settle(
    items: &mut DirectPlacement<'_>,
    board: &mut UsageBoard,
    rng: &mut impl Rng,
    may_continue: impl Fn(u64) -> bool,
) -> Option<Vec<ItemPlacement>> {
    let mut placed: Vec<Option<ItemPlacement>> = (0..items.count()).map(|_| None).collect();
    let mut order: Vec<usize> = (0..items.count()).collect();
    order.shuffle(rng);
    order.sort_by_key(|&item| Reverse(items.length(item)));
    for item in order {
        let (placement, _) = items.cheapest(board, item, 1, i64::MIN, rng)?;
        board.add(&placement.cells);
        placed[item] = Some(placement);
    }
    let mut placed: Vec<ItemPlacement> = placed.into_iter().collect::<Option<_>>()?;
    let uses: usize = placed.iter().map(|placement| placement.cells.len()).sum();
    let visits = (uses + CANDIDATES * items.work()) as u64;
    if !may_continue((items.count() * items.work()) as u64) {
        return None;
    }
    let allowed = MAX_VISITS / (uses + CANDIDATES * items.work()).max(1);
    let moves = (items.count() * MOVES_PER_ITEM).min(allowed).min(MAX_MOVES) as u32;
    let mut in_conflict = Vec::new();
    let mut least = i64::MAX;
    for now in 1..=moves {
        if now % CHECK_INTERVAL == 0 && !may_continue(u64::from(CHECK_INTERVAL) * visits) {
            return None;
        }
        let conflicts = placed.iter().map(|placement| board.conflicts(&placement.cells)).zip(0..);
        in_conflict.clear();
        in_conflict.extend(conflicts.filter(|&(conflicts, _)| conflicts > 0));
        let total: i64 = in_conflict.iter().map(|&(conflicts, _)| conflicts).sum();
        if total == 0 {
            return Some(placed);
        }
        least = least.min(total);
        let mut best: Option<(i64, usize, ItemPlacement)> = None;
        let (tried, _) = in_conflict.partial_shuffle(rng, CANDIDATES);
        for &mut (conflicts, item) in tried {
            // A conflict counts for both items, so a move that removes it reduces the total twice.
            let enough = conflicts + (least - total + 1).div_euclid(2);
            board.remove(&placed[item].cells);
            let found = items.cheapest(board, item, now, enough, rng);
            board.add(&placed[item].cells);
            if let Some((placement, cost)) = found {
                let change = cost - conflicts;
                if best.as_ref().is_none_or(|(least, ..)| change < *least) {
                    best = Some((change, item, placement));
                }
            }
        }
        if let Some((_, item, placement)) = best {
            let until = now + in_conflict.len() as u32 / 2 + rng.random_range(TENURE);
            items.ban(board, item, &placed[item].cells, until);
            board.remove(&placed[item].cells);
            board.add(&placement.cells);
            placed[item] = placement;
        }
    }
    None
}
