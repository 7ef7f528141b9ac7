//! The result of the order/degree search.

use super::{Polycirculant, PolycirculantLink};
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder, TopologyError};

/// A connected regular graph of a given order and degree, with its sum of distances.
///
/// [`order_degree`](crate::order_degree()) and [`OrderDegreeSearch`](crate::OrderDegreeSearch) return it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderDegreeGraph {
    pub(super) graph: Polycirculant,
    pub(super) distance_sum: u64,
    pub(super) bound: u64,
    pub(super) diameter: u32,
}

impl OrderDegreeGraph {
    /// Returns the number of nodes.
    pub fn order(&self) -> u32 {
        (self.graph.neighbours().len() / self.graph.degree()) as u32
    }

    /// Returns the number of links per node.
    pub fn degree(&self) -> u32 {
        self.graph.degree() as u32
    }

    /// Returns the sum of distances over ordered pairs of nodes.
    pub fn distance_sum(&self) -> u64 {
        self.distance_sum
    }

    /// Returns the lower bound on the sum of distances, see [`distance_sum_bound`](crate::distance_sum_bound).
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// Returns the largest distance of two nodes.
    pub fn diameter(&self) -> u32 {
        self.diameter
    }

    /// Returns the mean distance of two distinct nodes.
    pub fn average_distance(&self) -> f64 {
        let pairs = u64::from(self.order()) * u64::from(self.order() - 1);
        self.distance_sum as f64 / pairs as f64
    }

    /// Returns the number of symmetries that are rotations of the circle with the nodes in the order of their numbers.
    pub fn rotations(&self) -> u32 {
        self.graph.rotations()
    }

    /// Returns the links by ascending ends, each with the lower node first.
    pub fn links(&self) -> Vec<[NodeId; 2]> {
        self.graph.links().into_iter().map(|PolycirculantLink { ends, .. }| ends.map(NodeId::new)).collect()
    }

    pub(crate) fn into_graph(self) -> Polycirculant {
        self.graph
    }

    /// Returns the network of these links, in the order of [`links`](Self::links). Nodes are terminals, named by their
    /// numbers and drawn on a circle.
    ///
    /// # Errors
    ///
    /// [`TopologyError`] if the network is too large.
    ///
    /// ```
    /// let graph = lockstep_topology::order_degree(10, 3, 1, 4)?; // the Petersen graph
    /// assert_eq!(graph.topology("petersen")?.channel_count(), 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
