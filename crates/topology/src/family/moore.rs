//! The second cubic graph of 8 nodes and diameter 2.

use super::{Family, FamilyError, numbered_terminals};
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const MOORE: Family = Family {
    name: "moore",
    parameters: "NODES",
    example: "moore:8",
    about: "cubic graph of 8 nodes and diameter 2 that is not the octagon",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(moore(nodes.number()?)?)
    },
};

/// The cubic graph of 8 nodes and diameter 2 that is not the [octagon](crate::octagon); there are these two.
///
/// Nodes lie on a ring and are named by their numbers; chords `0 - 2`, `1 - 5`, `3 - 6` and `4 - 7`. Links are those of
/// the ring and then the chords.
///
/// The document that compares it with other networks of 8 nodes does not define it; this is a choice that reproduces
/// its figures.
///
/// ```
/// let moore = lockstep_topology::moore(8)?;
/// assert_eq!((moore.node_count(), moore.channel_count()), (8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for any other number of nodes.
pub fn moore(nodes: u32) -> Result<Topology, FamilyError> {
    const CHORDS: [(u32, u32); 4] = [(0, 2), (1, 5), (3, 6), (4, 7)];
    if nodes != 8 {
        return Err(FamilyError::parameter(&MOORE, "number of nodes", nodes, "8", "moore:8"));
    }
    let mut network = TopologyBuilder::new("moore:8");
    numbered_terminals(&mut network, nodes);
    for (u, v) in (0..8).map(|node| (node, (node + 1) % 8)).chain(CHORDS) {
        network.link(NodeId::new(u), NodeId::new(v));
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}
