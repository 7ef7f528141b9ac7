//! Families whose number of terminals is a power of two.

use super::definition::Family;
use super::error::FamilyError;
use crate::{MAX_NODES, TopologyError};

/// Returns `log2(terminals)`, or an error if `terminals` is not a power of two from 2.
pub(super) fn log2_terminals(family: &Family, terminals: u32) -> Result<u32, FamilyError> {
    if terminals.is_power_of_two() && terminals > 1 {
        return Ok(terminals.ilog2());
    }
    check_node_count(terminals)?;
    let above = u64::from(terminals).next_power_of_two();
    let name = family.name;
    let instead = if above < 4 { format!("{name}:2") } else { format!("{name}:{} or {name}:{above}", above / 2) };
    Err(family.unsupported("number of terminals", terminals, "a power of two from 2", instead))
}

/// Refuses more than [`MAX_NODES`] nodes, so that no error suggests a size that is too large.
pub(super) fn check_node_count(nodes: u32) -> Result<(), TopologyError> {
    let nodes = u64::from(nodes);
    if nodes > MAX_NODES { Err(TopologyError::TooManyNodes { nodes }) } else { Ok(()) }
}
