//! Folded hypercubes.

use super::definition::Family;
use super::error::FamilyError;
use super::hypercube::{cube_group, cube_network};
use crate::Topology;

pub(super) const FOLDED_HYPERCUBE: Family = Family {
    name: "folded-hypercube",
    aliases: &[],
    parameters: "DIMENSION",
    example: "folded-hypercube:3",
    about: "binary hypercube with links between opposite nodes",
    cayley: Some(|parameters| {
        let [dimension] = parameters.fields()?;
        cube_group(&FOLDED_HYPERCUBE, dimension.number()?, check_dimension, true)
    }),
    generate: |parameters| {
        let [dimension] = parameters.fields()?;
        Ok(folded_hypercube(dimension.number()?)?)
    },
};

/// Generates the folded hypercube: a hypercube with an additional link between each node and its complement.
///
/// - Nodes: `2^dimension` terminals, named by their binary labels.
/// - Channels: `(dimension + 1) * 2^dimension`, by tail; those of node `v` lead to `v ^ (1 << k)` in ascending `k`, the
///   last one to the complement of `v`.
/// - Degree `dimension + 1`, diameter `dimension / 2`, rounded up.
///
/// ```
/// let cube = lockstep_topology::folded_hypercube(3)?;
/// assert_eq!((cube.node_count(), cube.channel_count()), (8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below dimension 2, where complements are already neighbours; [`FamilyError::Topology`] if
/// the network is too large.
///
/// # Source
///
/// El-Amawy, Latifi, *Properties and performance of folded hypercubes*, IEEE Trans. Parallel and Distributed Systems 2
/// (1991).
pub fn folded_hypercube(dimension: u32) -> Result<Topology, FamilyError> {
    check_dimension(dimension)?;
    cube_network(format!("folded-hypercube:{dimension}"), dimension, true)
}

fn check_dimension(dimension: u32) -> Result<(), FamilyError> {
    match dimension {
        0 | 1 => Err(FOLDED_HYPERCUBE.unsupported("dimension", dimension, "2 or more", "folded-hypercube:2")),
        _ => Ok(()),
    }
}
