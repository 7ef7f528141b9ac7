//! Lengths of paths, for the verifier and the check of problems. Shares no code with `lockstep-paths`.

use lockstep_topology::{NodeId, Topology};

/// Distance of a node that no legal path reaches.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// The network, the direction and the inner nodes of a search.
#[derive(Clone, Copy)]
pub(crate) struct ReachSearch<'a, F> {
    /// The network.
    pub(crate) topology: &'a Topology,
    /// True if the search follows channels from head to tail.
    pub(crate) backwards: bool,
    /// Returns true for the nodes that may be inner nodes of a path.
    pub(crate) crosses: F,
}

impl<F: Fn(NodeId) -> bool + Copy> ReachSearch<'_, F> {
    /// Fills `distance` with the minimum number of channels from `source` to every node. Before and after the call,
    /// `queue` lists the nodes that are not [`UNREACHED`].
    pub(crate) fn distances(self, source: NodeId, distance: &mut [u32], queue: &mut Vec<NodeId>) {
        self.distances_within(UNREACHED, source, distance, queue);
    }

    /// As [`distances`](Self::distances), but nodes farther than `limit` stay unreached. O(nodes reached before and
    /// now).
    pub(crate) fn distances_within(self, limit: u32, source: NodeId, distance: &mut [u32], queue: &mut Vec<NodeId>) {
        let Self { topology, backwards, crosses } = self;
        for node in queue.drain(..) {
            distance[node.index()] = UNREACHED;
        }
        distance[source.index()] = 0;
        queue.push(source);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            if distance[node.index()] == limit {
                break;
            }
            next += 1;
            if node != source && !crosses(node) {
                continue;
            }
            let channels = if backwards { topology.in_channels(node) } else { topology.out_channels(node) };
            for &channel in channels {
                let other = if backwards { topology.tail(channel) } else { topology.head(channel) };
                if distance[other.index()] == UNREACHED {
                    distance[other.index()] = distance[node.index()] + 1;
                    queue.push(other);
                }
            }
        }
    }

    /// Returns true if `hub` may be an inner node, reaches every terminal and is reachable from every terminal. If
    /// true, every pair of terminals is connected. If false, nothing is proved.
    pub(crate) fn connects_all_through(self, hub: NodeId) -> bool {
        if !(self.crosses)(hub) {
            return false;
        }
        let (mut distance, mut queue) = (vec![UNREACHED; self.topology.node_count()], Vec::new());
        [false, true].into_iter().all(|backwards| {
            Self { backwards, ..self }.distances(hub, &mut distance, &mut queue);
            self.topology.terminals().iter().all(|terminal| distance[terminal.index()] != UNREACHED)
        })
    }
}
