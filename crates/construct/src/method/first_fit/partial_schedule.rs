//! The transfers placed so far, and the steps that they occupy.

use lockstep_model::{SlotId, Slots, Timetable};
use lockstep_schedule::MessageId;
use lockstep_topology::ChannelId;

use crate::kit::method_error::MethodError;
use crate::kit::transfer_log::TransferLog;

/// The transfers placed so far.
///
/// Invariant: `table` and `load` have a use of each slot of each transfer in `log`, in its step.
pub(super) struct PartialSchedule<'a> {
    slots: &'a Slots,
    table: Timetable<'a, u128>,
    /// Number of uses of each slot.
    load: Vec<u32>,
    log: TransferLog,
}

impl<'a> PartialSchedule<'a> {
    pub(super) fn new(slots: &'a Slots) -> Self {
        Self { slots, table: Timetable::new(slots), load: vec![0; slots.len()], log: TransferLog::default() }
    }

    pub(super) fn table(&self) -> &Timetable<'a, u128> {
        &self.table
    }

    /// Returns the number of uses of a slot.
    #[inline]
    pub(super) fn load(&self, slot: SlotId) -> u32 {
        self.load[slot as usize]
    }

    pub(super) fn step_count(&self) -> u32 {
        self.log.step_count()
    }

    pub(super) fn into_log(self) -> TransferLog {
        self.log
    }

    /// Adds a transfer in a step in which its slots are free.
    pub(super) fn add(&mut self, message: MessageId, step: u32, path: &[ChannelId]) -> Result<(), MethodError> {
        for slot in self.slots.of_path(path) {
            self.table.occupy(slot, step);
            self.load[slot as usize] += 1;
        }
        self.log.push(message, step, path)
    }
}
