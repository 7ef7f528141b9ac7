//! Complete binary trees of terminals.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use super::power_of_two::check_node_count;
use crate::layout::tree_row;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const FULL_B_TREE: Family = Family {
    name: "full-b-tree",
    aliases: &[],
    parameters: "NODES",
    example: "full-b-tree:7",
    about: "complete binary tree whose nodes are all terminals and routers",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(full_b_tree(nodes.number()?)?)
    },
};

/// Generates the complete binary tree of `nodes = 2^h - 1` terminals, which all route.
///
/// - Nodes: `nodes` terminals in heap order, named by their numbers: the root is `0`, the children of `v` are `2v + 1`
///   and `2v + 2`, and depth `d` is `2^d - 1 .. 2^(d+1) - 1`.
/// - Channels: `2 * nodes - 2`; channel `2 * v - 2` leads from node `v` to its parent, `2 * v - 1` back.
/// - Degree at most 3, diameter `2 * h - 2`.
///
/// ```
/// let tree = lockstep_topology::full_b_tree(7)?;
/// assert_eq!((tree.terminal_count(), tree.channel_count()), (7, 12));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `nodes` is `2^h - 1` with `h` from 1; [`FamilyError::Topology`] if the
/// network is too large.
pub fn full_b_tree(nodes: u32) -> Result<Topology, FamilyError> {
    let leaves = u64::from(nodes).div_ceil(2);
    if nodes == 0 || 2 * leaves - 1 != u64::from(nodes) || !leaves.is_power_of_two() {
        check_node_count(nodes)?;
        let above = (u64::from(nodes) + 1).next_power_of_two().max(2);
        let name = FULL_B_TREE.name;
        let instead = match above {
            2 => format!("{name}:1"),
            _ => format!("{name}:{} or {name}:{}", above / 2 - 1, above - 1),
        };
        let needs = "one less than a power of two";
        return Err(FULL_B_TREE.unsupported("number of nodes", nodes, needs, instead));
    }
    let size = u64::from(nodes);
    let mut network = TopologyBuilder::sized(format!("full-b-tree:{nodes}"), size, 2 * (size - 1))?;
    numbered_terminals(&mut network, nodes);
    for node in 1..nodes {
        network.link(NodeId::new(node), NodeId::new((node - 1) / 2));
    }
    let leaves = leaves as u32;
    network.positions((0..=leaves.ilog2()).flat_map(|depth| tree_row(leaves, depth)));
    Ok(network.build()?)
}
