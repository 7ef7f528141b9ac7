//! Circulant graphs with chords 1 and 3.

use super::circulant::{circulant_group, circulant_network};
use super::definition::Family;
use super::error::FamilyError;
use crate::Topology;

pub(super) const K_RING: Family = Family {
    name: "k-ring",
    aliases: &[],
    parameters: "NODES",
    example: "k-ring:8",
    about: "circulant graph with chords 1 and 3",
    cayley: Some(|parameters| {
        let [nodes] = parameters.fields()?;
        let nodes = nodes.number()?;
        check_node_count(nodes)?;
        Ok(circulant_group(format!("k-ring:{nodes}"), nodes, &[1, 3]))
    }),
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(k_ring(nodes.number()?)?)
    },
};

/// Generates the circulant graph of `nodes` nodes with chords 1 and 3.
///
/// - Nodes: `nodes` terminals around the circle, named by their numbers.
/// - Channels: `4 * nodes`; those of node `v` lead to `v + 1`, `v - 1`, `v + 3`, `v - 3`.
/// - Degree 4, diameter about `nodes / 6`.
///
/// The document that compares this network with others of 8 nodes states its degree only. The chords are a choice that
/// reproduces its figures.
///
/// ```
/// let k_ring = lockstep_topology::k_ring(8)?;
/// assert_eq!((k_ring.node_count(), k_ring.channel_count()), (8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 7 nodes, where the degree is less than 4; [`FamilyError::Topology`] if the network
/// is too large.
pub fn k_ring(nodes: u32) -> Result<Topology, FamilyError> {
    check_node_count(nodes)?;
    circulant_network(format!("k-ring:{nodes}"), nodes, &[1, 3])
}

fn check_node_count(nodes: u32) -> Result<(), FamilyError> {
    if nodes < 7 {
        return Err(K_RING.unsupported("number of nodes", nodes, "7 or more", "k-ring:7"));
    }
    Ok(())
}
