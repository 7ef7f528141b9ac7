//! Breadth-first searches from many nodes at once.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::Transport;

/// The most sources of one search: one bit each.
pub(crate) const WIDTH: usize = u64::BITS as usize;

/// From tail to head, or against the channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Forwards,
    Backwards,
}

/// Legal searches from up to [`WIDTH`] nodes at once. Memory: 24 bytes a node.
///
/// **Source**: Then et al., *The more the merrier: efficient multi-source graph traversal* (VLDB 8, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Waves<'a> {
    topology: &'a Topology,
    transport: Transport,
    direction: Direction,
    /// By which sources each node has been reached, before this level and in the next one.
    seen: Vec<u64>,
    fresh: Vec<u64>,
    next: Vec<u64>,
    front: Vec<NodeId>,
    next_front: Vec<NodeId>,
}

/// The last terminal that a search reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Last {
    /// Channels from the source.
    pub(crate) distance: u32,
    /// The place of the source.
    pub(crate) source: usize,
    pub(crate) terminal: NodeId,
}

impl<'a> Waves<'a> {
    pub(crate) fn new(topology: &'a Topology, transport: Transport, direction: Direction) -> Self {
        let [seen, fresh, next] = [(); 3].map(|()| vec![0; topology.node_count()]);
        Self { topology, transport, direction, seen, fresh, next, front: Vec::new(), next_front: Vec::new() }
    }

    /// The sources, as bits, that have reached a node, itself included.
    #[inline]
    pub(crate) fn seen(&self, node: NodeId) -> u64 {
        self.seen[node.index()]
    }

    /// Searches from all of these nodes; says which terminal is reached last, if any beside the sources is. Takes `O(M)`
    /// time for each different distance.
    pub(crate) fn run(&mut self, sources: &[NodeId]) -> Option<Last> {
        let Self { topology, transport, direction, .. } = *self;
        self.seen.fill(0);
        self.front.clear();
        for (bit, &source) in sources.iter().enumerate() {
            self.seen[source.index()] = 1 << bit;
            self.fresh[source.index()] = 1 << bit;
            self.front.push(source);
        }
        let mut last = None;
        for distance in 1.. {
            for node in std::mem::take(&mut self.front) {
                let bits = std::mem::take(&mut self.fresh[node.index()]);
                // A source sends whatever it is; what comes later only crosses some.
                if distance > 1 && !transport.crosses(topology, node) {
                    continue;
                }
                for &channel in self.channels(node) {
                    let other = match direction {
                        Direction::Forwards => topology.head(channel),
                        Direction::Backwards => topology.tail(channel),
                    };
                    let new = bits & !self.seen[other.index()];
                    if new != 0 && transport.touches(topology, other) {
                        if self.next[other.index()] == 0 {
                            self.next_front.push(other);
                        }
                        self.next[other.index()] |= new;
                    }
                }
            }
            if self.next_front.is_empty() {
                break;
            }
            std::mem::swap(&mut self.front, &mut self.next_front);
            std::mem::swap(&mut self.fresh, &mut self.next);
            let mut is_found = false;
            for &node in &self.front {
                let bits = self.fresh[node.index()];
                self.seen[node.index()] |= bits;
                if !is_found && topology.is_terminal(node) {
                    is_found = true;
                    last = Some(Last { distance, source: bits.trailing_zeros() as usize, terminal: node });
                }
            }
        }
        last
    }

    fn channels(&self, node: NodeId) -> &'a [ChannelId] {
        match self.direction {
            Direction::Forwards => self.topology.out_channels(node),
            Direction::Backwards => self.topology.in_channels(node),
        }
    }
}

/// The bits of so many sources.
pub(crate) fn mask(sources: usize) -> u64 {
    u64::MAX >> (WIDTH - sources)
}
