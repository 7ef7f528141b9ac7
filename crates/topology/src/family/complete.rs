//! Complete graphs and stars.

use super::{Family, FamilyError, numbered_terminals};
use crate::layout::{at, circle};
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const COMPLETE: Family = Family {
    name: "complete",
    parameters: "NODES",
    example: "complete:8",
    about: "a full-duplex link between any two nodes",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(complete(nodes.number()?)?)
    },
};

pub(super) const STAR: Family = Family {
    name: "star",
    parameters: "NODES",
    example: "star:8",
    about: "a terminal in the centre linked to all others",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(star(nodes.number()?)?)
    },
};

/// The complete graph.
///
/// Nodes are named by their numbers; the channels that leave a node go by ascending neighbour.
///
/// ```
/// let complete = lockstep_topology::complete(8)?;
/// assert_eq!((complete.node_count(), complete.channel_count()), (8, 56));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no node; [`FamilyError::Topology`] if it is too large.
pub fn complete(nodes: u32) -> Result<Topology, FamilyError> {
    let mut network = network(&COMPLETE, nodes, |nodes| nodes.saturating_mul(nodes - 1))?;
    for node in 0..nodes {
        for other in (0..nodes).filter(|&other| other != node) {
            network.channel(NodeId::new(node), NodeId::new(other));
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}

/// The star of `nodes` nodes in all, each a terminal: node `0` in the centre, linked to all others.
///
/// Nodes are named by their numbers; the channel out of the centre comes before its opposite.
///
/// ```
/// let star = lockstep_topology::star(8)?;
/// assert_eq!((star.node_count(), star.channel_count()), (8, 14));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no node; [`FamilyError::Topology`] if it is too large.
pub fn star(nodes: u32) -> Result<Topology, FamilyError> {
    let mut network = network(&STAR, nodes, |nodes| 2 * (nodes - 1))?;
    for leaf in 1..nodes {
        network.link(NodeId::new(0), NodeId::new(leaf));
    }
    network.positions(std::iter::once(at(0.0, 0.0)).chain(circle(nodes - 1)));
    Ok(network.build()?)
}

/// Terminals only, in a network that is going to have this number of channels.
fn network(family: &Family, nodes: u32, channels: fn(u64) -> u64) -> Result<TopologyBuilder, FamilyError> {
    let name = format!("{}:{nodes}", family.name);
    if nodes == 0 {
        let instead = format!("{}:1", family.name);
        return Err(FamilyError::parameter(family, "number of nodes", nodes, "1 or more", instead));
    }
    let mut network = TopologyBuilder::sized(name, nodes.into(), channels(nodes.into()))?;
    numbered_terminals(&mut network, nodes);
    Ok(network)
}
