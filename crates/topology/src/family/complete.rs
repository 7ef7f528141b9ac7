//! Complete graphs.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const COMPLETE: Family = Family {
    name: "complete",
    aliases: &["clique", "full-mesh"],
    parameters: "NODES",
    example: "complete:8",
    about: "a full-duplex link between any two nodes",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(complete(nodes.number()?)?)
    },
};

/// Generates the complete graph of `nodes` nodes.
///
/// - Nodes: `nodes` terminals, named by their numbers.
/// - Channels: `nodes * (nodes - 1)`, by tail, then by head.
/// - Degree `nodes - 1`, diameter 1.
///
/// ```
/// let complete = lockstep_topology::complete(8)?;
/// assert_eq!((complete.node_count(), complete.channel_count()), (8, 56));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 nodes; [`FamilyError::Topology`] if the network is too large.
pub fn complete(nodes: u32) -> Result<Topology, FamilyError> {
    if nodes == 0 {
        return Err(COMPLETE.unsupported("number of nodes", nodes, "1 or more", "complete:1"));
    }
    let size = u64::from(nodes);
    let mut network = TopologyBuilder::sized(format!("complete:{nodes}"), size, size.saturating_mul(size - 1))?;
    numbered_terminals(&mut network, nodes);
    for node in 0..nodes {
        for other in (0..nodes).filter(|&other| other != node) {
            network.channel(NodeId::new(node), NodeId::new(other));
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}
