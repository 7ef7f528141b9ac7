//! The values of messages: which of them a step needs most.

use super::message_rows::MessageRow;

/// The value of a lane with the largest load.
pub(super) const UNIT: i32 = 1 << 10;

/// The value of a lane with a small load.
const LEAST_VALUE: i32 = UNIT / 20;

/// The powers `2^(-n/8)`, in parts of [`UNIT`].
const POWERS: [i32; 8] = [1024, 939, 861, 790, 724, 664, 609, 558];

/// The value of each lane and of each length. The value of a message is the sum of both.
///
/// The value of a lane falls exponentially with the distance of its remaining load to the largest load, so that the
/// loads remain balanced. Messages gain more if too many of their length remain.
#[derive(Debug)]
pub(super) struct SlotValues {
    of_lane: Vec<i32>,
    of_length: Vec<i32>,
    /// The number of messages of each length.
    all: Vec<u64>,
}

impl SlotValues {
    /// Returns the table for some messages, without values.
    pub(super) fn new<'a>(lane_count: usize, rows: impl Iterator<Item = MessageRow<'a>>) -> Self {
        let mut all = Vec::new();
        count_lengths(rows, &mut all);
        Self { of_lane: vec![0; lane_count], of_length: vec![0; all.len()], all }
    }

    /// Computes the values of the lanes: `load` is the number of remaining messages on each, and `full` the steps in
    /// which each is used.
    pub(super) fn set_lanes(&mut self, load: &[u32], full: &[u64]) {
        let left = |lane: usize| load[lane] - full[lane].count_ones();
        let most = (0..load.len()).map(left).max().unwrap_or(0);
        // The value is halved at a distance of 7 messages for a load of 1,000, and of 1 message for a load of 100.
        let by_distance: Vec<i32> = (0..=most)
            .map(|distance| {
                let eighths = 18 * 64 * u64::from(distance) / (50 + u64::from(most));
                (POWERS[(eighths % 8) as usize] >> (eighths / 8).min(31)).max(LEAST_VALUE)
            })
            .collect();
        for (lane, value) in self.of_lane.iter_mut().enumerate() {
            *value = by_distance[(most - left(lane)) as usize];
        }
    }

    /// Computes the values of the lengths, given the remaining messages.
    pub(super) fn set_lengths<'a>(&mut self, rows: impl Iterator<Item = MessageRow<'a>>) {
        let mut left = vec![0; self.all.len()];
        count_lengths(rows, &mut left);
        // Parts of 2^20.
        let share = |left: u64, all: u64| ((left << 20) / all.max(1)).cast_signed();
        let of_all = share(left.iter().sum(), self.all.iter().sum());
        for (length, value) in self.of_length.iter_mut().enumerate() {
            *value = ((3 * i64::from(UNIT) * (share(left[length], self.all[length]) - of_all)) >> 20) as i32;
        }
    }

    /// Returns the value of a message.
    #[inline]
    pub(super) fn of(&self, row: MessageRow<'_>) -> i32 {
        row.lanes().map(|lane| self.of_lane[lane as usize]).sum::<i32>() + self.of_length[row.length()]
    }
}

fn count_lengths<'a>(rows: impl Iterator<Item = MessageRow<'a>>, counts: &mut Vec<u64>) {
    for row in rows {
        if counts.len() <= row.length() {
            counts.resize(row.length() + 1, 0);
        }
        counts[row.length()] += 1;
    }
}
