//! Distances.

use lockstep_topology::{NodeId, Topology};

use crate::legal::Legal;

/// Distance of a node that a search does not reach.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Breadth-first search from one node, with the memory of earlier searches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// Least number of channels from the start to each node, or [`UNREACHED`].
    pub(crate) distance: Vec<u32>,
    /// The nodes reached, nearest first.
    pub(crate) order: Vec<NodeId>,
}

impl Search {
    /// Follows messages from their source.
    pub(crate) fn forwards(&mut self, legal: Legal<'_>, source: NodeId) {
        let topology = legal.topology;
        self.clear(topology.node_count());
        self.spread(source, |node| {
            let channels = if node == source || legal.goes_on(node) { topology.out_channels(node) } else { &[] };
            channels.iter().filter(|&&channel| legal.carries(channel)).map(|&channel| topology.head(channel))
        });
    }

    /// Follows messages back from their receiver.
    pub(crate) fn backwards(&mut self, legal: Legal<'_>, receiver: NodeId) {
        let topology = legal.topology;
        self.clear(topology.node_count());
        self.spread(receiver, |node| {
            let channels = if node == receiver || legal.goes_on(node) { topology.in_channels(node) } else { &[] };
            channels.iter().filter(|&&channel| legal.carries(channel)).map(|&channel| topology.tail(channel))
        });
    }

    /// Follows links whatever their direction, and begins anew at the first node not reached until the order has all.
    pub(crate) fn everywhere(&mut self, links: &Links, start: NodeId) {
        let node_count = links.start.len() - 1;
        self.clear(node_count);
        self.spread(start, |node| links.at(node).iter().copied());
        for node in (0..node_count).map(NodeId::from_index) {
            if self.order.len() == node_count {
                break;
            }
            if self.distance[node.index()] == UNREACHED {
                self.spread(node, |node| links.at(node).iter().copied());
            }
        }
    }

    fn clear(&mut self, node_count: usize) {
        self.distance.clear();
        self.distance.resize(node_count, UNREACHED);
        self.order.clear();
    }

    fn spread<I: Iterator<Item = NodeId>>(&mut self, start: NodeId, next: impl Fn(NodeId) -> I) {
        let mut place = self.order.len();
        self.distance[start.index()] = 0;
        self.order.push(start);
        while let Some(&node) = self.order.get(place) {
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

/// Which nodes are joined by a channel, whatever its direction.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// Where the neighbours of each node begin in `neighbours`.
    start: Vec<u32>,
    neighbours: Vec<NodeId>,
}

impl Links {
    /// The links of a network. Memory: 8 bytes a channel.
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

    /// The neighbours of a node, ascending.
    pub(crate) fn at(&self, node: NodeId) -> &[NodeId] {
        &self.neighbours[self.start[node.index()] as usize..self.start[node.index() + 1] as usize]
    }

    /// Every pair of neighbours once, lower node first, ascending.
    pub(crate) fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let nodes = (0..self.start.len() - 1).map(NodeId::from_index);
        nodes.flat_map(|u| self.at(u).iter().filter(move |&&v| u < v).map(move |&v| (u, v))).collect()
    }
}
