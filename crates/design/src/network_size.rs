//! The size of a network, for estimates of evaluation time.

use crate::machine::Machine;

/// The size of a network, as [`Objective::estimated_ns`](crate::Objective::estimated_ns) needs it.
///
/// ```
/// use lockstep_design::{Network, objective};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:64x64".parse()?;
/// let size = Network::of(&torus).size();
/// assert_eq!((size.nodes, size.arcs), (4096, 4 * 4096));
/// assert_eq!(size.sources, 1); // a torus is vertex-transitive
/// assert!(objective("diameter")?.estimated_ns(&size) < objective("throughput")?.estimated_ns(&size));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetworkSize {
    /// Number of terminals that searches start from: one per known orbit of the symmetries.
    pub sources: u64,
    /// Number of terminals.
    pub terminals: u64,
    /// Number of nodes.
    pub nodes: u64,
    /// Number of distinct pairs of adjacent nodes, by direction.
    pub arcs: u64,
    /// True if each terminal forwards messages or is a leaf. Then flows from one terminal determine the edge
    /// connectivity.
    pub terminals_forward: bool,
}

impl NetworkSize {
    /// Returns the size of the networks of a machine, with the most symmetries and no cables.
    pub(crate) fn least_of(machine: &Machine) -> Self {
        let routers = machine.router_count().into();
        // Shifts by one chassis map the two routers of a chassis to all others.
        Self { sources: 2, terminals: routers, nodes: routers, arcs: 0, terminals_forward: true }
    }

    /// Returns the number of nodes and arcs: the time of one traversal.
    pub(crate) fn elements(&self) -> u64 {
        self.nodes + self.arcs
    }

    /// Time of a breadth-first search from each source, in nanoseconds.
    pub(crate) fn searches_ns(&self) -> u64 {
        product(&[self.sources, self.elements(), 5])
    }
}

/// Multiplies estimates, saturating.
pub(crate) fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product, &factor| product.saturating_mul(factor))
}
