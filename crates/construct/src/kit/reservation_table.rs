//! The steps in which each resource and port is still free.

use super::capacities::{Capacities, PortPair, SlotId};

/// A set of steps within one block. The lowest bit is the first step.
pub(crate) type StepMask = u128;

/// Number of steps per block.
pub(crate) const BLOCK_STEPS: u32 = StepMask::BITS;

/// The reserved steps of every slot. The table grows with the last reserved step.
///
/// Memory: one bit per slot and step, and 4 bytes per step of a slot with a capacity above one. The table is a list of
/// blocks of 128 steps, and each block is a row with one word per slot.
#[derive(Debug)]
pub(crate) struct ReservationTable<'a> {
    capacities: &'a Capacities,
    /// The full steps, by block and slot.
    full: Vec<StepMask>,
    /// Number of blocks.
    blocks: u32,
    /// Uses of slots with a capacity above one, by block, slot and step.
    counts: Vec<u32>,
    /// The first block of each slot that has a free step.
    first_open_block: Vec<u32>,
    /// Number of uses of each slot.
    load: Vec<u32>,
}

impl<'a> ReservationTable<'a> {
    pub(crate) fn new(capacities: &'a Capacities) -> Self {
        let slots = capacities.len();
        Self {
            capacities,
            full: Vec::new(),
            blocks: 0,
            counts: Vec::new(),
            first_open_block: vec![0; slots],
            load: vec![0; slots],
        }
    }

    /// Returns the free steps of a slot in a block.
    #[inline]
    pub(crate) fn free_steps(&self, block: u32, slot: SlotId) -> StepMask {
        let index = block as usize * self.capacities.len() + slot as usize;
        !self.full.get(index).copied().unwrap_or(0)
    }

    /// Returns the steps of a block in which both ports are free.
    #[inline]
    pub(crate) fn free_port_steps(&self, block: u32, ports: PortPair) -> StepMask {
        let free = |slot: Option<SlotId>| slot.map_or(StepMask::MAX, |slot| self.free_steps(block, slot));
        free(ports.send) & free(ports.receive)
    }

    /// Returns the steps of a block from `ready` on, which lies in this block or an earlier one.
    #[inline]
    pub(crate) fn steps_from(block: u32, ready: u32) -> StepMask {
        if block == ready / BLOCK_STEPS { StepMask::MAX << (ready % BLOCK_STEPS) } else { StepMask::MAX }
    }

    /// Returns the first step from `ready` on in which a resource and both ports are free.
    pub(crate) fn next_free(&self, resource: SlotId, ports: PortPair, ready: u32) -> u32 {
        let mut block = self.first_open_block(resource).max(ready / BLOCK_STEPS);
        loop {
            let free =
                Self::steps_from(block, ready) & self.free_steps(block, resource) & self.free_port_steps(block, ports);
            if free != 0 {
                return block * BLOCK_STEPS + free.trailing_zeros();
            }
            block += 1;
        }
    }

    /// Returns the first step from `ready` on in which all these slots are free.
    pub(crate) fn first_free<I: Iterator<Item = SlotId>>(&self, slots: impl Fn() -> I, ready: u32) -> u32 {
        let mut block = slots().map(|slot| self.first_open_block(slot)).fold(ready / BLOCK_STEPS, u32::max);
        loop {
            let intersect = |open: StepMask, slot| Some(open & self.free_steps(block, slot)).filter(|&open| open != 0);
            if let Some(open) = slots().try_fold(Self::steps_from(block, ready), intersect) {
                return block * BLOCK_STEPS + open.trailing_zeros();
            }
            block += 1;
        }
    }

    /// Returns the first block in which the slot has a free step.
    #[inline]
    pub(crate) fn first_open_block(&self, slot: SlotId) -> u32 {
        self.first_open_block[slot as usize]
    }

    /// Returns the number of uses of the slot so far.
    #[inline]
    pub(crate) fn load(&self, slot: SlotId) -> u32 {
        self.load[slot as usize]
    }

    /// Reserves one use of the slot in a step in which it is free.
    pub(crate) fn reserve(&mut self, step: u32, slot: SlotId) {
        let (slots, block, bit) = (self.capacities.len(), step / BLOCK_STEPS, step % BLOCK_STEPS);
        if block >= self.blocks {
            self.blocks = block + 1;
            self.full.resize(self.blocks as usize * slots, 0);
        }
        self.load[slot as usize] += 1;
        if let Some(wide) = self.capacities.wide_index(slot)
            && self.count_use(step, wide) < self.capacities.of(slot)
        {
            return;
        }
        self.full[block as usize * slots + slot as usize] |= 1 << bit;
        while self.free_steps(self.first_open_block(slot), slot) == 0 {
            self.first_open_block[slot as usize] += 1;
        }
    }

    /// Counts one more use of a slot with a capacity above one in a step and returns the new count.
    fn count_use(&mut self, step: u32, wide: usize) -> u32 {
        let (slots, steps) = (self.capacities.wide_count(), BLOCK_STEPS as usize);
        let index = ((step / BLOCK_STEPS) as usize * slots + wide) * steps + (step % BLOCK_STEPS) as usize;
        if index >= self.counts.len() {
            self.counts.resize(self.blocks as usize * slots * steps, 0);
        }
        self.counts[index] += 1;
        self.counts[index]
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
    use lockstep_topology::{NodeId, TopologyBuilder};

    use super::*;
    use crate::kit::capacities::with_capacities;
    use crate::kit::task::SchedulingTask;

    #[test]
    fn a_resource_is_free_in_the_first_step_that_is_not_reserved() {
        with_capacities("ring:4", Ports::All, |task, capacities| {
            let (mut table, free) = (ReservationTable::new(capacities), PortPair { send: None, receive: None });
            let ports = PortPair::new(task, capacities, NodeId::new(0), NodeId::new(1));
            assert_eq!((ports.send, ports.receive), (None, None));
            for step in 0..2 * BLOCK_STEPS {
                assert_eq!(table.next_free(3, free, 0), step);
                table.reserve(step, 3);
            }
            assert_eq!((table.first_open_block(3), table.load(3)), (2, 2 * BLOCK_STEPS));
            assert_eq!(
                (table.free_steps(1, 3), table.free_steps(2, 3), table.free_steps(1, 2)),
                (0, StepMask::MAX, StepMask::MAX)
            );
            assert_eq!(table.next_free(2, free, BLOCK_STEPS + 5), BLOCK_STEPS + 5);
        });
    }

    /// Memory does not grow with the capacity, and slots of capacity one have no counts.
    #[test]
    fn a_wide_resource_is_full_after_its_capacity_of_uses() {
        let mut pair = TopologyBuilder::new("pair");
        let [a, b] = ["a", "b"].map(|name| pair.terminal(name));
        let link = pair.link(a, b);
        pair.set_capacity([link[0]], 65_536);
        let (pair, collective) = (pair.build().unwrap(), Collective::all_gather());
        let problem = Problem::new(&pair, &collective, CommunicationModel::wormhole()).unwrap();
        let capacities = Capacities::new(&SchedulingTask::new(&problem).unwrap());
        let mut table = ReservationTable::new(&capacities);
        let [wide, narrow] = link.map(|channel| pair.resource(channel).number());
        let first_free = |table: &ReservationTable<'_>, slot| table.first_free(|| [slot].into_iter(), 0);
        table.reserve(0, narrow);
        for _ in 0..65_536 {
            assert_eq!(first_free(&table, wide), 0);
            table.reserve(0, wide);
        }
        assert_eq!([wide, narrow].map(|slot| first_free(&table, slot)), [1, 1]);
        assert_eq!(table.counts.len(), BLOCK_STEPS as usize);
    }

    #[test]
    fn a_port_is_full_after_its_capacity_of_uses() {
        with_capacities("torus:4x4", Ports::limit(3).unwrap(), |task, capacities| {
            let mut table = ReservationTable::new(capacities);
            let ports = PortPair::new(task, capacities, NodeId::new(5), NodeId::new(6));
            let send = ports.send.unwrap();
            for step in [0, BLOCK_STEPS + 1] {
                for _ in 0..3 {
                    assert_eq!(table.next_free(0, ports, step), step);
                    table.reserve(step, send);
                }
                assert_eq!(table.next_free(0, ports, step), step + 1);
            }
            assert_eq!((table.load(send), table.load(ports.receive.unwrap())), (6, 0));
        });
    }
}
