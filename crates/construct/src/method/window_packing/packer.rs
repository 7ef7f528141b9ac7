//! The search for steps: windows of 64 steps are filled one after the other.

use lockstep_model::{Routes, Slots};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::message_rows::{MessageRow, MessageRows, PathRows};
use super::slot_values::{SlotValues, UNIT};
use super::window::{WINDOW_STEPS, Window};
use crate::kit::accepted_loss::accepted_loss;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;

/// Number of tests of messages in each window, per unit of effort.
const TESTS: u64 = 1 << 21;

/// The minimum and the maximum number of such tests per message of the problem.
const MIN_TESTS: u64 = 2;
const MAX_TESTS: u64 = 16;

/// The maximum number of passes over the remaining messages in each window, per unit of effort.
const MAX_PASSES: u64 = 64;

/// Number of tests between two checks of the budget.
const INTERVAL: u64 = 1 << 14;

/// Number of tests between two updates of the values.
const VALUE_INTERVAL: u64 = 1 << 18;

/// The number of blocking messages among which an exchange chooses.
const CANDIDATES: u32 = 3;

/// The mean loss that is accepted at the beginning of a window.
const FIRST_LOSS: u64 = UNIT as u64 / 10;

/// The step of a message that has none yet.
pub(super) const NO_STEP: u32 = u32::MAX;

/// Units of work per message that is tested, and per lane of its path.
const TEST_WORK: u64 = 1;
const LANE_WORK: u64 = 1;

/// The search for steps.
///
/// A window begins empty. All remaining messages are scanned, those of the largest value first, and each takes a random
/// free step of the window. Then the remaining messages are scanned again and again. A message that exactly one other
/// message blocks in some step takes the place of the other one, if that gains value. A loss is accepted with a
/// probability that falls to zero. A test of a message covers all 64 steps by operations on bit sets, which find the
/// steps in which no message, one message or several messages block its path.
///
/// Memory: a row of `2 L + 5` numbers per message, for paths of up to `L` channels, and 264 bytes per lane.
#[derive(Debug)]
pub(super) struct WindowPacker {
    /// The messages without a step.
    left: MessageRows,
    /// Number of such messages on each lane.
    load: Vec<u32>,
    window: Window,
    values: SlotValues,
    /// The step of each message; [`NO_STEP`] before its window is complete.
    step: Vec<u32>,
}

impl WindowPacker {
    /// Returns the packer of messages with these paths, before the first step.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if a table would be too large.
    pub(super) fn new(slots: &Slots, routes: &Routes, rng: &mut impl Rng) -> Result<Self, MethodError> {
        let mut order: Vec<u32> = (0..routes.len() as u32).collect();
        order.shuffle(rng);
        let PathRows { rows, lane_count, joint_count } = PathRows::new(slots, &order, routes)?;
        let mut load = vec![0; lane_count];
        rows.iter().flat_map(MessageRow::lanes).for_each(|lane| load[lane as usize] += 1);
        Ok(Self {
            window: Window::new(lane_count, joint_count, rows.stride()),
            values: SlotValues::new(lane_count, rows.iter()),
            left: rows,
            load,
            step: vec![NO_STEP; routes.len()],
        })
    }

    /// Returns the largest number of messages on a lane. All of them need different steps.
    pub(super) fn most_load(&self) -> u32 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Fills steps until all messages have one. Returns the number of steps.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if more than `last` steps are necessary; otherwise as
    /// [`AttemptContext::check`].
    pub(super) fn pack(
        &mut self,
        last: u32,
        effort: u64,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<u32, MethodError> {
        let messages = self.left.len() as u64;
        let tests = effort * TESTS.clamp(MIN_TESTS * messages, MAX_TESTS * messages);
        let mut steps = 0;
        while !self.left.is_empty() {
            let most = self.most_load();
            if u64::from(steps) + u64::from(most) > u64::from(last) {
                return Err(MethodError::NoShorter);
            }
            let size = most.min(WINDOW_STEPS);
            let existing = u64::MAX >> (WINDOW_STEPS - size);
            context.check(0)?;
            self.fill(existing, rng, context);
            self.exchange(existing, tests, MAX_PASSES * effort, rng, context)?;
            self.end_window(steps);
            steps += size;
        }
        Ok(steps)
    }

    /// Gives each message a random free step of an empty window, if there is one; those of the largest value come
    /// first.
    fn fill(&mut self, existing: u64, rng: &mut impl Rng, context: &AttemptContext<'_>) {
        let Self { left, load, window, values, .. } = self;
        window.clear();
        values.set_lanes(load, window.full());
        values.set_lengths(left.iter());
        let value: Vec<i32> = left.iter().map(|row| values.of(row)).collect();
        let mut is_placed = vec![false; left.len()];
        let mut work = 0;
        for index in by_value(&value) {
            let row = left.row(index as usize);
            work += TEST_WORK + LANE_WORK * row.length() as u64;
            let free = existing & !window.blocked_steps(row);
            if free != 0 {
                window.place(row, random_bit(free, rng), value[index as usize]);
                is_placed[index as usize] = true;
            }
        }
        left.drop_flagged(&is_placed);
        context.count(2 * work);
    }

    /// Lets remaining messages take free steps, or the places of less valuable messages, until the budget ends.
    fn exchange(
        &mut self,
        existing: u64,
        tests: u64,
        max_passes: u64,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<(), MethodError> {
        let mut removed = MessageRows::new(self.left.stride());
        let tests = tests.min(max_passes.saturating_mul(self.left.len() as u64));
        let (mut index, mut work) = (0, 0);
        for number in 0..tests {
            if self.left.is_empty() {
                break;
            }
            if index >= self.left.len() || number % VALUE_INTERVAL == 0 {
                self.update_values();
                index %= self.left.len();
            }
            if number % INTERVAL == 0 {
                context.count(std::mem::take(&mut work));
                context.check(0)?;
            }
            let Self { left, window, values, .. } = self;
            let row = left.row(index);
            work += TEST_WORK + LANE_WORK * row.length() as u64;
            let conflicts = window.conflicts(row, existing);
            let (free, single) = (existing & !conflicts.any, conflicts.any & !conflicts.several);
            if free != 0 {
                window.place(row, random_bit(free, rng), values.of(row));
                left.swap_remove(index);
                continue;
            }
            if single != 0 {
                let value = values.of(row);
                let (step, place, least) = cheapest_blocker(window, row, single, rng);
                let mean = FIRST_LOSS * (tests - number) / tests;
                if i64::from(least) - i64::from(value) <= accepted_loss(mean, rng) {
                    removed.clear();
                    removed.push(window.remove(place));
                    window.place(row, step, value);
                    left.set(index, removed.row(0));
                }
            }
            index += 1;
        }
        context.count(work);
        Ok(())
    }

    fn update_values(&mut self) {
        let Self { load, window, values, .. } = self;
        values.set_lanes(load, window.full());
        window.set_values(|row| values.of(row));
    }

    /// Ends a window that begins at a step: its messages no longer count.
    fn end_window(&mut self, first: u32) {
        let Self { load, window, step: step_of, .. } = self;
        for (row, step) in window.placed() {
            step_of[row.message() as usize] = first + step;
            row.lanes().for_each(|lane| load[lane as usize] -= 1);
        }
    }

    /// Returns the step of each message. If [`pack`](Self::pack) was stopped, those outside complete windows have [`NO_STEP`].
    pub(super) fn steps(&self) -> &[u32] {
        &self.step
    }
}

/// Returns the step, the place and the value of a blocking message of least value, among some random ones. Exactly one
/// message blocks the path in each of the `single` steps.
#[inline]
fn cheapest_blocker(window: &Window, row: MessageRow<'_>, single: u64, rng: &mut impl Rng) -> (u32, u32, i32) {
    let turn = rng.random_range(0..WINDOW_STEPS);
    let mut rest = single.rotate_right(turn);
    let mut best = (0, 0, i32::MAX);
    for _ in 0..CANDIDATES {
        if rest == 0 {
            break;
        }
        let step = (rest.trailing_zeros() + turn) % WINDOW_STEPS;
        rest &= rest - 1;
        let (place, value) = window.blocker(row, step);
        if value < best.2 {
            best = (step, place, value);
        }
    }
    best
}

/// Returns the numbers of all values, the largest first. Values that differ by little keep their order.
pub(super) fn by_value(value: &[i32]) -> Vec<u32> {
    let bucket = |value: i32| (value / (UNIT / 4)).max(0).cast_unsigned() as usize;
    let last = value.iter().copied().map(bucket).max().unwrap_or(0);
    let mut start = vec![0u32; last + 2];
    for &value in value {
        start[last - bucket(value) + 1] += 1;
    }
    for index in 0..=last {
        start[index + 1] += start[index];
    }
    let mut order = vec![0; value.len()];
    for (number, &value) in (0..).zip(value) {
        let place = &mut start[last - bucket(value)];
        order[*place as usize] = number;
        *place += 1;
    }
    order
}

/// Returns the position of a random set bit. Bits after gaps are more likely.
#[inline]
fn random_bit(bits: u64, rng: &mut impl Rng) -> u32 {
    let turn = rng.random_range(0..WINDOW_STEPS);
    (bits.rotate_right(turn).trailing_zeros() + turn) % WINDOW_STEPS
}
