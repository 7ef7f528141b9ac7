//! A network in flat rows, and what its channels take up.

use std::ops::Range;

use lockstep_schedule::{Ports, Problem, Routing, Switching};
use lockstep_topology::NodeId;

use crate::legal::Legal;

/// The channels that carry transfers, numbered by their tails, and the *capacities* that a message takes up by crossing
/// each: its resource and, under store-and-forward with few ports, a send port at its tail and a reception port at its
/// head.
///
/// Memory: 16 bytes a channel, 24 with ports.
pub(super) struct Network {
    start: Vec<u32>,
    tail: Vec<u32>,
    head: Vec<u32>,
    into_start: Vec<u32>,
    into: Vec<u32>,
    /// `width` capacities of each channel.
    takes: Vec<u32>,
    width: usize,
    /// What each capacity serves in one step: 1 a resource that can be used, in the order of their numbers; then, if they
    /// count, the send ports of each terminal, and the reception ports of each.
    pub(super) capacity: Vec<u64>,
    /// Number of resources.
    pub(super) resources: usize,
    /// Whether a message may go on from a node that is not its source.
    goes_on: Vec<bool>,
    /// Whether messages may only take paths of the fewest channels.
    pub(super) is_minimal: bool,
}

impl Network {
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let (topology, legal, model) = (problem.topology(), Legal::new(problem), problem.model());
        // A wormhole takes ports at its ends only. Those of a direct message are always the same, and one that is relayed
        // needs no fewer, so that the ports of one terminal say as much as all of them.
        let has_ports = model.switching == Switching::StoreAndForward && model.ports != Ports::All;
        let (resources, terminals) = (topology.resource_count(), topology.terminal_count());
        let rank = |node| topology.terminal_rank(node).expect("store-and-forward goes from terminal to terminal");
        let mut capacity = vec![0; resources];
        let (mut start, mut tail, mut head, mut takes) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for node in topology.nodes() {
            for &channel in topology.out_channels(node).iter().filter(|&&channel| legal.carries(channel)) {
                let (to, resource) = (topology.head(channel), topology.resource(channel));
                tail.push(node.number());
                head.push(to.number());
                takes.push(resource.number());
                capacity[resource.index()] = 1;
                if has_ports {
                    takes.extend([resources + rank(node), resources + terminals + rank(to)].map(|place| place as u32));
                }
            }
            start.push(head.len() as u32);
        }
        if has_ports {
            capacity.extend(topology.terminals().iter().map(|&terminal| legal.send_limit(terminal)));
            capacity.extend(topology.terminals().iter().map(|&terminal| legal.receive_limit(terminal)));
        }
        let (into_start, into) = by_end(topology.node_count(), &head);
        Self {
            start,
            tail,
            head,
            into_start,
            into,
            takes,
            width: if has_ports { 3 } else { 1 },
            capacity,
            resources,
            goes_on: topology.nodes().map(|node| legal.goes_on(node)).collect(),
            // A relayed message goes from terminal to terminal on paths of the fewest channels. That is any walk where
            // every node is a terminal that routes, and no more than any walk elsewhere.
            is_minimal: legal.direct && model.routing == Routing::Minimal,
        }
    }

    pub(super) fn node_count(&self) -> usize {
        self.goes_on.len()
    }

    pub(super) fn channel_count(&self) -> usize {
        self.head.len()
    }

    /// The channels by which a message may leave a node on its way from the source.
    #[inline]
    pub(super) fn leaving(&self, node: u32, source: NodeId) -> Range<usize> {
        let place = node as usize;
        if node == source.number() || self.goes_on[place] {
            self.start[place] as usize..self.start[place + 1] as usize
        } else {
            0..0
        }
    }

    /// The channels into a node.
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

    /// The capacities that each channel takes up, channel by channel.
    #[inline]
    pub(super) fn takes(&self) -> std::slice::ChunksExact<'_, u32> {
        self.takes.chunks_exact(self.width)
    }

    /// Sets the length of each channel to the sum of those of all it takes up, from those of all capacities.
    pub(super) fn lengths_into(&self, length: &mut Vec<f64>, of_capacity: impl Iterator<Item = f64>) {
        let of_capacity: Vec<f64> = of_capacity.collect();
        length.clear();
        length.extend(self.takes().map(|taken| taken.iter().map(|&place| of_capacity[place as usize]).sum::<f64>()));
    }
}

/// The channels at each node in compressed rows, from the node at the end of each.
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
