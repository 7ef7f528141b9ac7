//! The paths of wormhole transfers in networks with buses, where a shortest walk may be illegal.

use lockstep_paths::{PathSelection, PathTable, TableError};
use lockstep_schedule::{Problem, Switching};

/// The maximum number of paths per pair of terminals.
const MAX_PATHS: u64 = 16;

/// The maximum number of paths of all pairs, if it is at least one per pair.
const TOTAL_PATHS: u64 = 1 << 20;

/// Returns the paths of wormhole transfers in a network with buses; `None` in other networks, and under store-and-forward
/// switching.
///
/// # Errors
///
/// [`TableError`], if the legal paths are too many or too hard to find.
pub(crate) fn bus_paths(problem: &Problem<'_>) -> Result<Option<PathTable>, TableError> {
    let topology = problem.topology();
    if !topology.has_buses() || problem.model().switching == Switching::StoreAndForward {
        return Ok(None);
    }
    let pairs = (topology.terminal_count() as u64).pow(2);
    let cap = (TOTAL_PATHS / pairs).clamp(1, MAX_PATHS) as usize;
    PathTable::build(topology, PathSelection::Shortest { cap, seed: 0 }).map(Some)
}
