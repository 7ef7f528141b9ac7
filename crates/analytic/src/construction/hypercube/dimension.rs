//! Sizes and nodes of the hypercube of a dimension.

use lockstep_schedule::Ports;

/// The largest number of channel uses of a base schedule or program, and of nodes of a numbering: 2^24, less than 250
/// MB. Broadcast and all-gather reach dimension 24, the others dimension 20.
pub(super) const MAX_BASE_USES: u64 = 1 << 24;

/// Returns the number of links on which a node sends in one round.
pub(super) fn links_per_round(dimension: u32, ports: Ports) -> usize {
    ports.of_degree(dimension as usize)
}

/// Returns true if the hypercube has this node.
pub(super) fn has_node(dimension: u32, node: u64) -> bool {
    node.checked_shr(dimension).unwrap_or(0) == 0
}
