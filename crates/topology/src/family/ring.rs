//! Rings.

use super::definition::Family;
use super::error::FamilyError;
use super::grid::{grid, torus_group};
use crate::Topology;
use crate::layout::circle;

pub(super) const RING: Family = Family {
    name: "ring",
    aliases: &["cycle"],
    parameters: "NODES",
    example: "ring:8",
    about: "cycle of full-duplex links",
    cayley: Some(|parameters| {
        let [nodes] = parameters.fields()?;
        torus_group(&RING, &[nodes.number()?])
    }),
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(ring(nodes.number()?)?)
    },
};

/// Generates the cycle of `nodes` nodes: the torus of one side.
///
/// - Nodes: `nodes` terminals around the ring, named by their numbers.
/// - Channels: `2 * nodes` for 3 or more nodes; channel `2 * v` leads from `v` to `v + 1`, `2 * v + 1` to `v - 1`. Two
///   nodes have one link, one node has none.
/// - Degree 2, diameter `nodes / 2`, rounded down.
///
/// ```
/// let ring = lockstep_topology::ring(8)?;
/// assert_eq!((ring.node_count(), ring.channel_count()), (8, 16));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 nodes; [`FamilyError::Topology`] if the network is too large.
pub fn ring(nodes: u32) -> Result<Topology, FamilyError> {
    if nodes == 0 {
        return Err(RING.unsupported("number of nodes", 0u32, "1 or more", "ring:3"));
    }
    let mut network = grid(&RING, format!("ring:{nodes}"), &[nodes], true)?;
    network.positions(circle(nodes));
    Ok(network.build()?)
}
