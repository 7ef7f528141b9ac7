//! The network as a message sees it that is passed on from terminal to terminal.

use std::ops::Range;

use lockstep_topology::{ChannelId, NodeId};

use crate::kit::capacities::{Capacities, PortPair, SlotId, resource_slot};
use crate::kit::task::SchedulingTask;

/// The channels between terminals.
///
/// Terminals are their ranks; a channel is its place in rows by tail.
#[derive(Debug)]
pub(super) struct TerminalGraph {
    leaving: Vec<u32>,
    tail: Vec<u32>,
    head: Vec<u32>,
    original: Vec<ChannelId>,
    /// What a transfer takes: the wire and the two ports, the slot past all others where a port is no limit.
    slots: Vec<[SlotId; 3]>,
    capacity: Vec<u32>,
    wire_count: usize,
    /// The channels into each terminal, in rows.
    entering: Vec<u32>,
    into: Vec<u32>,
}

/// Fills the distances from a terminal and lists those that it reaches, the nearest first.
pub(super) fn search(network: &TerminalGraph, source: u32, distance: &mut [u32], reached: &mut Vec<u32>) {
    distance.fill(UNREACHED);
    distance[source as usize] = 0;
    reached.clear();
    reached.push(source);
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        for channel in network.leaving(node) {
            let head = network.head(channel);
            if distance[head as usize] == UNREACHED {
                distance[head as usize] = distance[node as usize] + 1;
                reached.push(head);
            }
        }
    }
}

/// Distance of a terminal to which nothing leads.
pub(super) const UNREACHED: u32 = u32::MAX;

impl TerminalGraph {
    pub(super) fn new(task: &SchedulingTask<'_>, capacities: &Capacities) -> Self {
        let topology = task.topology();
        let unlimited = capacities.len() as SlotId;
        let mut network = Self {
            leaving: vec![0],
            tail: Vec::new(),
            head: Vec::new(),
            original: Vec::new(),
            slots: Vec::new(),
            capacity: (0..unlimited).map(|slot| capacities.of(slot)).chain([u32::MAX]).collect(),
            wire_count: topology.resource_count(),
            entering: vec![0],
            into: Vec::new(),
        };
        let mut rows = vec![Vec::new(); topology.terminal_count()];
        let rank = |node: NodeId| topology.terminal_rank(node);
        for (tail, &terminal) in topology.terminals().iter().enumerate() {
            for &channel in topology.out_channels(terminal) {
                let Some(head) = rank(topology.head(channel)) else { continue };
                rows[head].push(network.head.len() as u32);
                let ports = PortPair::new(task, capacities, terminal, topology.head(channel));
                let [send, receive] = [ports.send, ports.receive].map(|port| port.unwrap_or(unlimited));
                network.slots.push([resource_slot(task, channel), send, receive]);
                network.tail.push(tail as u32);
                network.head.push(head as u32);
                network.original.push(channel);
            }
            network.leaving.push(network.head.len() as u32);
        }
        for row in rows {
            network.into.extend(row);
            network.entering.push(network.into.len() as u32);
        }
        network
    }

    /// Number of terminals.
    pub(super) fn terminal_count(&self) -> usize {
        self.leaving.len() - 1
    }

    /// Number of channels between terminals.
    pub(super) fn channel_count(&self) -> usize {
        self.head.len()
    }

    /// The channels that leave a terminal.
    #[inline]
    pub(super) fn leaving(&self, terminal: u32) -> Range<u32> {
        self.leaving[terminal as usize]..self.leaving[terminal as usize + 1]
    }

    /// The channels that enter a terminal.
    #[inline]
    pub(super) fn entering(&self, terminal: u32) -> &[u32] {
        &self.into[self.entering[terminal as usize] as usize..self.entering[terminal as usize + 1] as usize]
    }

    #[inline]
    pub(super) fn tail(&self, channel: u32) -> u32 {
        self.tail[channel as usize]
    }

    #[inline]
    pub(super) fn head(&self, channel: u32) -> u32 {
        self.head[channel as usize]
    }

    /// The channel of the topology.
    pub(super) fn original(&self, channel: u32) -> ChannelId {
        self.original[channel as usize]
    }

    /// The wire, then the ports of sender and receiver, which may be [no limit](Self::is_limit).
    #[inline]
    pub(super) fn slots(&self, channel: u32) -> [SlotId; 3] {
        self.slots[channel as usize]
    }

    /// What a transfer over a channel takes that can run out.
    #[inline]
    pub(super) fn limits(&self, channel: u32) -> impl Iterator<Item = SlotId> {
        self.slots(channel).into_iter().filter(|&slot| self.is_limit(slot))
    }

    /// Whether a slot can run out.
    #[inline]
    pub(super) fn is_limit(&self, slot: SlotId) -> bool {
        (slot as usize) < self.slot_count()
    }

    /// Number of slots that can run out: wires, then ports.
    pub(super) fn slot_count(&self) -> usize {
        self.capacity.len() - 1
    }

    /// Number of slots that are wires.
    pub(super) fn wire_count(&self) -> usize {
        self.wire_count
    }

    /// Uses a step.
    #[inline]
    pub(super) fn capacity(&self, slot: SlotId) -> u32 {
        self.capacity[slot as usize]
    }

    /// The most transfers a step: over all wires, from all ports and into all ports.
    pub(super) fn rate(&self) -> u64 {
        let mut rate = [0; 3];
        let mut is_counted = vec![false; self.capacity.len()];
        for slots in &self.slots {
            for (rate, slot) in rate.iter_mut().zip(*slots) {
                let is_new = !std::mem::replace(&mut is_counted[slot as usize], self.is_limit(slot));
                *rate += if !self.is_limit(slot) {
                    1
                } else if is_new {
                    u64::from(self.capacity(slot))
                } else {
                    0
                };
            }
        }
        rate.into_iter().min().unwrap_or(0)
    }
}
