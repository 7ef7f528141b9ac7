//! When each wire and port is free.

use lockstep_topology::{ChannelId, NodeId};

use crate::task::Task;

/// The place of a wire or a port in [`Slots`].
pub(crate) type Slot = u32;

/// What every step offers: a use of each resource and some of each port.
#[derive(Debug)]
pub(crate) struct Capacities {
    resources: u32,
    /// Uses a step of each slot past the resources.
    ports: Vec<u32>,
    /// The slot of each terminal's sends and receptions; `None` where its channels already limit them.
    send: Vec<Option<Slot>>,
    receive: Vec<Option<Slot>>,
}

impl Capacities {
    pub(crate) fn new(task: &Task<'_>) -> Self {
        let topology = task.topology();
        let resources = topology.resource_count() as u32;
        let mut ports = Vec::new();
        let mut slot = |degree: usize| {
            let limit = task.model().ports.of_degree(degree);
            (limit < degree).then(|| {
                ports.push(limit as u32);
                resources + ports.len() as u32 - 1
            })
        };
        let terminals = topology.terminals();
        let send = terminals.iter().map(|&node| slot(topology.out_channels(node).len())).collect();
        let receive = terminals.iter().map(|&node| slot(topology.in_channels(node).len())).collect();
        Self { resources, ports, send, receive }
    }

    /// Number of slots.
    pub(crate) fn len(&self) -> usize {
        self.resources as usize + self.ports.len()
    }

    /// Uses a step.
    #[inline]
    pub(crate) fn of(&self, slot: Slot) -> u32 {
        slot.checked_sub(self.resources).map_or(1, |port| self.ports[port as usize])
    }

    #[inline]
    pub(crate) fn send(&self, terminal: usize) -> Option<Slot> {
        self.send[terminal]
    }

    #[inline]
    pub(crate) fn receive(&self, terminal: usize) -> Option<Slot> {
        self.receive[terminal]
    }
}

/// Some steps of a block, the first one in the lowest bit.
pub(crate) type Steps = u128;

/// Steps of a block.
pub(crate) const BLOCK: u32 = Steps::BITS;

/// Which slots are taken in which steps; there is no last step.
///
/// A bit for each slot and step, in blocks of 128 steps: a row of all slots is one block, so that one more is appended.
#[derive(Debug)]
pub(crate) struct Slots<'a> {
    capacities: &'a Capacities,
    taken: Vec<Steps>,
    /// Number of blocks.
    blocks: u32,
    /// Uses of ports that are taken only after several, for each block, port and step.
    counts: Vec<u32>,
    /// The first block of each slot that is not all taken.
    open_from: Vec<u32>,
    /// Steps in which each slot is used, with multiplicity.
    load: Vec<u32>,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(capacities: &'a Capacities) -> Self {
        let slots = capacities.len();
        Self {
            capacities,
            taken: Vec::new(),
            blocks: 0,
            counts: Vec::new(),
            open_from: vec![0; slots],
            load: vec![0; slots],
        }
    }

    /// Number of blocks in which anything is taken.
    pub(crate) fn block_count(&self) -> u32 {
        self.blocks
    }

    /// The free steps of a block, the first one in the lowest bit.
    #[inline]
    pub(crate) fn free(&self, block: u32, slot: Slot) -> Steps {
        let place = block as usize * self.capacities.len() + slot as usize;
        !self.taken.get(place).copied().unwrap_or(0)
    }

    /// The free steps of a block for a pair of ports.
    #[inline]
    pub(crate) fn free_ports(&self, block: u32, ports: PortPair) -> Steps {
        let free = |slot: Option<Slot>| slot.map_or(Steps::MAX, |slot| self.free(block, slot));
        free(ports.send) & free(ports.receive)
    }

    /// The steps of a block that are not before `ready`, which is in it or before it.
    #[inline]
    pub(crate) fn from(block: u32, ready: u32) -> Steps {
        if block == ready / BLOCK { Steps::MAX << (ready % BLOCK) } else { Steps::MAX }
    }

    /// The first step from `ready` on in which the wire and both ports are free.
    pub(crate) fn next_free(&self, wire: Slot, ports: PortPair, ready: u32) -> u32 {
        let mut block = self.open_from(wire).max(ready / BLOCK);
        loop {
            let free = Self::from(block, ready) & self.free(block, wire) & self.free_ports(block, ports);
            if free != 0 {
                return block * BLOCK + free.trailing_zeros();
            }
            block += 1;
        }
    }

    /// The first block in which the slot is free at all.
    #[inline]
    pub(crate) fn open_from(&self, slot: Slot) -> u32 {
        self.open_from[slot as usize]
    }

    /// Uses of the slot so far.
    #[inline]
    pub(crate) fn load(&self, slot: Slot) -> u32 {
        self.load[slot as usize]
    }

    /// Uses the slot once in this step, in which it is free.
    pub(crate) fn take(&mut self, step: u32, slot: Slot) {
        let (slots, block, bit) = (self.capacities.len(), step / BLOCK, step % BLOCK);
        if block >= self.blocks {
            self.blocks = block + 1;
            self.taken.resize(self.blocks as usize * slots, 0);
        }
        self.load[slot as usize] += 1;
        let capacity = self.capacities.of(slot);
        if capacity > 1 && self.count(step, slot) < capacity {
            return;
        }
        self.taken[block as usize * slots + slot as usize] |= 1 << bit;
        while self.free(self.open_from(slot), slot) == 0 {
            self.open_from[slot as usize] += 1;
        }
    }

    /// Counts one more use of a port; uses of the step so far.
    fn count(&mut self, step: u32, slot: Slot) -> u32 {
        let ports = self.capacities.ports.len();
        let port = (slot - self.capacities.resources) as usize;
        let place = (step / BLOCK) as usize * ports * BLOCK as usize + port * BLOCK as usize + (step % BLOCK) as usize;
        if place >= self.counts.len() {
            self.counts.resize(self.blocks as usize * ports * BLOCK as usize, 0);
        }
        self.counts[place] += 1;
        self.counts[place]
    }
}

/// Sender and receiver ports of a transfer.
#[derive(Clone, Copy)]
pub(crate) struct PortPair {
    pub(crate) send: Option<Slot>,
    pub(crate) receive: Option<Slot>,
}

impl PortPair {
    pub(crate) fn new(task: &Task<'_>, capacities: &Capacities, from: NodeId, to: NodeId) -> Self {
        Self { send: capacities.send(task.rank(from)), receive: capacities.receive(task.rank(to)) }
    }

    /// The ports at the ends of a path.
    pub(crate) fn of(task: &Task<'_>, capacities: &Capacities, path: &[ChannelId]) -> Self {
        Self { send: capacities.send(task.sender(path)), receive: capacities.receive(task.receiver(path)) }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Slot> {
        self.send.into_iter().chain(self.receive)
    }
}

/// The slot of a channel's resource.
#[inline]
pub(crate) fn wire(task: &Task<'_>, channel: ChannelId) -> Slot {
    task.topology().resource(channel).number()
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
    use lockstep_topology::Topology;

    use super::*;

    /// Capacities of a network with these ports.
    fn with_capacities(spec: &str, ports: Ports, check: impl FnOnce(&Task<'_>, &Capacities)) {
        let topology: Topology = spec.parse().unwrap();
        let collective = Collective::all_to_all();
        let model = CommunicationModel { ports, ..CommunicationModel::wormhole() };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let task = Task::new(&problem).unwrap();
        check(&task, &Capacities::new(&task));
    }

    #[test]
    fn a_wire_is_free_until_it_is_taken_and_from_then_on_later() {
        with_capacities("ring:4", Ports::All, |task, capacities| {
            let (mut slots, free) = (Slots::new(capacities), PortPair { send: None, receive: None });
            let ports = PortPair::new(task, capacities, NodeId::new(0), NodeId::new(1));
            assert_eq!((ports.send, ports.receive), (None, None));
            for step in 0..2 * BLOCK {
                assert_eq!(slots.next_free(3, free, 0), step);
                slots.take(step, 3);
            }
            assert_eq!((slots.open_from(3), slots.block_count(), slots.load(3)), (2, 2, 2 * BLOCK));
            assert_eq!((slots.free(1, 3), slots.free(2, 3), slots.free(1, 2)), (0, Steps::MAX, Steps::MAX));
            assert_eq!(slots.next_free(2, free, BLOCK + 5), BLOCK + 5);
        });
    }

    #[test]
    fn a_port_is_taken_after_as_many_uses_as_it_allows() {
        with_capacities("torus:4x4", Ports::limit(3).unwrap(), |task, capacities| {
            let mut slots = Slots::new(capacities);
            let ports = PortPair::new(task, capacities, NodeId::new(5), NodeId::new(6));
            let send = ports.send.unwrap();
            for step in [0, BLOCK + 1] {
                for _ in 0..3 {
                    assert_eq!(slots.next_free(0, ports, step), step);
                    slots.take(step, send);
                }
                assert_eq!(slots.next_free(0, ports, step), step + 1);
            }
            assert_eq!((slots.load(send), slots.load(ports.receive.unwrap())), (6, 0));
        });
    }

    #[test]
    fn ports_beyond_the_channels_are_no_limit() {
        with_capacities("ring:4", Ports::limit(2).unwrap(), |_, capacities| assert_eq!(capacities.len(), 8));
        with_capacities("ring:4", Ports::limit(1).unwrap(), |_, capacities| assert_eq!(capacities.len(), 16));
    }
}
