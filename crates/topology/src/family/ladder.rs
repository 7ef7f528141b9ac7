//! Ladders.

use super::definition::Family;
use super::error::FamilyError;
use super::grid::grid;
use crate::Topology;

pub(super) const LADDER: Family = Family {
    name: "ladder",
    aliases: &[],
    parameters: "ROWSxRUNGS",
    example: "ladder:2x4",
    about: "two lines joined by rungs, a mesh of 2 rows",
    cayley: None,
    generate: |parameters| match parameters.sides()?[..] {
        [2, rungs] => Ok(ladder(rungs)?),
        [] | [_] => Err(parameters.count_error("2 parameters".into(), 1)),
        [rows, rungs] => {
            let instead = format!("ladder:2x{rungs} or mesh:{rows}x{rungs}");
            Err(LADDER.unsupported("number of rows", rows, "2", instead).into())
        }
        ref sides => Err(parameters.count_error("2 parameters".into(), sides.len())),
    },
};

/// Generates the ladder: two lines of `rungs` nodes, joined by rungs.
///
/// It is the [`mesh`](crate::mesh) `2 x rungs`.
///
/// - Nodes: `2 * rungs` terminals, in the order and with the names of the mesh.
/// - Channels: `6 * rungs - 4`, in the order of the mesh.
/// - Degree at most 3, diameter `rungs`.
///
/// ```
/// let ladder = lockstep_topology::ladder(4)?;
/// assert_eq!((ladder.node_count(), ladder.channel_count()), (8, 20));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 rungs; [`FamilyError::Topology`] if the network is too large.
pub fn ladder(rungs: u32) -> Result<Topology, FamilyError> {
    if rungs == 0 {
        return Err(LADDER.unsupported("number of rungs", 0u32, "1 or more", "ladder:2x1"));
    }
    Ok(grid(&LADDER, format!("ladder:2x{rungs}"), &[2, rungs], false)?.build()?)
}
