//! Meshes.

use super::definition::Family;
use super::error::FamilyError;
use super::grid::{grid, spec};
use crate::Topology;

pub(super) const MESH: Family = Family {
    name: "mesh",
    aliases: &["grid"],
    parameters: "SIDExSIDE[x...]",
    example: "mesh:4x4",
    about: "k-dimensional grid",
    cayley: None,
    generate: |parameters| Ok(mesh(&parameters.sides()?)?),
};

/// Generates the mesh with these sides.
///
/// - Nodes: `N = product(side)` terminals in row-major order, last axis fastest. Each is named by its coordinates:
///   `00`, `01`, …, or `10.3` if a side is longer than 10.
/// - Channels: `sum(2 * N * (side - 1) / side)`, by tail, then by axis, upwards before downwards.
/// - Degree at most 2 per side, diameter `sum(side - 1)`.
///
/// ```
/// let mesh = lockstep_topology::mesh(&[4, 4])?;
/// assert_eq!((mesh.node_count(), mesh.channel_count()), (16, 48));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 or more than 24 sides, or a side of 0; [`FamilyError::Topology`] if the network is
/// too large.
///
/// # Source
///
/// Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.1.
pub fn mesh(sides: &[u32]) -> Result<Topology, FamilyError> {
    Ok(grid(&MESH, spec(&MESH, sides), sides, false)?.build()?)
}
