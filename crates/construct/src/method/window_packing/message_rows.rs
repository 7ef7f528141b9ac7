//! The paths of messages as rows of numbers, which lie one after the other in memory.

use crate::kit::method_error::MethodError;
use lockstep_model::{Routes, SlotId, Slots};

/// The maximum number of lanes of all slots.
const MAX_LANES: u64 = 1 << 20;

/// The maximum number of numbers in all rows: 512 MiB.
const MAX_NUMBERS: usize = 1 << 27;

/// Rows of equal length, one per message.
///
/// A row has the number of the message, the number of its lanes, and then its lanes in order, with the number of the
/// *joint* between each lane and the next one. Rows are moved as a whole, so that a scan over them reads memory in
/// order.
#[derive(Clone, Debug)]
pub(super) struct MessageRows {
    stride: usize,
    numbers: Vec<u32>,
}

/// A view of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageRow<'a>(&'a [u32]);

impl<'a> MessageRow<'a> {
    #[inline]
    pub(super) fn message(self) -> u32 {
        self.0[0]
    }

    /// Returns the number of lanes.
    #[inline]
    pub(super) fn length(self) -> usize {
        self.0[1] as usize
    }

    /// Returns the first lane.
    #[inline]
    pub(super) fn first(self) -> u32 {
        self.0[2]
    }

    /// Returns each later lane after the joint before it.
    #[inline]
    pub(super) fn later(self) -> impl Iterator<Item = [u32; 2]> + 'a {
        self.0[3..=2 * self.length()].as_chunks().0.iter().copied()
    }

    #[inline]
    pub(super) fn lanes(self) -> impl Iterator<Item = u32> + 'a {
        std::iter::once(self.first()).chain(self.later().map(|[_, lane]| lane))
    }
}

impl MessageRows {
    pub(super) fn new(stride: usize) -> Self {
        Self { stride, numbers: Vec::new() }
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.numbers.len() / self.stride
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    #[inline]
    pub(super) fn row(&self, index: usize) -> MessageRow<'_> {
        MessageRow(&self.numbers[index * self.stride..(index + 1) * self.stride])
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = MessageRow<'_>> {
        self.numbers.chunks_exact(self.stride).map(MessageRow)
    }

    pub(super) fn push(&mut self, row: MessageRow<'_>) {
        self.numbers.extend_from_slice(row.0);
    }

    #[inline]
    pub(super) fn set(&mut self, index: usize, row: MessageRow<'_>) {
        self.numbers[index * self.stride..(index + 1) * self.stride].copy_from_slice(row.0);
    }

    /// Replaces a row by the last one.
    pub(super) fn swap_remove(&mut self, index: usize) {
        let last = self.len() - 1;
        self.numbers.copy_within(last * self.stride.., index * self.stride);
        self.numbers.truncate(last * self.stride);
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
    }

    /// Appends a path along consecutive lanes of a line, where joint `j` is between the lanes `j` and `j + 1`.
    #[cfg(test)]
    pub(super) fn push_path(&mut self, message: u32, lanes: std::ops::Range<u32>) {
        let end = self.numbers.len() + self.stride;
        self.numbers.extend([message, lanes.len() as u32, lanes.start]);
        self.numbers.extend(lanes.skip(1).flat_map(|lane| [lane - 1, lane]));
        self.numbers.resize(end, 0);
    }

    /// Keeps the rows whose flag is not set.
    pub(super) fn drop_flagged(&mut self, is_dropped: &[bool]) {
        let mut kept = 0;
        for index in (0..self.len()).filter(|&index| !is_dropped[index]) {
            if kept < index {
                self.numbers.copy_within(index * self.stride..(index + 1) * self.stride, kept * self.stride);
            }
            kept += 1;
        }
        self.numbers.truncate(kept * self.stride);
    }
}

/// The rows of all messages, and the sizes of the tables that they index.
#[derive(Debug)]
pub(super) struct PathRows {
    pub(super) rows: MessageRows,
    /// Number of lanes of all slots. A slot of capacity `k` has `k` lanes, each of which carries one message per step.
    pub(super) lane_count: usize,
    /// Number of pairs of lanes that follow each other on some path.
    pub(super) joint_count: usize,
}

impl PathRows {
    /// Returns the rows of messages with these paths, in this order. The messages of a slot take its lanes in turn.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if a table would be too large.
    pub(super) fn new(slots: &Slots, order: &[u32], routes: &Routes) -> Result<Self, MethodError> {
        let longest = order.iter().map(|&message| routes.path(message).len()).max().unwrap_or(0);
        // Two ports, and a joint before every lane but the first.
        let stride = 2 * (longest + 2) + 1;
        if order.len().saturating_mul(stride) > MAX_NUMBERS {
            return Err(MethodError::Unsupported);
        }
        let mut lanes = LaneTable::new(slots, order.len() as u32)?;
        let mut rows = MessageRows::new(stride);
        rows.numbers.reserve_exact(order.len() * stride);
        let mut row = Vec::with_capacity(stride);
        for &message in order {
            let [sender, receiver] = routes.ends(message).map(|rank| rank as usize);
            let resources = routes.path(message).iter().map(|&channel| slots.resource(channel));
            row.clear();
            row.extend([message, 0]);
            let mut before = None;
            for slot in slots.send_port(sender).into_iter().chain(resources).chain(slots.receive_port(receiver)) {
                let lane = lanes.next_lane(slot);
                row.extend(before.map(|before| lanes.joint(before, lane)));
                row.push(lane);
                before = Some(lane);
            }
            row[1] = (row.len() as u32 - 1) / 2;
            row.resize(stride, 0);
            rows.numbers.extend_from_slice(&row);
        }
        Ok(Self { rows, lane_count: lanes.lane_count, joint_count: lanes.joint_count as usize })
    }
}

/// The lanes of every slot, and the joints between them.
struct LaneTable {
    /// The first lane of each slot, its number of lanes, and the lane that comes next.
    slots: Vec<[u32; 3]>,
    lane_count: usize,
    /// The joints of each lane with lanes of larger numbers.
    joints: Vec<Vec<[u32; 2]>>,
    joint_count: u32,
}

impl LaneTable {
    fn new(all_slots: &Slots, messages: u32) -> Result<Self, MethodError> {
        let (mut slots, mut count) = (Vec::with_capacity(all_slots.len()), 0u64);
        for slot in 0..all_slots.len() as SlotId {
            let lanes = all_slots.capacity(slot).min(messages);
            slots.push([count as u32, lanes, 0]);
            count += u64::from(lanes);
            if count > MAX_LANES {
                return Err(MethodError::Unsupported);
            }
        }
        Ok(Self { slots, lane_count: count as usize, joints: vec![Vec::new(); count as usize], joint_count: 0 })
    }

    fn next_lane(&mut self, slot: SlotId) -> u32 {
        let [first, count, next] = &mut self.slots[slot as usize];
        let lane = *first + *next;
        *next = (*next + 1) % *count;
        lane
    }

    /// Returns the number of the joint between two lanes.
    fn joint(&mut self, one: u32, other: u32) -> u32 {
        let joints = &mut self.joints[one.min(other) as usize];
        let larger = one.max(other);
        if let Some(&[_, number]) = joints.iter().find(|joint| joint[0] == larger) {
            return number;
        }
        joints.push([larger, self.joint_count]);
        self.joint_count += 1;
        self.joint_count - 1
    }
}
