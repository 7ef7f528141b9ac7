//! The users of every slot in every step.

use crate::slots::{SlotId, Slots};
use crate::step_set::StepSet;
use crate::timetable::Timetable;

/// The maximum number of entries, over all slots and steps: 256 MiB.
const MAX_ENTRIES: usize = 1 << 26;

/// A [`Timetable`] of a given number of steps, with the numbers of the users of every slot in every step.
///
/// A user uses a slot at most once per step. Memory: that of the timetable, and 4 bytes per possible use.
#[derive(Clone, Debug)]
pub struct UserTable<'a, W> {
    slots: &'a Slots,
    timetable: Timetable<'a, W>,
    /// Entries for the users of each slot in each step, in the order of their addition.
    users: Vec<u32>,
    /// The start of each slot's entries.
    start: Vec<u32>,
    /// Number of users: no slot needs more entries per step.
    user_count: u32,
}

impl<'a, W: StepSet> UserTable<'a, W> {
    /// Returns a table without uses, for users with numbers of any kind; `None` if it has more than 2^26 entries.
    pub fn new(slots: &'a Slots, steps: u32, user_count: u32) -> Option<Self> {
        let mut entries = 0usize;
        let mut start = Vec::with_capacity(slots.len());
        for &capacity in slots.capacities() {
            start.push(entries as u32);
            entries = entries.saturating_add((steps as usize).saturating_mul(capacity.min(user_count) as usize));
            if entries > MAX_ENTRIES {
                return None;
            }
        }
        let timetable = Timetable::with_steps(slots, steps);
        Some(Self { slots, timetable, users: vec![0; entries], start, user_count })
    }

    /// Returns the uses without their users.
    #[inline]
    pub fn timetable(&self) -> &Timetable<'a, W> {
        &self.timetable
    }

    /// Returns the place of the first user of a slot in a step.
    #[inline]
    fn place(&self, slot: SlotId, step: u32) -> usize {
        let width = self.slots.capacity(slot).min(self.user_count);
        self.start[slot as usize] as usize + step as usize * width as usize
    }

    /// Returns the users of a slot in a step.
    #[inline]
    pub fn users(&self, slot: SlotId, step: u32) -> &[u32] {
        let place = self.place(slot, step);
        &self.users[place..place + self.timetable.uses(slot, step) as usize]
    }

    /// Adds a user of a slot in a step in which it is free.
    #[inline]
    pub fn add(&mut self, slot: SlotId, step: u32, user: u32) {
        let place = self.place(slot, step) + self.timetable.uses(slot, step) as usize;
        self.users[place] = user;
        self.timetable.occupy(slot, step);
    }

    /// Removes one of the users of a slot in a step. The others keep their order.
    ///
    /// # Panics
    ///
    /// If it is not one of the users.
    #[inline]
    pub fn remove(&mut self, slot: SlotId, step: u32, user: u32) {
        let place = self.place(slot, step);
        let users = &mut self.users[place..place + self.timetable.uses(slot, step) as usize];
        let index = users.iter().position(|&other| other == user).expect("it is one of the users");
        users.copy_within(index + 1.., index);
        self.timetable.release(slot, step);
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::Ports;
    use lockstep_topology::strategy::{any_topology, with_capacities};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A use that is in the table is removed, and any other one is added where its slot is free.
        #[test]
        fn a_table_agrees_with_a_list_of_uses(
            topology in any_topology(5).prop_flat_map(|topology| with_capacities(topology, 3)),
            uses in prop::collection::vec((0..40u32, prop_oneof![0..3u32, 0..130u32], 0..9u32), 0..200),
        ) {
            let slots = Slots::new(&topology, Ports::limit(2).unwrap());
            let mut table = UserTable::<u64>::new(&slots, 130, 9).unwrap();
            let mut list = Vec::new();
            for (slot, step, user) in uses {
                let slot = slot % slots.len() as u32;
                if let Some(index) = list.iter().position(|&used| used == (slot, step, user)) {
                    table.remove(slot, step, user);
                    list.remove(index);
                } else if table.timetable().is_free(slot, step) {
                    table.add(slot, step, user);
                    list.push((slot, step, user));
                }
                let here = |used: &&(SlotId, u32, u32)| (used.0, used.1) == (slot, step);
                let users: Vec<u32> = list.iter().filter(here).map(|used| used.2).collect();
                prop_assert_eq!(table.timetable().is_free(slot, step), (users.len() as u32) < slots.capacity(slot));
                prop_assert_eq!(table.users(slot, step), users);
                let open = table.timetable().first_open_block(slot);
                prop_assert!((0..open).all(|block| table.timetable().free_steps(block, slot) == 0));
                prop_assert_ne!(table.timetable().free_steps(open, slot), 0);
            }
        }
    }

    #[test]
    fn a_table_with_too_many_entries_is_refused() {
        let ring = "ring:4".parse().unwrap();
        let slots = Slots::new(&ring, Ports::All);
        assert!(UserTable::<u64>::new(&slots, 1 << 23, 2).is_some());
        assert!(UserTable::<u64>::new(&slots, (1 << 23) + 1, 2).is_none());
    }
}
