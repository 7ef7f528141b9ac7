//! The uses of every slot in every step.

use crate::slots::{SlotId, Slots};
use crate::step_set::StepSet;

/// The uses of every slot in every step, none of them above the capacity.
///
/// The table grows with the last occupied step. It is a list of blocks of `W::STEPS` steps. Each block is a row with one word
/// per slot, so that a search along the paths of a message reads few cache lines for all steps of the block.
///
/// Invariant: the bit of a slot and step in `full` is set if and only if the slot has as many uses as its capacity. Memory: one
/// bit per slot and step, and 4 bytes per step of a slot with a capacity above one.
#[derive(Clone, Debug)]
pub struct Timetable<'a, W> {
    slots: &'a Slots,
    /// The full steps, by block and slot.
    full: Vec<W>,
    /// Uses of slots with a capacity above one, by block, slot and step.
    uses: Vec<u32>,
    /// The first block of each slot that has a free step.
    first_open_block: Vec<u32>,
}

impl<'a, W: StepSet> Timetable<'a, W> {
    /// Returns a table without uses.
    pub fn new(slots: &'a Slots) -> Self {
        Self { slots, full: Vec::new(), uses: Vec::new(), first_open_block: vec![0; slots.len()] }
    }

    /// Returns a table without uses, with the rows of this number of steps.
    pub fn with_steps(slots: &'a Slots, steps: u32) -> Self {
        let full = vec![W::NONE; slots.len() * steps.div_ceil(W::STEPS) as usize];
        Self { full, ..Self::new(slots) }
    }

    /// Removes all uses.
    pub fn clear(&mut self) {
        self.full.fill(W::NONE);
        self.uses.fill(0);
        self.first_open_block.fill(0);
    }

    /// Returns the full steps of all slots in a block that is in the table.
    #[inline]
    pub fn full_steps(&self, block: u32) -> &[W] {
        &self.full[block as usize * self.slots.len()..][..self.slots.len()]
    }

    /// Returns the free steps of a slot in a block.
    #[inline]
    pub fn free_steps(&self, block: u32, slot: SlotId) -> W {
        let index = block as usize * self.slots.len() + slot as usize;
        !self.full.get(index).copied().unwrap_or(W::NONE)
    }

    /// Returns the steps of a block, from `ready` on, in which all these slots are free. `ready` is in this block or an earlier
    /// one.
    #[inline]
    pub fn common_free_steps(&self, block: u32, mut slots: impl Iterator<Item = SlotId>, ready: u32) -> W {
        let open = if block == ready / W::STEPS { W::from(ready) } else { !W::NONE };
        let intersect = |open: W, slot| Some(open & self.free_steps(block, slot)).filter(|&open| open != W::NONE);
        slots.try_fold(open, intersect).unwrap_or(W::NONE)
    }

    /// Returns the first step from `ready` on in which all these slots are free.
    #[inline]
    pub fn first_free(&self, slots: impl IntoIterator<Item = SlotId, IntoIter: Clone>, ready: u32) -> u32 {
        let slots = slots.into_iter();
        let mut block = slots.clone().map(|slot| self.first_open_block(slot)).fold(ready / W::STEPS, u32::max);
        loop {
            let open = self.common_free_steps(block, slots.clone(), ready);
            if open != W::NONE {
                return block * W::STEPS + open.first();
            }
            block += 1;
        }
    }

    /// Returns the first block in which the slot has a free step.
    #[inline]
    pub fn first_open_block(&self, slot: SlotId) -> u32 {
        self.first_open_block[slot as usize]
    }

    /// Returns true if the slot is free in a step.
    #[inline]
    pub fn is_free(&self, slot: SlotId, step: u32) -> bool {
        self.free_steps(step / W::STEPS, slot) & W::of(step) != W::NONE
    }

    /// Adds a use of a slot in a step in which it is free.
    #[inline]
    pub fn occupy(&mut self, slot: SlotId, step: u32) {
        let (count, block) = (self.slots.len(), step / W::STEPS);
        let index = block as usize * count + slot as usize;
        if index >= self.full.len() {
            self.full.resize((block as usize + 1) * count, W::NONE);
        }
        if let Some(place) = self.slots.wide_place(slot) {
            let uses = self.uses_mut(place, step);
            *uses += 1;
            if *uses < self.slots.capacity(slot) {
                return;
            }
        }
        self.full[index] |= W::of(step);
        while self.free_steps(self.first_open_block(slot), slot) == W::NONE {
            self.first_open_block[slot as usize] += 1;
        }
    }

    /// Removes a use of a slot in a step.
    #[inline]
    pub fn release(&mut self, slot: SlotId, step: u32) {
        if let Some(place) = self.slots.wide_place(slot) {
            *self.uses_mut(place, step) -= 1;
        }
        let block = step / W::STEPS;
        self.full[block as usize * self.slots.len() + slot as usize] &= !W::of(step);
        let first_open = &mut self.first_open_block[slot as usize];
        *first_open = block.min(*first_open);
    }

    /// Returns the number of uses of a slot in a step.
    #[inline]
    pub fn uses(&self, slot: SlotId, step: u32) -> u32 {
        match self.slots.wide_place(slot) {
            Some(place) => self.uses.get(self.uses_index(place, step)).copied().unwrap_or(0),
            None => u32::from(!self.is_free(slot, step)),
        }
    }

    /// Returns the index of a slot and step in `uses`. The slot is given by its place among those with a capacity above one.
    #[inline]
    fn uses_index(&self, place: usize, step: u32) -> usize {
        let (count, steps) = (self.slots.wide_count(), W::STEPS as usize);
        ((step / W::STEPS) as usize * count + place) * steps + (step % W::STEPS) as usize
    }

    #[inline]
    fn uses_mut(&mut self, place: usize, step: u32) -> &mut u32 {
        let (count, steps) = (self.slots.wide_count(), W::STEPS as usize);
        let index = self.uses_index(place, step);
        if index >= self.uses.len() {
            self.uses.resize(((step / W::STEPS) as usize + 1) * count * steps, 0);
        }
        &mut self.uses[index]
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::Ports;
    use lockstep_topology::TopologyBuilder;
    use lockstep_topology::strategy::{any_topology, with_capacities};
    use proptest::prelude::*;

    use super::*;

    /// Compares a table with a list of all uses, while uses are added.
    fn compare_with_list<W: StepSet>(slots: &Slots, uses: &[(u32, u32)], ready: u32) {
        let mut timetable = Timetable::<W>::new(slots);
        let mut list: Vec<(SlotId, u32)> = Vec::new();
        for &(slot, step) in uses {
            let slot = slot % slots.len() as u32;
            let is_free = |list: &[(SlotId, u32)], slot, step| {
                (list.iter().filter(|&&used| used == (slot, step)).count() as u32) < slots.capacity(slot)
            };
            assert_eq!(timetable.is_free(slot, step), is_free(&list, slot, step));
            if is_free(&list, slot, step) {
                timetable.occupy(slot, step);
                list.push((slot, step));
            }
            let other = (slot + 1) % slots.len() as u32;
            // Every use fills at most one step.
            let first = (ready..=ready + uses.len() as u32)
                .find(|&step| is_free(&list, slot, step) && is_free(&list, other, step));
            assert_eq!(Some(timetable.first_free([slot, other], ready)), first);
        }
        for slot in 0..slots.len() as SlotId {
            let open = timetable.first_open_block(slot);
            assert_ne!(timetable.free_steps(open, slot), W::NONE);
            assert!((0..open).all(|block| timetable.free_steps(block, slot) == W::NONE));
        }
    }

    proptest! {
        #[test]
        fn a_timetable_agrees_with_a_list_of_uses(
            topology in any_topology(5).prop_flat_map(|topology| with_capacities(topology, 3)),
            uses in prop::collection::vec((0..40u32, prop_oneof![0..3u32, 0..300u32]), 0..200), ready in 0..200u32,
        ) {
            let slots = Slots::new(&topology, Ports::limit(2).unwrap());
            compare_with_list::<u8>(&slots, &uses, ready);
            compare_with_list::<u64>(&slots, &uses, ready);
            compare_with_list::<u128>(&slots, &uses, ready);
        }
    }

    /// Memory does not grow with the capacity, and slots of capacity one have no counts.
    #[test]
    fn a_wide_slot_is_full_after_its_capacity_of_uses() {
        let mut pair = TopologyBuilder::new("pair");
        let [a, b] = ["a", "b"].map(|name| pair.terminal(name));
        let link = pair.link(a, b);
        pair.set_capacity([link[0]], 65_536);
        let slots = Slots::new(&pair.build().unwrap(), Ports::All);
        let mut timetable = Timetable::<u128>::new(&slots);
        let [wide, narrow] = link.map(|channel| slots.resource(channel));
        timetable.occupy(narrow, 0);
        for _ in 0..65_536 {
            assert!(timetable.is_free(wide, 0));
            timetable.occupy(wide, 0);
        }
        assert_eq!([wide, narrow].map(|slot| timetable.first_free([slot], 0)), [1, 1]);
        assert_eq!(timetable.uses.len(), 128);
    }
}
