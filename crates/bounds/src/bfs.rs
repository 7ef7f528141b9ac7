//! Breadth-first search.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::transfer_rules::TransferRules;

/// The distance of a node that a search does not reach.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// A breadth-first search from one node. It reuses the memory of earlier searches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bfs {
    /// The smallest number of channels from the start to each node, or [`UNREACHED`].
    pub(crate) distance: Vec<u32>,
    /// The nodes reached, nearest first.
    pub(crate) order: Vec<NodeId>,
}

impl Bfs {
    /// Searches along the paths of messages from their source.
    pub(crate) fn forwards(&mut self, rules: TransferRules<'_>, source: NodeId) {
        self.forwards_over(rules, source, |_| true);
    }

    /// Searches along the paths of messages from a source, as far as they do not visit a node.
    pub(crate) fn around(&mut self, rules: TransferRules<'_>, source: NodeId, avoided: NodeId) {
        self.forwards_over(rules, source, |node| node != avoided);
    }

    /// Searches along the paths of messages from a source over some of the nodes.
    fn forwards_over(&mut self, rules: TransferRules<'_>, source: NodeId, may_visit: impl Fn(NodeId) -> bool) {
        let topology = rules.topology;
        self.clear(topology.node_count());
        self.visit(source, |node| {
            let channels = if node == source || rules.may_continue(node) { topology.out_channels(node) } else { &[] };
            let usable = channels.iter().filter(|&&channel| rules.carries(channel));
            usable.map(|&channel| topology.head(channel)).filter(|&head| may_visit(head))
        });
    }

    /// Searches against the paths of messages, from their receiver.
    pub(crate) fn backwards(&mut self, rules: TransferRules<'_>, receiver: NodeId) {
        let topology = rules.topology;
        self.clear(topology.node_count());
        self.visit(receiver, |node| {
            let channels = if node == receiver || rules.may_continue(node) { topology.in_channels(node) } else { &[] };
            channels.iter().filter(|&&channel| rules.carries(channel)).map(|&channel| topology.tail(channel))
        });
    }

    /// Searches links in both directions. Starts again at the first node that is not reached, until all nodes are.
    pub(crate) fn everywhere(&mut self, links: &Neighbours, start: NodeId) {
        let node_count = links.start.len() - 1;
        self.clear(node_count);
        self.visit(start, |node| links.at(node).iter().copied());
        for node in (0..node_count).map(NodeId::from_index) {
            if self.order.len() == node_count {
                break;
            }
            if self.distance[node.index()] == UNREACHED {
                self.visit(node, |node| links.at(node).iter().copied());
            }
        }
    }

    fn clear(&mut self, node_count: usize) {
        self.distance.clear();
        self.distance.resize(node_count, UNREACHED);
        self.order.clear();
    }

    fn visit<I: Iterator<Item = NodeId>>(&mut self, start: NodeId, next: impl Fn(NodeId) -> I) {
        let mut place = self.order.len();
        self.distance[start.index()] = 0;
        self.order.push(start);
        // The channels of the last nodes lead nowhere new.
        while self.order.len() < self.distance.len()
            && let Some(&node) = self.order.get(place)
        {
            place += 1;
            let farther = self.distance[node.index()] + 1;
            for other in next(node) {
                let distance = &mut self.distance[other.index()];
                if *distance == UNREACHED {
                    *distance = farther;
                    self.order.push(other);
                }
            }
        }
    }
}

/// Breadth-first searches from several nodes at the same time: a word has one bit per search. They reuse the memory of earlier
/// searches.
///
/// # Source
///
/// Then et al., *The more the merrier: efficient multi-source graph traversal*, PVLDB 8 (2014).
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchBfs {
    /// The distances of all nodes in each search, one search after the other.
    distance: Vec<u32>,
    node_count: usize,
    /// The number of entries from one search to the next.
    stride: usize,
    /// The searches that reached each node.
    reached: Vec<u64>,
    /// The searches that reach each node at the current distance, and at the next one.
    current: Vec<u64>,
    next: Vec<u64>,
    /// The nodes that some search reaches at the current distance, and at the next one.
    frontier: Vec<NodeId>,
    next_frontier: Vec<NodeId>,
}

/// The maximum number of searches at the same time.
pub(crate) const BATCH: usize = u64::BITS as usize;

impl BatchBfs {
    /// Searches along the paths of messages from at most [`BATCH`] sources.
    pub(crate) fn forwards(&mut self, rules: TransferRules<'_>, sources: &[NodeId]) {
        let topology = rules.topology;
        self.search(rules, sources, |node| topology.out_channels(node), |channel| topology.head(channel));
    }

    /// Searches against the paths of messages, from at most [`BATCH`] receivers.
    pub(crate) fn backwards(&mut self, rules: TransferRules<'_>, receivers: &[NodeId]) {
        let topology = rules.topology;
        self.search(rules, receivers, |node| topology.in_channels(node), |channel| topology.tail(channel));
    }

    /// Returns the smallest number of channels from the start of a search to each node, or [`UNREACHED`].
    pub(crate) fn distances(&self, search: usize) -> &[u32] {
        &self.distance[search * self.stride..][..self.node_count]
    }

    fn search<'a>(
        &mut self,
        rules: TransferRules<'_>,
        starts: &[NodeId],
        channels: impl Fn(NodeId) -> &'a [ChannelId],
        end: impl Fn(ChannelId) -> NodeId,
    ) {
        debug_assert!(starts.len() <= BATCH);
        self.clear(rules.topology.node_count(), starts.len());
        for (search, &start) in starts.iter().enumerate() {
            self.reach(start, 1 << search);
        }
        let mut distance = 0;
        loop {
            std::mem::swap(&mut self.frontier, &mut self.next_frontier);
            if self.frontier.is_empty() {
                return;
            }
            for &node in &self.frontier {
                let new = std::mem::take(&mut self.next[node.index()]);
                self.reached[node.index()] |= new;
                self.current[node.index()] = new;
                let mut left = new;
                while left != 0 {
                    self.distance[left.trailing_zeros() as usize * self.stride + node.index()] = distance;
                    left &= left - 1;
                }
            }
            let frontier = std::mem::take(&mut self.frontier);
            for &node in frontier.iter().filter(|&&node| distance == 0 || rules.may_continue(node)) {
                let searches = self.current[node.index()];
                for &channel in channels(node).iter().filter(|&&channel| rules.carries(channel)) {
                    self.reach(end(channel), searches);
                }
            }
            self.frontier = frontier;
            self.frontier.clear();
            distance += 1;
        }
    }

    fn clear(&mut self, node_count: usize, searches: usize) {
        self.node_count = node_count;
        self.distance.clear();
        // An odd number of lines of the cache, so that the entries of one node are spread over the whole cache.
        self.stride = node_count.next_multiple_of(16) | 16;
        self.distance.resize(self.stride * searches, UNREACHED);
        for table in [&mut self.reached, &mut self.current, &mut self.next] {
            table.clear();
            table.resize(node_count, 0);
        }
    }

    /// Marks a node as reached at the next distance by those of the searches that have not reached it yet.
    #[inline]
    fn reach(&mut self, node: NodeId, searches: u64) {
        let (new, next) = (searches & !self.reached[node.index()], &mut self.next[node.index()]);
        if *next == 0 && new != 0 {
            self.next_frontier.push(node);
        }
        *next |= new;
    }
}

/// The neighbours of all nodes: nodes joined by a channel in either direction.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    /// The start of the neighbours of each node in `neighbours`.
    start: Vec<u32>,
    neighbours: Vec<NodeId>,
}

impl Neighbours {
    /// Collects the neighbours in a network. Memory: 8 bytes per channel.
    pub(crate) fn new(topology: &Topology) -> Self {
        let (mut start, mut neighbours) = (vec![0], Vec::new());
        let mut around = Vec::new();
        for node in topology.nodes() {
            around.clear();
            around.extend(topology.out_channels(node).iter().map(|&channel| topology.head(channel)));
            around.extend(topology.in_channels(node).iter().map(|&channel| topology.tail(channel)));
            around.sort_unstable();
            around.dedup();
            neighbours.extend_from_slice(&around);
            start.push(neighbours.len() as u32);
        }
        Self { start, neighbours }
    }

    /// Returns the neighbours of a node, ascending.
    pub(crate) fn at(&self, node: NodeId) -> &[NodeId] {
        &self.neighbours[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }

    /// Returns every pair of neighbours once, lower node first, ascending.
    pub(crate) fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let nodes = (0..self.start.len() - 1).map(NodeId::from_index);
        nodes.flat_map(|u| self.at(u).iter().filter(move |&&v| u < v).map(move |&v| (u, v))).collect()
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::strategy::scheduled_instance;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// With nodes that do not pass messages on, and with a second use of the same memory.
        #[test]
        fn searches_at_the_same_time_find_the_distances_of_one_after_the_other((instance, _) in scheduled_instance(12)) {
            let problem = instance.problem();
            let (rules, topology) = (TransferRules::new(&problem), problem.topology());
            let (mut single, mut batch) = (Bfs::default(), BatchBfs::default());
            for nodes in [topology.terminals(), &topology.terminals()[1..]] {
                batch.forwards(rules, nodes);
                for (search, &node) in nodes.iter().enumerate() {
                    single.forwards(rules, node);
                    prop_assert_eq!(batch.distances(search), &single.distance);
                }
                batch.backwards(rules, nodes);
                for (search, &node) in nodes.iter().enumerate() {
                    single.backwards(rules, node);
                    prop_assert_eq!(batch.distances(search), &single.distance);
                }
            }
        }
    }
}
