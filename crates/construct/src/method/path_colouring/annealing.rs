//! The search for steps and ways: messages are put in their places and put others out.

use lockstep_schedule::MessageId;
use rand::{Rng, RngExt};

use super::free_slots::{BlockLevels, FreeSlotSearch, LEVELS, lightest};
use super::occupancy::{NOBODY, Occupancy, WORD};
use super::path_dag::PathDags;
use crate::kit::capacities::Capacities;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

/// Steps looked at where a message has the fewest full slots in its way.
const SAMPLES: u32 = 8;

/// Steps looked at wherever they are.
const WILD_SAMPLES: u32 = 2;

/// Messages that change their places at random after an exchange.
const SHIFTS: u32 = 2;

/// The odds, in parts of [`CERTAIN`], that an exchange is kept for each unit of weight that it loses: at first and at
/// last.
const ODDS: [u64; 2] = [40_000, 24_000];

/// Odds of 1.
const CERTAIN: u64 = 1 << 16;

/// Moves between two looks at the budget.
const STRIDE: u64 = 256;

/// Places to which messages belong, in the same form as those where they are.
#[derive(Debug)]
struct FixedPlaces {
    step: Vec<u32>,
    arcs: Vec<u32>,
    arc_count: Vec<u32>,
}

/// Some messages in places where no slot is used more often than it can be, the others out.
#[derive(Debug)]
pub(super) struct AnnealingState<'a> {
    ways: &'a PathDags,
    timetable: Occupancy<'a>,
    steps: u32,
    /// The step of each message, or [`NOBODY`].
    step: Vec<u32>,
    /// The arcs of each message's way from its end, in rows as long as the longest way.
    arcs: Vec<u32>,
    arc_count: Vec<u32>,
    /// The place that is kept for each message, or nothing if none is for any.
    home: Option<FixedPlaces>,
    /// How hard each message is to place: the slots it takes, and one more.
    weight: Vec<u32>,
    /// The messages that are out.
    out: Vec<u32>,
    reach: FreeSlotSearch,
    /// The levels of each word for the message at hand.
    levels: Vec<BlockLevels>,
    best_trail: Vec<u32>,
}

impl<'a> AnnealingState<'a> {
    /// All messages out. There will be `max_steps` at most.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if it were too large.
    pub(super) fn new(ways: &'a PathDags, capacities: &'a Capacities, max_steps: u32) -> Result<Self, MethodError> {
        let messages = ways.message_count();
        let timetable = Occupancy::new(capacities, max_steps)?;
        let arcs =
            messages.checked_mul(ways.longest()).filter(|&arcs| arcs <= MAX_TRAILS).ok_or(MethodError::Unsupported)?;
        Ok(Self {
            ways,
            timetable,
            steps: 0,
            step: vec![NOBODY; messages],
            arcs: vec![0; arcs],
            arc_count: vec![0; messages],
            home: None,
            weight: (0..messages as u32).map(|message| 1 + ways.length(message)).collect(),
            out: (0..messages as u32).collect(),
            reach: FreeSlotSearch::new(ways),
            levels: vec![[0; LEVELS]; max_steps.div_ceil(WORD) as usize],
            best_trail: Vec::with_capacity(ways.longest()),
        })
    }

    /// Puts messages where they are kept, as far as that is among the first `steps`; before anything else.
    pub(super) fn keep(&mut self, kept: FixedTransfers<'_>, steps: u32) {
        for (step, made) in kept.transfers().take_while(|&(step, _)| step < steps) {
            let message = made.message.number();
            let is_known = self.ways.trace(message, made.path, &mut self.reach.trail);
            let is_full = |&arc: &u32| self.timetable.is_full(self.ways.arc(arc).slot, step);
            if is_known && self.step[message as usize] == NOBODY && !self.reach.trail.iter().any(is_full) {
                self.put(message, step);
            }
        }
        self.out.retain(|&message| self.step[message as usize] == NOBODY);
        let Self { step, arcs, arc_count, .. } = &*self;
        self.home = Some(FixedPlaces { step: step.clone(), arcs: arcs.clone(), arc_count: arc_count.clone() });
    }

    /// Puts messages back where they are kept, as far as there is room.
    fn go_home(&mut self) {
        let Some(home) = self.home.take() else { return };
        let start = |message: u32| message as usize * self.ways.longest();
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for message in 0..self.step.len() as u32 {
                let step = home.step[message as usize];
                let arcs = &home.arcs[start(message)..start(message) + home.arc_count[message as usize] as usize];
                let is_there = self.step[message as usize] == step && self.arcs[self.row(message)] == *arcs;
                if step == NOBODY || is_there {
                    continue;
                }
                self.lift(message);
                let is_free = arcs.iter().all(|&arc| !self.timetable.is_full(self.ways.arc(arc).slot, step));
                self.reach.trail.clear();
                self.reach.trail.extend_from_slice(if is_free { arcs } else { &self.arcs[self.row(message)] });
                self.put(message, if is_free { step } else { self.step[message as usize] });
                is_settled &= !is_free;
            }
        }
    }

    /// Makes some moves with so many steps, or fewer if no message is left out; messages left out.
    pub(super) fn run(
        &mut self,
        steps: u32,
        moves: u64,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<usize, MethodError> {
        self.steps = steps;
        for number in 0..moves {
            if self.out.is_empty() {
                break;
            }
            if number % STRIDE == 0 {
                context.check(steps)?;
            }
            let odds = ODDS[0] - (ODDS[0] - ODDS[1]) * (number / STRIDE) / moves.div_ceil(STRIDE);
            let message = self.out.swap_remove(rng.random_range(0..self.out.len()));
            if !self.place_free(message, rng) {
                self.exchange(message, odds, rng);
            }
        }
        Ok(self.out.len())
    }

    /// Places a message where nobody is in its way, if that can be.
    fn place_free(&mut self, message: u32, rng: &mut impl Rng) -> bool {
        let words = self.steps.div_ceil(WORD);
        let first = rng.random_range(0..words);
        for word in (first..words).chain(0..first) {
            let (way, full) = (self.ways.of(message), self.timetable.full(word));
            let open = self.open(word);
            let levels = self.reach.search(way, full).map(|steps| steps & open);
            if levels[0] != 0 {
                let step = word * WORD + nth_one(levels[0], rng.random_range(0..levels[0].count_ones()));
                self.reach.follow_free(way, full, step, rng);
                self.put(message, step);
                return true;
            }
            self.levels[word as usize] = levels;
        }
        false
    }

    /// The steps of a word that there are.
    fn open(&self, word: u32) -> u64 {
        u64::MAX >> (WORD - (self.steps - word * WORD).min(WORD))
    }

    /// Places a message where those in its way weigh little, and these out; or leaves everything as it is.
    fn exchange(&mut self, message: u32, odds: u64, rng: &mut impl Rng) {
        let (weight, step) = self.cheapest(message, rng);
        let loss = weight.saturating_sub(self.weight[message as usize].into());
        if !is_kept(loss, odds, rng) {
            self.out.push(message);
            return;
        }
        std::mem::swap(&mut self.reach.trail, &mut self.best_trail);
        for place in 0..self.reach.trail.len() {
            let slot = self.ways.arc(self.reach.trail[place]).slot;
            if self.timetable.is_full(slot, step) {
                let other = lightest(self.timetable.users(slot, step), &self.weight);
                self.lift(other);
                self.step[other as usize] = NOBODY;
                self.out.push(other);
            }
        }
        self.put(message, step);
        for _ in 0..SHIFTS {
            self.shift(rng.random_range(0..self.step.len() as u32), rng);
        }
    }

    /// The least weight in the way of a message in some steps, and the step; its way is left in `best_trail`.
    fn cheapest(&mut self, message: u32, rng: &mut impl Rng) -> (u64, u32) {
        let way = self.ways.of(message);
        let levels = &self.levels[..self.steps.div_ceil(WORD) as usize];
        let count = |level: usize| levels.iter().map(|levels| levels[level].count_ones()).sum::<u32>();
        let (level, near) =
            (1..LEVELS).map(|level| (level, count(level))).find(|&(_, near)| near > 0).unwrap_or((0, 0));
        let near_samples = SAMPLES.min(near);
        let mut best = (u64::MAX, 0);
        for sample in 0..near_samples + WILD_SAMPLES {
            let step = if sample >= near_samples {
                rng.random_range(0..self.steps)
            } else if near <= SAMPLES {
                nth_step(&self.levels, level, sample)
            } else {
                nth_step(&self.levels, level, rng.random_range(0..near))
            };
            let price = self.reach.price(way, &self.timetable, step, &self.weight, rng);
            if price < best.0 {
                best = (price, step);
                self.reach.follow_cheapest(way, self.ways);
                std::mem::swap(&mut self.reach.trail, &mut self.best_trail);
            }
        }
        best
    }

    /// Moves a message to a random one of the places that are free, if it has a place.
    fn shift(&mut self, message: u32, rng: &mut impl Rng) {
        let step = self.step[message as usize];
        if step == NOBODY {
            return;
        }
        self.lift(message);
        let word = rng.random_range(0..self.steps.div_ceil(WORD));
        let (way, full) = (self.ways.of(message), self.timetable.full(word));
        let free = self.reach.search(way, full)[0] & self.open(word);
        if free == 0 {
            self.reach.trail.clear();
            self.reach.trail.extend_from_slice(&self.arcs[self.row(message)]);
            self.put(message, step);
        } else {
            let step = word * WORD + nth_one(free, rng.random_range(0..free.count_ones()));
            self.reach.follow_free(way, full, step, rng);
            self.put(message, step);
        }
    }

    /// Where the arcs of a message are.
    #[inline]
    fn row(&self, message: u32) -> std::ops::Range<usize> {
        let start = message as usize * self.ways.longest();
        start..start + self.arc_count[message as usize] as usize
    }

    /// Places a message on the way in `trail`, on which there is room.
    fn put(&mut self, message: u32, step: u32) {
        for &arc in &self.reach.trail {
            self.timetable.add(self.ways.arc(arc).slot, step, message);
        }
        self.step[message as usize] = step;
        self.arc_count[message as usize] = self.reach.trail.len() as u32;
        let row = self.row(message);
        self.arcs[row].copy_from_slice(&self.reach.trail);
    }

    /// Makes room where a message is.
    fn lift(&mut self, message: u32) {
        let step = self.step[message as usize];
        for &arc in &self.arcs[self.row(message)] {
            self.timetable.remove(self.ways.arc(arc).slot, step, message);
        }
    }

    /// The transfers of all messages, of which none is out.
    pub(super) fn log(&mut self) -> Result<TransferLog, MethodError> {
        self.go_home();
        let mut log = TransferLog::default();
        let mut path = Vec::with_capacity(self.ways.longest());
        for (message, &step) in (0..).zip(&self.step) {
            path.clear();
            path.extend(self.arcs[self.row(message)].iter().rev().filter_map(|&arc| self.ways.arc(arc).channel));
            log.push(MessageId::new(message), step, &path)?;
        }
        Ok(log)
    }
}

/// The most arcs of the ways that all messages take: 256 MiB.
const MAX_TRAILS: usize = 1 << 26;

/// Whether an exchange is kept that loses so much weight.
fn is_kept(loss: u64, odds: u64, rng: &mut impl Rng) -> bool {
    let mut chance = CERTAIN * CERTAIN;
    for _ in 0..loss {
        chance = chance * odds / CERTAIN;
        if chance == 0 {
            return false;
        }
    }
    u64::from(rng.random::<u32>()) < chance
}

/// The place of a set bit by its rank.
fn nth_one(mut bits: u64, rank: u32) -> u32 {
    for _ in 0..rank {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

/// The step of a rank among those of a level in all words.
fn nth_step(words: &[BlockLevels], level: usize, mut rank: u32) -> u32 {
    for (word, levels) in (0..).zip(words) {
        let count = levels[level].count_ones();
        if rank < count {
            return word * WORD + nth_one(levels[level], rank);
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
        fn the_step_of_a_rank_is_among_those_of_the_level(words: [BlockLevels; 3], level in 0..LEVELS) {
            let is_there = |step: u32| words[(step / WORD) as usize][level] >> (step % WORD) & 1 == 1;
            let expected: Vec<u32> = (0..3 * WORD).filter(|&step| is_there(step)).collect();
            let found: Vec<u32> = (0..expected.len() as u32).map(|rank| nth_step(&words, level, rank)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_loses_nothing_is_kept_and_what_loses_much_is_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert!((0..1000).all(|_| is_kept(0, ODDS[1], &mut rng)));
        // The odds are below 2^-32.
        assert!((0..1000).all(|_| !is_kept(50, ODDS[0], &mut rng)));
        let kept = (0..10_000).filter(|_| is_kept(2, CERTAIN / 2, &mut rng)).count();
        // A quarter of them, within ten standard deviations.
        assert!(kept.abs_diff(2500) < 440, "{kept}");
    }
}
