//! Representative terminals for means over pairs.

use crate::graph::Graph;

/// Representatives of the terminals under symmetries.
///
/// A mean over all pairs needs searches only from these terminals, weighted by the sizes of their orbits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// The representatives, in ascending order.
    pub nodes: Vec<u32>,
    /// Number of terminals that each one represents.
    pub orbit_sizes: Vec<u32>,
}

impl Sources {
    /// Returns all terminals, each representing itself.
    pub fn all(graph: &Graph) -> Self {
        Self { nodes: graph.terminals().to_vec(), orbit_sizes: vec![1; graph.terminals().len()] }
    }

    /// Returns the representatives with the number of terminals that each represents.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone + '_ {
        self.nodes.iter().copied().zip(self.orbit_sizes.iter().copied())
    }
}
