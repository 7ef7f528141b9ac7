//! Stars.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::{at, circle};
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const STAR: Family = Family {
    name: "star",
    aliases: &[],
    parameters: "NODES",
    example: "star:8",
    about: "a terminal in the centre linked to all others",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(star(nodes.number()?)?)
    },
};

/// Generates the star of `nodes` nodes: node `0` in the centre, linked to all others.
///
/// - Nodes: `nodes` terminals, named by their numbers.
/// - Channels: `2 * (nodes - 1)`; channels `2 * v - 2` and `2 * v - 1` lead from the centre to node `v` and back.
/// - Degree `nodes - 1` in the centre and 1 elsewhere, diameter 2.
///
/// ```
/// let star = lockstep_topology::star(8)?;
/// assert_eq!((star.node_count(), star.channel_count()), (8, 14));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 nodes; [`FamilyError::Topology`] if the network is too large.
pub fn star(nodes: u32) -> Result<Topology, FamilyError> {
    if nodes == 0 {
        return Err(STAR.unsupported("number of nodes", nodes, "1 or more", "star:1"));
    }
    let size = u64::from(nodes);
    let mut network = TopologyBuilder::sized(format!("star:{nodes}"), size, 2 * (size - 1))?;
    numbered_terminals(&mut network, nodes);
    for leaf in 1..nodes {
        network.link(NodeId::new(0), NodeId::new(leaf));
    }
    network.positions(std::iter::once(at(0.0, 0.0)).chain(circle(nodes - 1)));
    Ok(network.build()?)
}
