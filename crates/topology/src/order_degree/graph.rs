//! What a search finds.

use super::{Link, Polycirculant};
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder, TopologyError};

/// A connected graph of a given order and degree, every node of the same degree, and how short its distances are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderDegreeGraph {
    pub(super) graph: Polycirculant,
    pub(super) distance_sum: u64,
    pub(super) bound: u64,
}

impl OrderDegreeGraph {
    /// Number of nodes.
    pub fn order(&self) -> u32 {
        (self.graph.neighbours().len() / self.graph.degree()) as u32
    }

    /// Number of links of a node.
    pub fn degree(&self) -> u32 {
        self.graph.degree() as u32
    }

    /// The sum of distances over ordered pairs of nodes.
    pub fn distance_sum(&self) -> u64 {
        self.distance_sum
    }

    /// What no graph of this order and degree can be below, see [`distance_sum_bound`](crate::distance_sum_bound).
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// The mean distance of two different nodes.
    pub fn average_distance(&self) -> f64 {
        let pairs = u64::from(self.order()) * u64::from(self.order() - 1);
        self.distance_sum as f64 / pairs as f64
    }

    /// How many turns of a circle with all nodes on it, in the order of their numbers, keep the graph.
    pub fn rotations(&self) -> u32 {
        self.graph.rotations()
    }

    /// The links by ascending ends, the lower node of each first.
    pub fn links(&self) -> Vec<[NodeId; 2]> {
        self.graph.links().into_iter().map(|Link { ends, .. }| ends.map(NodeId::new)).collect()
    }

    pub(crate) fn into_graph(self) -> Polycirculant {
        self.graph
    }

    /// The network of these links, in the order of [`links`](Self::links), its nodes named by their numbers and drawn on
    /// a circle.
    ///
    /// # Errors
    ///
    /// [`TopologyError`], if the name is none.
    pub fn topology(&self, name: impl Into<String>) -> Result<Topology, TopologyError> {
        let mut network = TopologyBuilder::new(name);
        for node in 0..self.order() {
            network.terminal(node.to_string());
        }
        for [u, v] in self.links() {
            network.link(u, v);
        }
        network.positions(circle(self.order()));
        network.build()
    }
}
