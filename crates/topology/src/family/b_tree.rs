//! Complete binary trees of switches.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::{numbered_switches, numbered_terminals};
use super::power_of_two::log2_terminals;
use crate::layout::tree_row;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const B_TREE: Family = Family {
    name: "b-tree",
    aliases: &[],
    parameters: "TERMINALS",
    example: "b-tree:8",
    about: "complete binary tree of switches over TERMINALS leaves",
    cayley: None,
    generate: |parameters| {
        let [terminals] = parameters.fields()?;
        Ok(b_tree(terminals.number()?)?)
    },
};

/// Generates the complete binary tree of switches whose leaves are `terminals = 2^n` terminals.
///
/// - Nodes: the terminals `0`, `1`, … from left to right, then the `terminals - 1` switches `s<level>.<place>` from
///   level 0, above the terminals, up to the root.
/// - Channels: `4 * terminals - 4`; channel `2 * v` leads from node `v` to its parent, `2 * v + 1` back.
/// - Degree of a switch 3, of the root 2; diameter `2 * n`.
///
/// ```
/// let tree = lockstep_topology::b_tree(8)?;
/// assert_eq!((tree.terminal_count(), tree.node_count(), tree.channel_count()), (8, 15, 28));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `terminals` is a power of two from 2; [`FamilyError::Topology`] if the network is
/// too large.
pub fn b_tree(terminals: u32) -> Result<Topology, FamilyError> {
    let levels = log2_terminals(&B_TREE, terminals)?;
    let nodes = 2 * u64::from(terminals) - 1;
    let mut network = TopologyBuilder::sized(format!("b-tree:{terminals}"), nodes, 2 * (nodes - 1))?;
    numbered_terminals(&mut network, terminals);
    for level in 0..levels {
        numbered_switches(&mut network, level, terminals >> (level + 1));
    }
    // Numbered from the leaves upwards, the parents of nodes 0 and 1, 2 and 3, … are consecutive.
    for node in 0..nodes as u32 - 1 {
        network.link(NodeId::new(node), NodeId::new(terminals + node / 2));
    }
    network.positions((0..=levels).flat_map(|level| tree_row(terminals, levels - level)));
    Ok(network.build()?)
}
