//! The messages that use each slot in each step.

use lockstep_model::{SlotId, Slots};

use crate::kit::method_error::MethodError;

/// Marks a free entry, and a message without a step.
pub(super) const NONE: u32 = u32::MAX;

/// Number of steps per word of bits.
pub(super) const WORD_STEPS: u32 = u64::BITS;

/// The maximum number of entries, over all slots and steps: 256 MiB.
const MAX_ENTRIES: usize = 1 << 26;

/// The messages that use each slot in each step.
///
/// Invariants: the users of a slot and step come before its free entries, and `full` has the steps without a free
/// entry. Memory: 4 bytes per entry, and one bit per slot and step.
#[derive(Debug)]
pub(super) struct Occupancy<'a> {
    slots: &'a Slots,
    /// The full steps of each slot, as one row of all slots per word of steps.
    full: Vec<u64>,
    /// An entry per possible use of each slot in each step; [`NONE`] marks a free entry.
    users: Vec<u32>,
    /// The start of each slot's entries.
    start: Vec<u32>,
    /// Number of messages: no slot has more entries per step.
    messages: u32,
}

impl<'a> Occupancy<'a> {
    /// Returns an empty table for a number of messages.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if the table has more than [`MAX_ENTRIES`] entries.
    pub(super) fn new(slots: &'a Slots, messages: u32, steps: u32) -> Result<Self, MethodError> {
        let mut entries = 0usize;
        let mut start = Vec::with_capacity(slots.len());
        for slot in 0..slots.len() as SlotId {
            start.push(entries as u32);
            entries =
                entries.saturating_add((steps as usize).saturating_mul(slots.capacity(slot).min(messages) as usize));
            if entries > MAX_ENTRIES {
                return Err(MethodError::Unsupported);
            }
        }
        let full = vec![0; slots.len() * steps.div_ceil(WORD_STEPS) as usize];
        Ok(Self { slots, full, users: vec![NONE; entries], start, messages })
    }

    /// Returns the steps of a word in which each slot is full. The lowest bit is the first step.
    #[inline]
    pub(super) fn full(&self, word: u32) -> &[u64] {
        let slots = self.slots.len();
        &self.full[word as usize * slots..(word as usize + 1) * slots]
    }

    #[inline]
    pub(super) fn is_full(&self, slot: SlotId, step: u32) -> bool {
        self.full(step / WORD_STEPS)[slot as usize] >> (step % WORD_STEPS) & 1 == 1
    }

    /// Returns the entries of a slot in a step; those of a full slot are all messages.
    #[inline]
    pub(super) fn users(&self, slot: SlotId, step: u32) -> &[u32] {
        let capacity = self.slots.capacity(slot).min(self.messages) as usize;
        let start = self.start[slot as usize] as usize + step as usize * capacity;
        &self.users[start..start + capacity]
    }

    /// Adds a user to a slot that is not full.
    #[inline]
    pub(super) fn add(&mut self, slot: SlotId, step: u32, message: u32) {
        let is_full = {
            let users = self.users_mut(slot, step);
            let free = users.iter().position(|&user| user == NONE).expect("the slot is not full");
            users[free] = message;
            free + 1 == users.len()
        };
        *self.full_mut(slot, step) |= u64::from(is_full) << (step % WORD_STEPS);
    }

    /// Removes one of the users.
    #[inline]
    pub(super) fn remove(&mut self, slot: SlotId, step: u32, message: u32) {
        let users = self.users_mut(slot, step);
        let index = users.iter().position(|&user| user == message).expect("it is one of the users");
        users[index..].rotate_left(1);
        users[users.len() - 1] = NONE;
        *self.full_mut(slot, step) &= !(1 << (step % WORD_STEPS));
    }

    #[inline]
    fn users_mut(&mut self, slot: SlotId, step: u32) -> &mut [u32] {
        let capacity = self.slots.capacity(slot).min(self.messages) as usize;
        let start = self.start[slot as usize] as usize + step as usize * capacity;
        &mut self.users[start..start + capacity]
    }

    #[inline]
    fn full_mut(&mut self, slot: SlotId, step: u32) -> &mut u64 {
        &mut self.full[(step / WORD_STEPS) as usize * self.slots.len() + slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
    use lockstep_topology::Topology;
    use proptest::prelude::*;

    use super::*;
    use crate::kit::task::SchedulingTask;

    proptest! {
        /// With two ports per terminal, whose slots come after the 16 channels.
        #[test]
        fn a_slot_is_full_when_its_capacity_is_used(
            uses in prop::collection::vec((0..24u32, 0..70u32, 0..9u32), 0..200),
        ) {
            let topology: Topology = "complete:4".parse().unwrap();
            let collective = Collective::all_to_all();
            let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let slots = SchedulingTask::new(&problem).unwrap().slots();
            let mut occupancy = Occupancy::new(&slots, 9, 70).unwrap();
            let mut expected = Vec::new();
            for (slot, step, message) in uses {
                let slot = slot % slots.len() as u32;
                if let Some(index) = expected.iter().position(|&used| used == (slot, step, message)) {
                    occupancy.remove(slot, step, message);
                    expected.swap_remove(index);
                } else if !occupancy.is_full(slot, step) {
                    occupancy.add(slot, step, message);
                    expected.push((slot, step, message));
                }
                let mut users: Vec<u32> =
                    occupancy.users(slot, step).iter().copied().filter(|&user| user != NONE).collect();
                let of_slot = expected.iter().filter(|used| (used.0, used.1) == (slot, step));
                let mut used: Vec<u32> = of_slot.map(|used| used.2).collect();
                users.sort_unstable();
                used.sort_unstable();
                prop_assert_eq!(occupancy.is_full(slot, step), used.len() as u32 == slots.capacity(slot));
                prop_assert_eq!(users, used);
            }
        }
    }
}
