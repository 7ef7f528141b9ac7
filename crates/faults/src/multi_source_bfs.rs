//! Bit-parallel breadth-first search from several sources.

use lockstep_schedule::Transport;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// The maximum number of sources of one search: one bit each.
pub(crate) const MAX_SOURCES: usize = u64::BITS as usize;

/// The direction in which a search follows channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchDirection {
    /// From tail to head.
    Forward,
    /// From head to tail.
    Backward,
}

/// A breadth-first search along legal paths, from up to [`MAX_SOURCES`] nodes. Memory: 24 bytes per node.
///
/// # Source
///
/// Then et al., *The more the merrier: efficient multi-source graph traversal*, Proceedings of the VLDB Endowment 8
/// (2014).
#[derive(Clone, Debug)]
pub(crate) struct MultiSourceBfs<'a> {
    topology: &'a Topology,
    transport: Transport,
    direction: SearchDirection,
    /// The sources that have reached each node.
    reached_from: Vec<u64>,
    /// The sources that reach each node at this level, and at the next one.
    current: Vec<u64>,
    next: Vec<u64>,
    front: Vec<NodeId>,
    next_front: Vec<NodeId>,
}

/// The terminal that a search reaches last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LastReached {
    /// Number of channels from the source.
    pub(crate) distance: u32,
    /// Index of the source.
    pub(crate) source: usize,
    pub(crate) terminal: NodeId,
}

impl<'a> MultiSourceBfs<'a> {
    pub(crate) fn new(topology: &'a Topology, transport: Transport, direction: SearchDirection) -> Self {
        let [reached_from, current, next] = [(); 3].map(|()| vec![0; topology.node_count()]);
        Self { topology, transport, direction, reached_from, current, next, front: Vec::new(), next_front: Vec::new() }
    }

    /// Returns the sources that have reached a node, as bits. A source has reached itself.
    #[inline]
    pub(crate) fn reached_from(&self, node: NodeId) -> u64 {
        self.reached_from[node.index()]
    }

    /// Searches from these nodes. Returns the terminal that is reached last, if any terminal other than the sources is
    /// reached. Takes `O(M D)` time for distance `D`; in networks with buses, the time of
    /// [`Transport::distances`] per source, and if that takes too long, all walks count as paths.
    pub(crate) fn run(&mut self, sources: &[NodeId]) -> Option<LastReached> {
        if self.topology.has_buses()
            && let Some(distances) = self.distances_with_buses(sources)
        {
            return self.record(sources, &distances);
        }
        let Self { topology, transport, direction, .. } = *self;
        self.reached_from.fill(0);
        self.front.clear();
        for (bit, &source) in sources.iter().enumerate() {
            self.reached_from[source.index()] = 1 << bit;
            self.current[source.index()] = 1 << bit;
            self.front.push(source);
        }
        let mut last = None;
        for distance in 1.. {
            for node in std::mem::take(&mut self.front) {
                let bits = std::mem::take(&mut self.current[node.index()]);
                // A source always sends. Other nodes forward only if messages can cross them.
                if distance > 1 && !transport.crosses(topology, node) {
                    continue;
                }
                for &channel in self.channels(node) {
                    let other = match direction {
                        SearchDirection::Forward => topology.head(channel),
                        SearchDirection::Backward => topology.tail(channel),
                    };
                    let new = bits & !self.reached_from[other.index()];
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
            std::mem::swap(&mut self.current, &mut self.next);
            let mut is_recorded = false;
            for &node in &self.front {
                let bits = self.current[node.index()];
                self.reached_from[node.index()] |= bits;
                if !is_recorded && topology.is_terminal(node) {
                    is_recorded = true;
                    last = Some(LastReached { distance, source: bits.trailing_zeros() as usize, terminal: node });
                }
            }
        }
        last
    }

    /// Returns the lengths of the paths from each source that use no bus twice; `None` if the search takes too long.
    fn distances_with_buses(&self, sources: &[NodeId]) -> Option<Vec<Vec<Option<u32>>>> {
        let backwards = self.direction == SearchDirection::Backward;
        sources.iter().map(|&source| self.transport.distances(self.topology, source, backwards)).collect()
    }

    /// Sets the result of a search by the lengths of the paths from each source.
    fn record(&mut self, sources: &[NodeId], distances: &[Vec<Option<u32>>]) -> Option<LastReached> {
        self.reached_from.fill(0);
        let mut last: Option<LastReached> = None;
        for (source, (node, distances)) in sources.iter().zip(distances).enumerate() {
            self.reached_from[node.index()] |= 1 << source;
            for &terminal in self.topology.terminals().iter().filter(|&terminal| terminal != node) {
                let Some(distance) = distances[terminal.index()] else { continue };
                self.reached_from[terminal.index()] |= 1 << source;
                if last.is_none_or(|last| last.distance < distance) {
                    last = Some(LastReached { distance, source, terminal });
                }
            }
        }
        last
    }

    fn channels(&self, node: NodeId) -> &'a [ChannelId] {
        match self.direction {
            SearchDirection::Forward => self.topology.out_channels(node),
            SearchDirection::Backward => self.topology.in_channels(node),
        }
    }
}

/// Returns the bits of `sources` sources.
pub(crate) fn mask(sources: usize) -> u64 {
    u64::MAX >> (MAX_SOURCES - sources)
}
