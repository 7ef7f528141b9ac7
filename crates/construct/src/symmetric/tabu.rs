//! Conflict-free choice of a path and a step for every pair, by tabu search.

use rand::{Rng, RngExt};
use rand::seq::SliceRandom;

use super::direct::Choices;

/// Pairs in conflict of which the best move is made.
const TRIED: usize = 6;

/// A path and a step for each pair so that no slot is used more often than it can, or `None` after so many moves.
pub(super) fn colour(
    choices: &Choices,
    capacity: &[u16],
    steps: usize,
    moves: u64,
    rng: &mut impl Rng,
    mut goes_on: impl FnMut() -> bool,
) -> Option<Vec<(usize, usize)>> {
    let mut table = Table { steps, capacity, uses: vec![0; capacity.len() * steps] };
    let mut placed: Vec<(usize, usize)> = vec![(0, 0); choices.len()];
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.shuffle(rng);
    order.sort_by_key(|&pair| std::cmp::Reverse(choices.slots(choices.of(pair).start).len()));
    let mut excess = vec![0; steps];
    let mut banned = vec![0u64; choices.len() * steps];
    for &pair in &order {
        let best = table.cheapest(choices, pair, &mut excess, |_, _| true, rng).expect("nothing is banned");
        placed[pair] = (best.path, best.step);
        table.change(choices, placed[pair], 1);
    }
    let mut total: u32 = (0..choices.len()).map(|pair| table.conflicts(choices, placed[pair])).sum::<u32>() / 2;
    let mut least = total;
    let mut in_conflict = Vec::new();
    for now in 1..=moves {
        in_conflict.clear();
        in_conflict.extend((0..choices.len()).filter(|&pair| table.conflicts(choices, placed[pair]) > 0));
        if in_conflict.is_empty() {
            return Some(placed);
        }
        if now % 256 == 0 && !goes_on() {
            return None;
        }
        let mut best: Option<(i64, usize, Move)> = None;
        let tried = TRIED.min(in_conflict.len());
        for place in 0..tried {
            let other = rng.random_range(place..in_conflict.len());
            in_conflict.swap(place, other);
            let pair = in_conflict[place];
            let before = i64::from(table.conflicts(choices, placed[pair]));
            table.change(choices, placed[pair], -1);
            let old = placed[pair];
            let is_allowed = |step: usize, cost: u32| {
                (step != old.1 || true)
                    && (banned[pair * steps + step] <= now || i64::from(total) - before + i64::from(cost) < i64::from(least))
            };
            let found = table.cheapest(choices, pair, &mut excess, is_allowed, rng);
            table.change(choices, placed[pair], 1);
            if let Some(found) = found {
                let gain = i64::from(found.cost) - before;
                if best.as_ref().is_none_or(|best| gain < best.0) {
                    best = Some((gain, pair, found));
                }
            }
        }
        if let Some((gain, pair, found)) = best {
            banned[pair * steps + placed[pair].1] = now + 5 + rng.random_range(0..10 + in_conflict.len() as u64 / 2);
            table.change(choices, placed[pair], -1);
            placed[pair] = (found.path, found.step);
            table.change(choices, placed[pair], 1);
            total = (i64::from(total) + gain) as u32;
            least = least.min(total);
        }
    }
    if std::env::var("SYMM").is_ok() { println!("least {least} now {total}"); }
    None
}

struct Move {
    path: usize,
    step: usize,
    cost: u32,
}

/// How often each slot is used in each step.
struct Table<'a> {
    steps: usize,
    capacity: &'a [u16],
    uses: Vec<u16>,
}

impl Table<'_> {
    fn change(&mut self, choices: &Choices, (path, step): (usize, usize), by: i16) {
        for &slot in choices.slots(path) {
            let uses = &mut self.uses[slot as usize * self.steps + step];
            *uses = uses.wrapping_add_signed(by);
        }
    }

    /// Uses beyond the capacities of a placed path.
    fn conflicts(&self, choices: &Choices, (path, step): (usize, usize)) -> u32 {
        let excess = |&slot: &u32| {
            u32::from(self.uses[slot as usize * self.steps + step].saturating_sub(self.capacity[slot as usize]))
        };
        choices.slots(path).iter().map(excess).sum()
    }

    fn cheapest(
        &self,
        choices: &Choices,
        pair: usize,
        excess: &mut [u16],
        is_allowed: impl Fn(usize, u32) -> bool,
        rng: &mut impl Rng,
    ) -> Option<Move> {
        let mut best: Option<Move> = None;
        let mut ties = 0;
        for path in choices.of(pair) {
            excess.fill(0);
            for &slot in choices.slots(path) {
                let row = &self.uses[slot as usize * self.steps..][..self.steps];
                let room = self.capacity[slot as usize] - 1;
                for (sum, &uses) in excess.iter_mut().zip(row) {
                    *sum += uses.saturating_sub(room);
                }
            }
            for (step, &cost) in excess.iter().enumerate() {
                let cost = u32::from(cost);
                let least = best.as_ref().map_or(u32::MAX, |best| best.cost);
                if cost > least || !is_allowed(step, cost) {
                    continue;
                }
                ties = if cost < least { 1 } else { ties + 1 };
                if ties == 1 || rng.random_range(0..ties) == 0 {
                    best = Some(Move { path, step, cost });
                }
            }
        }
        best
    }
}
