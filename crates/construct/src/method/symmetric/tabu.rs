//! Tabu search for a place for every item, where places take uses of slots in steps.

use std::cmp::Reverse;
use std::ops::Range;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::quotient::OrbitSlot;

/// Items in conflict of which the best move is made.
const TRIED: usize = 3;

/// Moves for which an item does not come back to where it was in conflict, beside one for every other item in conflict.
const TENURE: Range<u32> = 3..10;

/// The most moves, for each item and for all, and the most cells looked at by all moves together.
const MOVES_OF_AN_ITEM: usize = 256;
const MOVES: usize = 20_000;
const WORK: usize = 1 << 27;

/// Moves between looks at the clock.
const PATIENCE: u32 = 64;

/// The most items, so that excesses stay small numbers.
pub(super) const MAX_ITEMS: usize = 1 << 14;

/// A slot in a step.
pub(super) type UsageCell = u32;

/// How often each slot is used in each step.
///
/// Memory: 2 bytes a slot and step.
#[derive(Debug)]
pub(super) struct UsageBoard {
    steps: usize,
    /// By how much one more use of each cell would be too many; below 1 there is room.
    excess: Vec<i16>,
}

impl UsageBoard {
    /// Empty, for slots that can be used so often in a step.
    pub(super) fn new(capacities: &[i16], steps: usize) -> Self {
        let row = |&capacity: &i16| std::iter::repeat_n(1 - capacity, steps);
        Self { steps, excess: capacities.iter().flat_map(row).collect() }
    }

    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    pub(super) fn step(&self, cell: UsageCell) -> usize {
        cell as usize % self.steps
    }

    pub(super) fn cell(&self, slot: OrbitSlot, step: usize) -> UsageCell {
        (slot as usize * self.steps + step) as UsageCell
    }

    /// The excess of a slot in each step.
    #[inline]
    pub(super) fn row(&self, slot: OrbitSlot) -> &[i16] {
        &self.excess[slot as usize * self.steps..][..self.steps]
    }

    /// Whether the cell is used more often than it can be.
    pub(super) fn is_over(&self, cell: UsageCell) -> bool {
        self.excess[cell as usize] > 1
    }

    fn conflicts(&self, cells: &[UsageCell]) -> i64 {
        cells.iter().map(|cell| i64::from((self.excess[*cell as usize] - 1).max(0))).sum()
    }

    fn add(&mut self, cells: &[UsageCell]) {
        for &cell in cells {
            self.excess[cell as usize] += 1;
        }
    }

    fn remove(&mut self, cells: &[UsageCell]) {
        for &cell in cells {
            self.excess[cell as usize] -= 1;
        }
    }
}

/// Where an item is.
#[derive(Clone, Debug)]
pub(super) struct Placement<R> {
    /// What it uses, each cell once.
    pub(super) cells: Vec<UsageCell>,
    pub(super) route: R,
}

/// Items and the places they can take.
pub(super) trait PlacementItems {
    /// What tells the places of an item from each other, beside what they use.
    type Route;

    /// Number of items, at most [`MAX_ITEMS`].
    fn count(&self) -> usize;

    /// What is looked at to place an item, on average.
    fn work(&self) -> usize;

    /// Cells that the place of an item uses, about.
    fn length(&self, item: usize) -> usize;

    /// A place of an item with the least excess, and how much, among those that are not banned at this time or have
    /// less than `enough`; of equals any.
    fn cheapest(
        &mut self,
        board: &UsageBoard,
        item: usize,
        now: u32,
        enough: i64,
        rng: &mut impl Rng,
    ) -> Option<(Placement<Self::Route>, i64)>;

    /// Bans what uses these cells too often from an item.
    fn ban(&mut self, board: &UsageBoard, item: usize, cells: &[UsageCell], until: u32);
}

/// A place for each item, so that no cell is used too often; `None` if so many [`MOVES`] do not lead there.
///
/// **Source**: Hertz and de Werra, *Using tabu search techniques for graph coloring* (1987).
pub(super) fn settle<I: PlacementItems>(
    items: &mut I,
    board: &mut UsageBoard,
    rng: &mut impl Rng,
    goes_on: impl Fn() -> bool,
) -> Option<Vec<Placement<I::Route>>> {
    let mut placed: Vec<Option<Placement<I::Route>>> = (0..items.count()).map(|_| None).collect();
    let mut order: Vec<usize> = (0..items.count()).collect();
    order.shuffle(rng);
    order.sort_by_key(|&item| Reverse(items.length(item)));
    for item in order {
        let (place, _) = items.cheapest(board, item, 1, i64::MIN, rng)?;
        board.add(&place.cells);
        placed[item] = Some(place);
    }
    let mut placed: Vec<Placement<I::Route>> = placed.into_iter().collect::<Option<_>>()?;
    let uses: usize = placed.iter().map(|place| place.cells.len()).sum();
    let allowed = WORK / (uses + TRIED * items.work()).max(1);
    let moves = (items.count() * MOVES_OF_AN_ITEM).min(allowed).min(MOVES) as u32;
    let mut in_conflict = Vec::new();
    let mut least = i64::MAX;
    for now in 1..=moves {
        if now % PATIENCE == 0 && !goes_on() {
            return None;
        }
        let conflicts = placed.iter().map(|place| board.conflicts(&place.cells)).zip(0..);
        in_conflict.clear();
        in_conflict.extend(conflicts.filter(|&(conflicts, _)| conflicts > 0));
        let total: i64 = in_conflict.iter().map(|&(conflicts, _)| conflicts).sum();
        if total == 0 {
            return Some(placed);
        }
        least = least.min(total);
        let mut best: Option<(i64, usize, Placement<I::Route>)> = None;
        let (tried, _) = in_conflict.partial_shuffle(rng, TRIED);
        for &mut (conflicts, item) in tried {
            // An item takes its conflicts away from those that it meets, too, so they count twice.
            let enough = conflicts + (least - total + 1).div_euclid(2);
            board.remove(&placed[item].cells);
            let found = items.cheapest(board, item, now, enough, rng);
            board.add(&placed[item].cells);
            if let Some((place, cost)) = found {
                let change = cost - conflicts;
                if best.as_ref().is_none_or(|(least, ..)| change < *least) {
                    best = Some((change, item, place));
                }
            }
        }
        if let Some((_, item, place)) = best {
            let until = now + in_conflict.len() as u32 / 2 + rng.random_range(TENURE);
            items.ban(board, item, &placed[item].cells, until);
            board.remove(&placed[item].cells);
            board.add(&place.cells);
            placed[item] = place;
        }
    }
    None
}
