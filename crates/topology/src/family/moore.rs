//! One of the two cubic graphs of 8 nodes and diameter 2.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const MOORE: Family = Family {
    name: "moore",
    aliases: &[],
    parameters: "NODES",
    example: "moore:8",
    about: "cubic graph of 8 nodes and diameter 2 that is not the octagon",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(moore(nodes.number()?)?)
    },
};

/// Generates the cubic graph of 8 nodes and diameter 2 that is not the [octagon](crate::octagon).
///
/// There are exactly two such graphs. `nodes` must be 8.
///
/// - Nodes: 8 terminals around a ring, named by their numbers.
/// - Channels: 24, link by link: the ring links from `v` to `v + 1`, then the chords `0 - 2`, `1 - 5`, `3 - 6`, `4 -
///   7`.
/// - Degree 3, diameter 2.
///
/// The document that compares this network with others of 8 nodes does not define it. The chords are a choice that
/// reproduces its figures.
///
/// ```
/// let moore = lockstep_topology::moore(8)?;
/// assert_eq!((moore.node_count(), moore.channel_count()), (8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] if `nodes` is not 8.
pub fn moore(nodes: u32) -> Result<Topology, FamilyError> {
    const CHORDS: [(u32, u32); 4] = [(0, 2), (1, 5), (3, 6), (4, 7)];
    if nodes != 8 {
        return Err(MOORE.unsupported("number of nodes", nodes, "8", "moore:8"));
    }
    let mut network = TopologyBuilder::new("moore:8");
    numbered_terminals(&mut network, nodes);
    for (u, v) in (0..8).map(|node| (node, (node + 1) % 8)).chain(CHORDS) {
        network.link(NodeId::new(u), NodeId::new(v));
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}
