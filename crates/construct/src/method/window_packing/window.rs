//! Up to 64 consecutive steps, which are filled together.

use super::message_rows::{MessageRow, MessageRows};

/// The maximum number of steps in a window: one bit each.
pub(super) const WINDOW_STEPS: u32 = u64::BITS;

const NONE: u32 = u32::MAX;

/// The messages in the steps of a window.
///
/// Invariants: bit `s` of `full[lane]` is set if a message uses the lane in step `s`, and `user` has the place of that
/// message. Bit `s` of `joined[joint]` is set if one message uses both lanes of the joint in step `s`.
#[derive(Debug)]
pub(super) struct Window {
    full: Vec<u64>,
    joined: Vec<u64>,
    user: Vec<u32>,
    /// The rows of the placed messages, and of removed ones.
    rows: MessageRows,
    /// The step of each row; [`NONE`] if its message was removed.
    step: Vec<u32>,
    value: Vec<i32>,
    /// The places of removed messages.
    vacant: Vec<u32>,
}

/// The steps of a window by the number of messages that block a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflicts {
    /// The steps in which at least one message blocks the path.
    pub(super) any: u64,
    /// The steps in which at least two do, or in which one message blocks two separate parts of the path, and the steps
    /// that do not exist.
    pub(super) several: u64,
}

impl Window {
    pub(super) fn new(lane_count: usize, joint_count: usize, stride: usize) -> Self {
        Self {
            full: vec![0; lane_count],
            joined: vec![0; joint_count],
            user: vec![NONE; lane_count * WINDOW_STEPS as usize],
            rows: MessageRows::new(stride),
            step: Vec::new(),
            value: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Removes all messages.
    pub(super) fn clear(&mut self) {
        self.full.fill(0);
        self.joined.fill(0);
        self.rows.clear();
        self.step.clear();
        self.value.clear();
        self.vacant.clear();
    }

    /// Returns the steps in which each lane is used.
    pub(super) fn full(&self) -> &[u64] {
        &self.full
    }

    /// Returns the steps in which some lane of a path is used.
    #[inline]
    pub(super) fn blocked_steps(&self, row: MessageRow<'_>) -> u64 {
        row.lanes().fold(0, |blocked, lane| blocked | self.full[lane as usize])
    }

    /// Returns the steps by the number of messages that block a path.
    ///
    /// A message that blocks two lanes in a row uses their joint too, because it uses every lane once. The scan ends
    /// early if several messages block the path in all `existing` steps.
    #[inline]
    pub(super) fn conflicts(&self, row: MessageRow<'_>, existing: u64) -> Conflicts {
        let mut any = self.full[row.first() as usize];
        let mut several = !existing;
        for [joint, lane] in row.later() {
            let begins = self.full[lane as usize] & !self.joined[joint as usize];
            several |= any & begins;
            any |= begins;
            if several == u64::MAX {
                break;
            }
        }
        Conflicts { any, several }
    }

    /// Returns the place and the value of the only message that blocks a path in a step.
    #[inline]
    pub(super) fn blocker(&self, row: MessageRow<'_>, step: u32) -> (u32, i32) {
        let lane =
            row.lanes().find(|&lane| self.full[lane as usize] >> step & 1 == 1).expect("a message blocks the path");
        let place = self.user[lane as usize * WINDOW_STEPS as usize + step as usize];
        (place, self.value[place as usize])
    }

    /// Adds a message in a step in which no message blocks its path.
    pub(super) fn place(&mut self, row: MessageRow<'_>, step: u32, value: i32) {
        let place = if let Some(place) = self.vacant.pop() {
            self.rows.set(place as usize, row);
            self.step[place as usize] = step;
            self.value[place as usize] = value;
            place
        } else {
            self.rows.push(row);
            self.step.push(step);
            self.value.push(value);
            self.step.len() as u32 - 1
        };
        let bit = 1 << step;
        for lane in row.lanes() {
            self.full[lane as usize] |= bit;
            self.user[lane as usize * WINDOW_STEPS as usize + step as usize] = place;
        }
        for [joint, _] in row.later() {
            self.joined[joint as usize] |= bit;
        }
    }

    /// Removes the message at a place. Returns its row.
    pub(super) fn remove(&mut self, place: u32) -> MessageRow<'_> {
        let row = self.rows.row(place as usize);
        let others = !(1u64 << self.step[place as usize]);
        for lane in row.lanes() {
            self.full[lane as usize] &= others;
        }
        for [joint, _] in row.later() {
            self.joined[joint as usize] &= others;
        }
        self.step[place as usize] = NONE;
        self.vacant.push(place);
        row
    }

    /// Returns the row and the step of each placed message.
    pub(super) fn placed(&self) -> impl Iterator<Item = (MessageRow<'_>, u32)> {
        self.rows.iter().zip(self.step.iter().copied()).filter(|&(_, step)| step != NONE)
    }

    /// Sets the values of all placed messages.
    pub(super) fn set_values(&mut self, value_of: impl Fn(MessageRow<'_>) -> i32) {
        for (value, row) in self.value.iter_mut().zip(self.rows.iter()) {
            *value = value_of(row);
        }
    }
}
