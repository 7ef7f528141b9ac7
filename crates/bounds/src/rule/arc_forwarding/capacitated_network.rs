//! A network in compressed sparse rows, with the capacities that its channels use.

use std::ops::Range;

use lockstep_schedule::{Ports, Problem, Switching};
use lockstep_topology::NodeId;

use crate::transfer_rules::{TransferRules, takes_fewest_channels};

/// The channels that carry transfers, in the order of their tails, and the *capacities* that a message uses on each:
/// the resource and, under store-and-forward with limited ports, a send port at the tail and a receive port at the
/// head.
///
/// Memory: 16 bytes per channel, 24 with ports.
pub(super) struct CapacitatedNetwork {
    start: Vec<u32>,
    tail: Vec<u32>,
    head: Vec<u32>,
    into_start: Vec<u32>,
    into: Vec<u32>,
    /// The `width` capacities of each channel.
    used: Vec<u32>,
    width: usize,
    /// Whether no two channels use the same capacity.
    is_unshared: bool,
    /// The number of messages that each capacity serves in one step: the capacity of each resource that can be used, in the
    /// order of the resource numbers; then, if ports count, the send ports of each terminal, and the receive ports of each.
    pub(super) capacity: Vec<u64>,
    /// Number of resources.
    pub(super) resources: usize,
    /// Whether a message may leave a node that is not its source.
    may_continue: Vec<bool>,
    /// Whether messages may only use paths with the fewest channels.
    pub(super) is_minimal: bool,
}

impl CapacitatedNetwork {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let (topology, rules, model) = (problem.topology(), TransferRules::new(problem), problem.model());
        // A wormhole transfer uses ports at its ends only. A direct message always uses the same ports, and a relayed
        // one uses no fewer. So the ports of one terminal prove as much as all ports together.
        let has_ports = model.switching == Switching::StoreAndForward && model.ports != Ports::All;
        let (resources, terminals) = (topology.resource_count(), topology.terminal_count());
        let rank = |node| topology.terminal_rank(node).expect("store-and-forward goes from terminal to terminal");
        let mut capacity = vec![0; resources];
        let (mut start, mut tail, mut head, mut used) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for node in topology.nodes() {
            for &channel in topology.out_channels(node).iter().filter(|&&channel| rules.carries(channel)) {
                let (to, resource) = (topology.head(channel), topology.resource(channel));
                tail.push(node.number());
                head.push(to.number());
                used.push(resource.number());
                capacity[resource.index()] = topology.capacity(channel).into();
                if has_ports {
                    used.extend([resources + rank(node), resources + terminals + rank(to)].map(|place| place as u32));
                }
            }
            start.push(head.len() as u32);
        }
        if has_ports {
            capacity.extend(topology.terminals().iter().map(|&terminal| rules.send_limit(terminal)));
            capacity.extend(topology.terminals().iter().map(|&terminal| rules.receive_limit(terminal)));
        }
        let (into_start, into) = by_end(topology.node_count(), &head);
        let width = if has_ports { 3 } else { 1 };
        let mut is_used = vec![false; capacity.len()];
        let is_unshared = used.iter().all(|&place: &u32| !std::mem::replace(&mut is_used[place as usize], true));
        Self {
            start,
            tail,
            head,
            into_start,
            into,
            used,
            width,
            is_unshared,
            capacity,
            resources,
            may_continue: topology.nodes().map(|node| rules.may_continue(node)).collect(),
            // A relayed message uses shortest paths from terminal to terminal, which together can be any walk if every
            // node is a terminal that routes. Elsewhere, they are a subset of all walks, so the bound holds.
            is_minimal: takes_fewest_channels(problem),
        }
    }

    pub(super) fn node_count(&self) -> usize {
        self.may_continue.len()
    }

    pub(super) fn channel_count(&self) -> usize {
        self.head.len()
    }

    /// Returns the channels by which a message from the source may leave a node.
    #[inline]
    pub(super) fn leaving(&self, node: u32, source: NodeId) -> Range<usize> {
        if self.may_leave(node, source) { self.from(node) } else { 0..0 }
    }

    /// Returns true if a message from the source may leave a node.
    #[inline]
    pub(super) fn may_leave(&self, node: u32, source: NodeId) -> bool {
        node == source.number() || self.may_continue[node as usize]
    }

    /// Returns the channels out of a node.
    #[inline]
    pub(super) fn from(&self, node: u32) -> Range<usize> {
        self.start[node as usize] as usize..self.start[node as usize + 1] as usize
    }

    /// Returns the channels into a node.
    #[inline]
    pub(super) fn entering(&self, node: u32) -> &[u32] {
        &self.into[self.into_start[node as usize] as usize..self.into_start[node as usize + 1] as usize]
    }

    #[inline]
    pub(super) fn tail(&self, channel: usize) -> u32 {
        self.tail[channel]
    }

    #[inline]
    pub(super) fn head(&self, channel: usize) -> u32 {
        self.head[channel]
    }

    /// Returns the capacities that each channel uses.
    #[inline]
    pub(super) fn used(&self) -> std::slice::ChunksExact<'_, u32> {
        self.used.chunks_exact(self.width)
    }

    /// Returns the capacities that a channel uses.
    #[inline]
    pub(super) fn used_by(&self, channel: usize) -> &[u32] {
        &self.used[channel * self.width..(channel + 1) * self.width]
    }

    /// Returns the only capacity that each channel uses, if no other channel uses it.
    #[inline]
    pub(super) fn unshared(&self) -> Option<&[u32]> {
        (self.is_unshared && self.width == 1).then_some(&self.used)
    }

    /// Returns the length of a channel: the sum of the lengths of the capacities that it uses.
    #[inline]
    pub(super) fn length(&self, channel: usize, of_capacity: &[f64]) -> f64 {
        if self.width == 1 {
            return of_capacity[self.used[channel] as usize];
        }
        self.used_by(channel).iter().map(|&place| of_capacity[place as usize]).sum()
    }
}

/// Returns the channels at each node in compressed sparse rows, from the node at the end of each channel.
fn by_end(node_count: usize, end: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut channels: Vec<u32> = (0..end.len() as u32).collect();
    channels.sort_by_key(|&channel| end[channel as usize]);
    let mut start = vec![0; node_count + 1];
    for &node in end {
        start[node as usize + 1] += 1;
    }
    for node in 0..node_count {
        start[node + 1] += start[node];
    }
    (start, channels)
}
