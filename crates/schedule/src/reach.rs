//! Lengths of paths, for the verifier and the check of problems. Shares no code with `lockstep-paths`.
//!
//! In a network with [buses](Topology::has_buses), a shortest walk may use a resource twice, which is illegal. Then the
//! search continues with longer paths. To find a shortest legal path is NP-hard there, so the search has a limit.

use lockstep_topology::{NodeId, ResourceId, Topology};

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
    /// True if a new transfer begins at each terminal of a path. Each transfer may use a resource again.
    pub(crate) forwards: bool,
}

/// The search from one node takes more than a [maximum number of steps](max_search_steps).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SearchTooLong;

/// Returns the maximum number of elementary steps of the search from one node in a network with buses.
pub(crate) fn max_search_steps(topology: &Topology) -> u64 {
    (1 << 22) + 64 * topology.channel_count() as u64
}

impl<F: Fn(NodeId) -> bool + Copy> ReachSearch<'_, F> {
    /// Fills `distance` with the minimum number of channels of a legal path from `source` to every terminal. Before and
    /// after the call, `queue` lists the nodes that are not [`UNREACHED`].
    ///
    /// # Errors
    ///
    /// [`SearchTooLong`], only in networks with buses.
    pub(crate) fn distances(
        self,
        source: NodeId,
        distance: &mut [u32],
        queue: &mut Vec<NodeId>,
    ) -> Result<(), SearchTooLong> {
        self.distances_within(UNREACHED, source, distance, queue)
    }

    /// As [`distances`](Self::distances), but nodes farther than `limit` stay unreached. Without buses: O(nodes reached
    /// before and now).
    pub(crate) fn distances_within(
        self,
        limit: u32,
        source: NodeId,
        distance: &mut [u32],
        queue: &mut Vec<NodeId>,
    ) -> Result<(), SearchTooLong> {
        self.walks_within(limit, source, distance, queue);
        if self.topology.has_buses() { self.legal_paths_within(limit, source, distance, queue) } else { Ok(()) }
    }

    /// Replaces the lengths of shortest walks by those of shortest legal paths.
    ///
    /// A partial path is its end and the buses in use. It is useless if an earlier one with the same end uses a subset of
    /// its buses. In particular, every path that visits a node twice is useless.
    fn legal_paths_within(
        self,
        limit: u32,
        source: NodeId,
        distance: &mut [u32],
        queue: &mut Vec<NodeId>,
    ) -> Result<(), SearchTooLong> {
        let Self { topology, backwards, crosses, forwards } = self;
        let mut sought = queue.iter().filter(|&&node| node != source && topology.is_terminal(node)).count();
        for node in queue.drain(..) {
            distance[node.index()] = UNREACHED;
        }
        distance[source.index()] = 0;
        queue.push(source);
        let mut partial_paths: Vec<(NodeId, Vec<ResourceId>)> = vec![(source, Vec::new())];
        let mut kept: Vec<Vec<Vec<ResourceId>>> = vec![Vec::new(); topology.node_count()];
        kept[source.index()].push(Vec::new());
        let (mut length, mut steps, max_steps) = (0, 0, max_search_steps(topology));
        while sought > 0 && length < limit && !partial_paths.is_empty() {
            length += 1;
            for (node, used) in std::mem::take(&mut partial_paths) {
                for &channel in if backwards { topology.in_channels(node) } else { topology.out_channels(node) } {
                    let other = if backwards { topology.tail(channel) } else { topology.head(channel) };
                    let resource = topology.resource(channel);
                    steps += 1 + used.len() as u64;
                    if used.contains(&resource) {
                        continue;
                    }
                    let mut used = used.clone();
                    if forwards && topology.is_terminal(other) {
                        used.clear();
                    } else if topology.is_bus(resource) {
                        used.push(resource);
                    }
                    let is_useless = kept[other.index()].iter().any(|earlier| {
                        steps += 1 + earlier.len() as u64;
                        earlier.iter().all(|bus| used.contains(bus))
                    });
                    if is_useless {
                        continue;
                    }
                    if distance[other.index()] == UNREACHED {
                        distance[other.index()] = length;
                        queue.push(other);
                        sought -= usize::from(topology.is_terminal(other));
                    }
                    if crosses(other) {
                        kept[other.index()].push(used.clone());
                        partial_paths.push((other, used));
                    }
                }
                if steps > max_steps {
                    return Err(SearchTooLong);
                }
            }
        }
        Ok(())
    }

    /// Fills `distance` with the minimum number of channels of a walk from `source` to every node, as far as `limit`.
    /// Resources do not matter.
    pub(crate) fn walks_within(self, limit: u32, source: NodeId, distance: &mut [u32], queue: &mut Vec<NodeId>) {
        let Self { topology, backwards, crosses, .. } = self;
        for node in queue.drain(..) {
            distance[node.index()] = UNREACHED;
        }
        distance[source.index()] = 0;
        queue.push(source);
        let mut next = 0;
        // The channels of the last nodes lead nowhere new.
        while queue.len() < distance.len()
            && let Some(&node) = queue.get(next)
        {
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
    /// true, every pair of terminals is connected. If false, or in networks with buses, nothing is proved.
    pub(crate) fn connects_all_through(self, hub: NodeId) -> bool {
        if !(self.crosses)(hub) {
            return false;
        }
        let (mut distance, mut queue) = (vec![UNREACHED; self.topology.node_count()], Vec::new());
        [false, true].into_iter().all(|backwards| {
            Self { backwards, ..self }.walks_within(UNREACHED, hub, &mut distance, &mut queue);
            self.topology.terminals().iter().all(|terminal| distance[terminal.index()] != UNREACHED)
        })
    }
}
