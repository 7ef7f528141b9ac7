//! Who uses what when.

use crate::kit::capacities::{Capacities, SlotId};
use crate::kit::method_error::MethodError;

/// Nobody uses it.
pub(super) const NOBODY: u32 = u32::MAX;

/// Steps of a word of bits.
pub(super) const WORD: u32 = u64::BITS;

/// The most uses of all slots in all steps together: 256 MiB.
const MAX_CELLS: usize = 1 << 26;

/// The messages that use each slot in each step.
///
/// Memory: 4 bytes a use that there is room for, and a bit for each slot and step.
#[derive(Debug)]
pub(super) struct Occupancy<'a> {
    capacities: &'a Capacities,
    /// A row of all slots for each word of steps: the steps in which there is no room.
    full: Vec<u64>,
    /// As many as the capacity says for each slot and step, [`NOBODY`] where there is room.
    users: Vec<u32>,
    /// Where the users of each slot begin.
    start: Vec<u32>,
}

impl<'a> Occupancy<'a> {
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if it were too large.
    pub(super) fn new(capacities: &'a Capacities, steps: u32) -> Result<Self, MethodError> {
        let mut cells = 0usize;
        let mut start = Vec::with_capacity(capacities.len());
        for slot in 0..capacities.len() as SlotId {
            start.push(cells as u32);
            cells = cells.saturating_add((steps as usize).saturating_mul(capacities.of(slot) as usize));
            if cells > MAX_CELLS {
                return Err(MethodError::Unsupported);
            }
        }
        let full = vec![0; capacities.len() * steps.div_ceil(WORD) as usize];
        Ok(Self { capacities, full, users: vec![NOBODY; cells], start })
    }

    /// The steps of a word in which each slot is full, the first one in the lowest bit.
    #[inline]
    pub(super) fn full(&self, word: u32) -> &[u64] {
        let slots = self.capacities.len();
        &self.full[word as usize * slots..(word as usize + 1) * slots]
    }

    #[inline]
    pub(super) fn is_full(&self, slot: SlotId, step: u32) -> bool {
        self.full(step / WORD)[slot as usize] >> (step % WORD) & 1 == 1
    }

    /// The users of a slot; those of a full one are messages.
    #[inline]
    pub(super) fn users(&self, slot: SlotId, step: u32) -> &[u32] {
        let capacity = self.capacities.of(slot) as usize;
        let start = self.start[slot as usize] as usize + step as usize * capacity;
        &self.users[start..start + capacity]
    }

    /// Adds a user where there is room.
    #[inline]
    pub(super) fn add(&mut self, slot: SlotId, step: u32, message: u32) {
        let is_full = {
            let users = self.users_mut(slot, step);
            let room = users.iter().position(|&user| user == NOBODY).expect("there is room");
            users[room] = message;
            // Those of a slot stand in front.
            room + 1 == users.len()
        };
        *self.full_mut(slot, step) |= u64::from(is_full) << (step % WORD);
    }

    /// Removes one of the users.
    #[inline]
    pub(super) fn remove(&mut self, slot: SlotId, step: u32, message: u32) {
        let users = self.users_mut(slot, step);
        let place = users.iter().position(|&user| user == message).expect("it is one of the users");
        users[place..].rotate_left(1);
        users[users.len() - 1] = NOBODY;
        *self.full_mut(slot, step) &= !(1 << (step % WORD));
    }

    #[inline]
    fn users_mut(&mut self, slot: SlotId, step: u32) -> &mut [u32] {
        let capacity = self.capacities.of(slot) as usize;
        let start = self.start[slot as usize] as usize + step as usize * capacity;
        &mut self.users[start..start + capacity]
    }

    #[inline]
    fn full_mut(&mut self, slot: SlotId, step: u32) -> &mut u64 {
        &mut self.full[(step / WORD) as usize * self.capacities.len() + slot as usize]
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
        /// On two-port terminals, whose slots come behind the 16 channels.
        #[test]
        fn a_slot_is_full_with_as_many_users_as_it_has_room_for(
            uses in prop::collection::vec((0..24u32, 0..70u32, 0..9u32), 0..200),
        ) {
            let topology: Topology = "complete:4".parse().unwrap();
            let collective = Collective::all_to_all();
            let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let capacities = Capacities::new(&SchedulingTask::new(&problem).unwrap());
            let mut timetable = Occupancy::new(&capacities, 70).unwrap();
            let mut expected = Vec::new();
            for (slot, step, message) in uses {
                let slot = slot % capacities.len() as u32;
                if let Some(place) = expected.iter().position(|&used| used == (slot, step, message)) {
                    timetable.remove(slot, step, message);
                    expected.swap_remove(place);
                } else if !timetable.is_full(slot, step) {
                    timetable.add(slot, step, message);
                    expected.push((slot, step, message));
                }
                let mut users: Vec<u32> =
                    timetable.users(slot, step).iter().copied().filter(|&user| user != NOBODY).collect();
                let of_slot = expected.iter().filter(|used| (used.0, used.1) == (slot, step));
                let mut used: Vec<u32> = of_slot.map(|used| used.2).collect();
                users.sort_unstable();
                used.sort_unstable();
                prop_assert_eq!(timetable.is_full(slot, step), used.len() as u32 == capacities.of(slot));
                prop_assert_eq!(users, used);
            }
        }
    }
}
