//! Tori.

use super::definition::Family;
use super::error::FamilyError;
use super::grid::{grid, spec, torus_group};
use crate::Topology;

pub(super) const TORUS: Family = Family {
    name: "torus",
    aliases: &[],
    parameters: "SIDExSIDE[x...]",
    example: "torus:4x4",
    about: "k-dimensional grid with wrap-around links",
    cayley: Some(|parameters| torus_group(&TORUS, &parameters.sides()?)),
    generate: |parameters| Ok(torus(&parameters.sides()?)?),
};

/// Generates the torus with these sides: a mesh whose lines are closed to cycles.
///
/// - Nodes: `N = product(side)` terminals, in the order and with the names of [`mesh`](crate::mesh).
/// - Channels: `2 * N` per side of 3 or more, `N` per side of 2, none per side of 1. They are in the order of
///   [`mesh`](crate::mesh). Two nodes on a line of length 2 have one link, not two parallel ones.
/// - Degree 2 per side of 3 or more, diameter `sum(side / 2)`, rounded down.
///
/// ```
/// let torus = lockstep_topology::torus(&[4, 4, 4])?;
/// assert_eq!((torus.node_count(), torus.channel_count()), (64, 384));
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
/// Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.1 and §3.1.
pub fn torus(sides: &[u32]) -> Result<Topology, FamilyError> {
    Ok(grid(&TORUS, spec(&TORUS, sides), sides, true)?.build()?)
}
