//! The search for a step and a path per message: messages take free steps or displace others.

use lockstep_model::{SlotId, Slots, UserTable};
use lockstep_schedule::{MessageId, Transfer};
use rand::{Rng, RngExt};

use super::free_slots::{FreeSlotSearch, LEVELS, WordLevels, lightest};
use super::path_dag::PathDags;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

/// Marks a message without a step.
const NONE: u32 = u32::MAX;

/// The number of sampled steps in which a message has the fewest full slots on its path.
const SAMPLES: u32 = 8;

/// The number of sampled steps among all.
const RANDOM_SAMPLES: u32 = 2;

/// The number of messages that move at random after an exchange.
const RANDOM_MOVES: u32 = 2;

/// The acceptance probability per unit of lost weight, in parts of [`CERTAIN`]: at the beginning and at the end.
pub(super) type Acceptance = [u64; 2];

/// The acceptance of a search from nothing.
pub(super) const FROM_NOTHING: Acceptance = [40_000, 24_000];

/// The acceptance of a search that continues from a good colouring.
pub(super) const FROM_COLOURING: Acceptance = [14_000, 14_000];

/// The probability 1.
const CERTAIN: u64 = 1 << 16;

/// Number of moves between two checks of the budget.
const CHECK_INTERVAL: u64 = 256;

/// The steps and paths of fixed transfers, in the same form as in [`AnnealingState`].
#[derive(Debug)]
struct FixedPlaces {
    step: Vec<u32>,
    arcs: Vec<u32>,
    arc_count: Vec<u32>,
}

/// A partial colouring: some messages with a step and a path, the others unplaced.
///
/// Invariants: no slot is used beyond its capacity; `occupancy` has the placed messages, and `unplaced` all others.
#[derive(Debug)]
pub(super) struct AnnealingState<'a> {
    dags: &'a PathDags,
    occupancy: UserTable<'a, u64>,
    steps: u32,
    /// The step of each message; [`NONE`] if it is unplaced.
    step: Vec<u32>,
    /// The arcs of each message's path, last arc first, in rows as long as the longest path.
    arcs: Vec<u32>,
    /// Number of arcs in each row.
    arc_count: Vec<u32>,
    /// The steps and paths of fixed transfers, if there are any.
    fixed: Option<FixedPlaces>,
    /// The weight of each message: one more than the number of slots on its shortest path.
    weight: Vec<u32>,
    /// The messages without a step.
    unplaced: Vec<u32>,
    search: FreeSlotSearch,
    /// The levels of each word for the current message.
    levels: Vec<WordLevels>,
    /// The cheapest path so far for the current message.
    best_trail: Vec<u32>,
}

impl<'a> AnnealingState<'a> {
    /// Returns a state without placed messages, for up to `max_steps` steps.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if the tables are too large.
    pub(super) fn new(dags: &'a PathDags, slots: &'a Slots, max_steps: u32) -> Result<Self, MethodError> {
        let messages = dags.message_count();
        let occupancy = UserTable::new(slots, max_steps, messages as u32).ok_or(MethodError::Unsupported)?;
        let arcs = messages
            .checked_mul(dags.longest())
            .filter(|&arcs| arcs <= MAX_TRAIL_ARCS)
            .ok_or(MethodError::Unsupported)?;
        Ok(Self {
            dags,
            occupancy,
            steps: 0,
            step: vec![NONE; messages],
            arcs: vec![0; arcs],
            arc_count: vec![0; messages],
            fixed: None,
            weight: (0..messages as u32).map(|message| 1 + dags.length(message)).collect(),
            unplaced: (0..messages as u32).collect(),
            search: FreeSlotSearch::new(dags),
            levels: vec![[0; LEVELS]; max_steps.div_ceil(u64::BITS) as usize],
            best_trail: Vec::with_capacity(dags.longest()),
        })
    }

    #[inline]
    fn is_free(&self, slot: SlotId, step: u32) -> bool {
        self.occupancy.timetable().is_free(slot, step)
    }

    /// Places the messages of the fixed transfers in the first `steps` steps. No message may be placed yet.
    pub(super) fn place_fixed(&mut self, fixed: FixedTransfers<'_>, steps: u32) {
        self.place(fixed.transfers().take_while(|&(step, _)| step < steps));
        let Self { step, arcs, arc_count, .. } = &*self;
        self.fixed = Some(FixedPlaces { step: step.clone(), arcs: arcs.clone(), arc_count: arc_count.clone() });
    }

    /// Places the messages of transfers, as far as their paths are known and free.
    pub(super) fn place<'b>(&mut self, transfers: impl Iterator<Item = (u32, Transfer<'b>)>) {
        for (step, transfer) in transfers {
            let message = transfer.message.number();
            let is_known = self.dags.trace(message, transfer.path, &mut self.search.trail);
            let is_full = |&arc: &u32| !self.is_free(self.dags.arc(arc).slot, step);
            if is_known && self.step[message as usize] == NONE && !self.search.trail.iter().any(is_full) {
                self.place_on_trail(message, step);
            }
        }
        self.unplaced.retain(|&message| self.step[message as usize] == NONE);
    }

    /// Moves messages back to the steps and paths of their fixed transfers, as far as these are free.
    fn restore_fixed(&mut self) {
        let Some(fixed) = self.fixed.take() else { return };
        let start = |message: u32| message as usize * self.dags.longest();
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for message in 0..self.step.len() as u32 {
                let step = fixed.step[message as usize];
                let arcs = &fixed.arcs[start(message)..start(message) + fixed.arc_count[message as usize] as usize];
                let is_unchanged = self.step[message as usize] == step && self.arcs[self.row(message)] == *arcs;
                if step == NONE || is_unchanged {
                    continue;
                }
                self.remove(message);
                let is_free = arcs.iter().all(|&arc| self.is_free(self.dags.arc(arc).slot, step));
                self.search.trail.clear();
                self.search.trail.extend_from_slice(if is_free { arcs } else { &self.arcs[self.row(message)] });
                self.place_on_trail(message, if is_free { step } else { self.step[message as usize] });
                is_stable &= !is_free;
            }
        }
    }

    /// Removes the messages of a step and of all later ones from their steps.
    pub(super) fn unplace_from(&mut self, step: u32) {
        for message in 0..self.step.len() as u32 {
            if self.step[message as usize] != NONE && self.step[message as usize] >= step {
                self.remove(message);
                self.step[message as usize] = NONE;
                self.unplaced.push(message);
            }
        }
    }

    /// Makes up to `moves` moves at a number of steps, until every message is placed. Returns the number of unplaced
    /// messages.
    pub(super) fn run(
        &mut self,
        steps: u32,
        moves: u64,
        acceptance: Acceptance,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<usize, MethodError> {
        self.steps = steps;
        for number in 0..moves {
            if self.unplaced.is_empty() {
                break;
            }
            if number % CHECK_INTERVAL == 0 {
                context.count(std::mem::take(&mut self.search.work));
                context.check(steps)?;
            }
            let [first, last] = acceptance;
            let acceptance = first - (first - last) * (number / CHECK_INTERVAL) / moves.div_ceil(CHECK_INTERVAL);
            let message = self.unplaced.swap_remove(rng.random_range(0..self.unplaced.len()));
            if !self.place_free(message, rng) {
                self.exchange(message, acceptance, rng);
            }
        }
        context.count(std::mem::take(&mut self.search.work));
        Ok(self.unplaced.len())
    }

    /// Places a message on a free path, if there is one.
    fn place_free(&mut self, message: u32, rng: &mut impl Rng) -> bool {
        let words = self.steps.div_ceil(u64::BITS);
        let first = rng.random_range(0..words);
        for word in (first..words).chain(0..first) {
            let (dag, full) = (self.dags.of(message), self.occupancy.timetable().full_steps(word));
            let existing = self.existing_steps(word);
            let levels = self.search.free_steps(dag, full).map(|steps| steps & existing);
            if levels[0] != 0 {
                let step = word * u64::BITS + nth_one(levels[0], rng.random_range(0..levels[0].count_ones()));
                self.search.trace_free(dag, full, step, rng);
                self.place_on_trail(message, step);
                return true;
            }
            self.levels[word as usize] = levels;
        }
        false
    }

    /// Returns the steps of a word that exist.
    fn existing_steps(&self, word: u32) -> u64 {
        u64::MAX >> (u64::BITS - (self.steps - word * u64::BITS).min(u64::BITS))
    }

    /// Places a message where its conflicts are light and displaces those messages, or rejects the exchange.
    fn exchange(&mut self, message: u32, acceptance: u64, rng: &mut impl Rng) {
        let (weight, step) = self.cheapest_step(message, rng);
        let loss = weight.saturating_sub(self.weight[message as usize].into());
        if !is_accepted(loss, acceptance, rng) {
            self.unplaced.push(message);
            return;
        }
        std::mem::swap(&mut self.search.trail, &mut self.best_trail);
        for index in 0..self.search.trail.len() {
            let slot = self.dags.arc(self.search.trail[index]).slot;
            if !self.is_free(slot, step) {
                let other = lightest(self.occupancy.users(slot, step), &self.weight);
                self.remove(other);
                self.step[other as usize] = NONE;
                self.unplaced.push(other);
            }
        }
        self.place_on_trail(message, step);
        for _ in 0..RANDOM_MOVES {
            self.move_randomly(rng.random_range(0..self.step.len() as u32), rng);
        }
    }

    /// Returns the least weight of conflicts among sampled steps, and the step. Leaves the path in `best_trail`.
    fn cheapest_step(&mut self, message: u32, rng: &mut impl Rng) -> (u64, u32) {
        let dag = self.dags.of(message);
        let levels = &self.levels[..self.steps.div_ceil(u64::BITS) as usize];
        let count = |level: usize| levels.iter().map(|levels| levels[level].count_ones()).sum::<u32>();
        let (level, near) =
            (1..LEVELS).map(|level| (level, count(level))).find(|&(_, near)| near > 0).unwrap_or((0, 0));
        let near_samples = SAMPLES.min(near);
        let mut best = (u64::MAX, 0);
        for sample in 0..near_samples + RANDOM_SAMPLES {
            let step = if sample >= near_samples {
                rng.random_range(0..self.steps)
            } else if near <= SAMPLES {
                nth_step(&self.levels, level, sample)
            } else {
                nth_step(&self.levels, level, rng.random_range(0..near))
            };
            let price = self.search.price(dag, &self.occupancy, step, &self.weight, rng);
            if price < best.0 {
                best = (price, step);
                self.search.trace_cheapest(dag, self.dags);
                std::mem::swap(&mut self.search.trail, &mut self.best_trail);
            }
        }
        best
    }

    /// Moves a placed message to a random free step of a random word.
    fn move_randomly(&mut self, message: u32, rng: &mut impl Rng) {
        let step = self.step[message as usize];
        if step == NONE {
            return;
        }
        self.remove(message);
        let word = rng.random_range(0..self.steps.div_ceil(u64::BITS));
        let (dag, full) = (self.dags.of(message), self.occupancy.timetable().full_steps(word));
        let free = self.search.free_steps(dag, full)[0] & self.existing_steps(word);
        if free == 0 {
            self.search.trail.clear();
            self.search.trail.extend_from_slice(&self.arcs[self.row(message)]);
            self.place_on_trail(message, step);
        } else {
            let step = word * u64::BITS + nth_one(free, rng.random_range(0..free.count_ones()));
            self.search.trace_free(dag, full, step, rng);
            self.place_on_trail(message, step);
        }
    }

    /// Returns the row of a message in `arcs`.
    #[inline]
    fn row(&self, message: u32) -> std::ops::Range<usize> {
        let start = message as usize * self.dags.longest();
        start..start + self.arc_count[message as usize] as usize
    }

    /// Places a message on the path in `trail`, whose slots are not full.
    fn place_on_trail(&mut self, message: u32, step: u32) {
        for &arc in &self.search.trail {
            self.occupancy.add(self.dags.arc(arc).slot, step, message);
        }
        self.step[message as usize] = step;
        self.arc_count[message as usize] = self.search.trail.len() as u32;
        let row = self.row(message);
        self.arcs[row].copy_from_slice(&self.search.trail);
    }

    /// Removes a message from its slots.
    fn remove(&mut self, message: u32) {
        let step = self.step[message as usize];
        for &arc in &self.arcs[self.row(message)] {
            self.occupancy.remove(self.dags.arc(arc).slot, step, message);
        }
    }

    /// Returns the transfers of all messages, which must be placed. Messages move back to the places of their fixed transfers
    /// first, as far as these are free.
    pub(super) fn log(&mut self) -> Result<TransferLog, MethodError> {
        self.restore_fixed();
        let mut log = TransferLog::default();
        let mut path = Vec::with_capacity(self.dags.longest());
        for (message, &step) in (0..).zip(&self.step) {
            path.clear();
            path.extend(self.arcs[self.row(message)].iter().rev().filter_map(|&arc| self.dags.arc(arc).channel));
            log.push(MessageId::new(message), step, &path)?;
        }
        Ok(log)
    }
}

/// The maximum number of arcs of the paths of all messages: 256 MiB.
const MAX_TRAIL_ARCS: usize = 1 << 26;

/// Returns true if an exchange that loses this weight is accepted.
fn is_accepted(loss: u64, acceptance: u64, rng: &mut impl Rng) -> bool {
    let mut chance = CERTAIN * CERTAIN;
    for _ in 0..loss {
        chance = chance * acceptance / CERTAIN;
        if chance == 0 {
            return false;
        }
    }
    u64::from(rng.random::<u32>()) < chance
}

/// Returns the position of a set bit by its rank.
fn nth_one(mut bits: u64, rank: u32) -> u32 {
    for _ in 0..rank {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

/// Returns the step of a rank among the steps of a level in all words.
fn nth_step(words: &[WordLevels], level: usize, mut rank: u32) -> u32 {
    for (word, levels) in (0..).zip(words) {
        let count = levels[level].count_ones();
        if rank < count {
            return word * u64::BITS + nth_one(levels[level], rank);
        }
        rank -= count;
    }
    unreachable!("the rank is below the number of steps")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    proptest! {
        #[test]
        fn the_step_of_a_rank_is_among_those_of_the_level(words: [WordLevels; 3], level in 0..LEVELS) {
            let is_unchanged = |step: u32| words[(step / u64::BITS) as usize][level] >> (step % u64::BITS) & 1 == 1;
            let expected: Vec<u32> = (0..3 * u64::BITS).filter(|&step| is_unchanged(step)).collect();
            let found: Vec<u32> = (0..expected.len() as u32).map(|rank| nth_step(&words, level, rank)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn exchanges_without_loss_are_accepted_and_large_losses_are_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert!((0..1000).all(|_| is_accepted(0, FROM_NOTHING[1], &mut rng)));
        // The probability is below 2^-32.
        assert!((0..1000).all(|_| !is_accepted(50, FROM_NOTHING[0], &mut rng)));
        let accepted = (0..10_000).filter(|_| is_accepted(2, CERTAIN / 2, &mut rng)).count();
        // A quarter of them, within ten standard deviations.
        assert!(accepted.abs_diff(2500) < 440, "{accepted}");
    }
}
