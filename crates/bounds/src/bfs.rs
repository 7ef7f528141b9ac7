//! Breadth-first search.

use lockstep_topology::{NodeId, Topology};

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
        let topology = rules.topology;
        self.clear(topology.node_count());
        self.visit(source, |node| {
            let channels = if node == source || rules.may_continue(node) { topology.out_channels(node) } else { &[] };
            channels.iter().filter(|&&channel| rules.carries(channel)).map(|&channel| topology.head(channel))
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
