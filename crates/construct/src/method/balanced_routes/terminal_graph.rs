//! The graph of the terminals, for messages that move from terminal to terminal.

use std::ops::Range;

use lockstep_model::{SlotId, Slots};
use lockstep_topology::{ChannelId, NodeId};

use crate::kit::congestion_prices::UNLIMITED;
use crate::kit::task::SchedulingTask;

/// The channels between terminals, with the slots that they use.
///
/// Terminals are numbered by rank; channels are numbered by tail, so that those of one terminal are a range.
#[derive(Debug)]
pub(super) struct TerminalGraph {
    /// The start of each terminal's outgoing channels.
    leaving: Vec<u32>,
    tail: Vec<u32>,
    head: Vec<u32>,
    /// The channel of the topology.
    original: Vec<ChannelId>,
    /// The resource and the two ports that a transfer uses. An unlimited port has the last slot.
    slots: Vec<[SlotId; 3]>,
    capacity: Vec<u32>,
    resource_count: usize,
    /// The start of each terminal's incoming channels in `into`.
    entering: Vec<u32>,
    into: Vec<u32>,
}

/// Computes the distances from a terminal in `O(N + M)` time. Lists the reached terminals, nearest first.
pub(super) fn fill_distances(graph: &TerminalGraph, source: u32, distance: &mut [u32], reached: &mut Vec<u32>) {
    distance.fill(UNREACHED);
    distance[source as usize] = 0;
    reached.clear();
    reached.push(source);
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        for channel in graph.leaving(node) {
            let head = graph.head(channel);
            if distance[head as usize] == UNREACHED {
                distance[head as usize] = distance[node as usize] + 1;
                reached.push(head);
            }
        }
    }
}

/// The distance of a terminal that cannot be reached.
pub(super) const UNREACHED: u32 = u32::MAX;

impl TerminalGraph {
    pub(super) fn new(task: &SchedulingTask<'_>, all_slots: &Slots) -> Self {
        let topology = task.topology();
        let unlimited = all_slots.len() as SlotId;
        let mut graph = Self {
            leaving: vec![0],
            tail: Vec::new(),
            head: Vec::new(),
            original: Vec::new(),
            slots: Vec::new(),
            capacity: [all_slots.capacities(), &[UNLIMITED]].concat(),
            resource_count: topology.resource_count(),
            entering: vec![0],
            into: Vec::new(),
        };
        let mut rows = vec![Vec::new(); topology.terminal_count()];
        let rank = |node: NodeId| topology.terminal_rank(node);
        for (tail, &terminal) in topology.terminals().iter().enumerate() {
            for &channel in topology.out_channels(terminal) {
                let Some(head) = rank(topology.head(channel)) else { continue };
                rows[head].push(graph.head.len() as u32);
                let ports = [all_slots.send_port(tail), all_slots.receive_port(head)];
                let [send, receive] = ports.map(|port| port.unwrap_or(unlimited));
                graph.slots.push([all_slots.resource(channel), send, receive]);
                graph.tail.push(tail as u32);
                graph.head.push(head as u32);
                graph.original.push(channel);
            }
            graph.leaving.push(graph.head.len() as u32);
        }
        for row in rows {
            graph.into.extend(row);
            graph.entering.push(graph.into.len() as u32);
        }
        graph
    }

    /// Returns the number of terminals.
    pub(super) fn terminal_count(&self) -> usize {
        self.leaving.len() - 1
    }

    /// Returns the number of channels between terminals.
    pub(super) fn channel_count(&self) -> usize {
        self.head.len()
    }

    /// Returns the channels that leave a terminal.
    #[inline]
    pub(super) fn leaving(&self, terminal: u32) -> Range<u32> {
        self.leaving[terminal as usize]..self.leaving[terminal as usize + 1]
    }

    /// Returns the channels that enter a terminal.
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

    /// Returns the channel of the topology.
    pub(super) fn original(&self, channel: u32) -> ChannelId {
        self.original[channel as usize]
    }

    /// Returns the resource, the send port and the receive port of a channel. A port may be
    /// [unlimited](Self::is_limited).
    #[inline]
    pub(super) fn slots(&self, channel: u32) -> [SlotId; 3] {
        self.slots[channel as usize]
    }

    /// Returns the limited slots of a channel: the resource first, then ports.
    #[inline]
    pub(super) fn limited_slots(&self, channel: u32) -> impl Iterator<Item = SlotId> {
        self.slots(channel).into_iter().filter(|&slot| self.is_limited(slot))
    }

    /// Returns true if a slot has a limited capacity.
    #[inline]
    pub(super) fn is_limited(&self, slot: SlotId) -> bool {
        (slot as usize) < self.slot_count()
    }

    /// Returns the number of limited slots: resources, then ports.
    pub(super) fn slot_count(&self) -> usize {
        self.capacity.len() - 1
    }

    /// Returns the number of slots that are resources.
    pub(super) fn resource_count(&self) -> usize {
        self.resource_count
    }

    /// Returns the uses per step of all slots. The last slot is the unlimited one.
    pub(super) fn capacities(&self) -> &[u32] {
        &self.capacity
    }

    /// Returns the uses per step of a slot.
    #[inline]
    pub(super) fn capacity(&self, slot: SlotId) -> u32 {
        self.capacity[slot as usize]
    }

    /// Returns the maximum number of transfers per step: the minimum over all resources, all send ports and all receive
    /// ports.
    pub(super) fn rate(&self) -> u64 {
        let mut rate = [0; 3];
        let mut is_counted = vec![false; self.capacity.len()];
        for slots in &self.slots {
            for (rate, slot) in rate.iter_mut().zip(*slots) {
                let is_new = !std::mem::replace(&mut is_counted[slot as usize], self.is_limited(slot));
                *rate += if !self.is_limited(slot) {
                    u64::from(self.capacity(slots[0]))
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
