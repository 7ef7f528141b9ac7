//! What the transfers of one step take.

use lockstep_topology::ChannelId;

use crate::slots::{Capacities, PortPair, Slot, wire};
use crate::task::Task;

/// What is taken in the step at hand.
#[derive(Debug)]
pub(crate) struct Usage<'a> {
    task: &'a Task<'a>,
    capacities: &'a Capacities,
    taken: Vec<u32>,
}

impl<'a> Usage<'a> {
    pub(crate) fn new(task: &'a Task<'a>, capacities: &'a Capacities) -> Self {
        Self { task, capacities, taken: vec![0; capacities.len()] }
    }

    pub(crate) fn task(&self) -> &'a Task<'a> {
        self.task
    }

    /// Begins the next step.
    pub(crate) fn clear(&mut self) {
        self.taken.fill(0);
    }

    #[inline]
    fn is_open(&self, slot: Slot) -> bool {
        self.taken[slot as usize] < self.capacities.of(slot)
    }

    /// Whether no transfer crosses the channel or one that shares its resource.
    #[inline]
    pub(crate) fn is_free(&self, channel: ChannelId) -> bool {
        self.is_open(wire(self.task, channel))
    }

    /// Whether a terminal may start one more transfer.
    pub(crate) fn may_send(&self, terminal: usize) -> bool {
        self.capacities.send(terminal).is_none_or(|slot| self.is_open(slot))
    }

    /// Whether a terminal may finish one more transfer.
    pub(crate) fn may_receive(&self, terminal: usize) -> bool {
        self.capacities.receive(terminal).is_none_or(|slot| self.is_open(slot))
    }

    #[inline]
    pub(crate) fn wire(&self, channel: ChannelId) -> Slot {
        wire(self.task, channel)
    }

    #[inline]
    pub(crate) fn send_port(&self, terminal: usize) -> Option<Slot> {
        self.capacities.send(terminal)
    }

    /// Takes a transfer back.
    pub(crate) fn release(&mut self, channel: ChannelId) {
        let topology = self.task.topology();
        let ports = PortPair::new(self.task, self.capacities, topology.tail(channel), topology.head(channel));
        ports.iter().chain([wire(self.task, channel)]).for_each(|slot| self.taken[slot as usize] -= 1);
    }

    /// Makes a transfer.
    pub(crate) fn take(&mut self, path: &[ChannelId]) {
        let topology = self.task.topology();
        if let [first, .., last] | [first @ last] = path {
            let ports = PortPair::new(self.task, self.capacities, topology.tail(*first), topology.head(*last));
            ports.iter().for_each(|slot| self.taken[slot as usize] += 1);
        }
        for &channel in path {
            self.taken[wire(self.task, channel) as usize] += 1;
        }
    }
}
