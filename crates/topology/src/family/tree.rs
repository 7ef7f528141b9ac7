//! Complete binary trees.

use super::{Family, FamilyError, check_node_count, log2_terminals, numbered_switches, numbered_terminals};
use crate::layout::at;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const B_TREE: Family = Family {
    name: "b-tree",
    parameters: "TERMINALS",
    example: "b-tree:8",
    about: "complete binary tree of switches over TERMINALS leaves",
    cayley: None,
    generate: |parameters| {
        let [terminals] = parameters.fields()?;
        Ok(b_tree(terminals.number()?)?)
    },
};

pub(super) const FULL_B_TREE: Family = Family {
    name: "full-b-tree",
    parameters: "NODES",
    example: "full-b-tree:7",
    about: "complete binary tree whose nodes are all terminals and routers",
    cayley: None,
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(full_b_tree(nodes.number()?)?)
    },
};

/// The complete binary tree of switches whose leaves are `terminals = 2^n` terminals.
///
/// Nodes are the terminals `0`, `1`, … from left to right and then the switches `s<level>.<place>`, level 0 above the
/// terminals and the root last. One full-duplex link an edge, numbered by the lower node, the channel up before the
/// channel down: channels `2 * v` and `2 * v + 1` join node `v` to its parent.
///
/// ```
/// let tree = lockstep_topology::b_tree(8)?;
/// assert_eq!((tree.terminal_count(), tree.node_count(), tree.channel_count()), (8, 15, 28));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `terminals` is a power of two from 2; [`FamilyError::Topology`] if it is too large.
pub fn b_tree(terminals: u32) -> Result<Topology, FamilyError> {
    let levels = log2_terminals(&B_TREE, terminals)?;
    let nodes = 2 * u64::from(terminals) - 1;
    let mut network = TopologyBuilder::sized(format!("b-tree:{terminals}"), nodes, 2 * (nodes - 1))?;
    numbered_terminals(&mut network, terminals);
    for level in 0..levels {
        numbered_switches(&mut network, level, terminals >> (level + 1));
    }
    // Counting from the leaves upwards, the parents of nodes 0 and 1, 2 and 3, … are consecutive.
    for node in 0..nodes as u32 - 1 {
        network.link(NodeId::new(node), NodeId::new(terminals + node / 2));
    }
    network.positions((0..=levels).flat_map(|level| row(terminals, levels - level)));
    Ok(network.build()?)
}

/// The complete binary tree of `nodes = 2^h - 1` nodes, each of them terminal and router.
///
/// Nodes are numbered and named as in a heap: the root is `0`, the children of `v` are `2v + 1` and `2v + 2`, and depth
/// `d` is `2^d - 1 .. 2^(d+1) - 1`. One full-duplex link an edge, numbered by the lower node, the channel up before the
/// channel down: channels `2 * v - 2` and `2 * v - 1` join node `v` to its parent.
///
/// ```
/// let tree = lockstep_topology::full_b_tree(7)?;
/// assert_eq!((tree.terminal_count(), tree.channel_count()), (7, 12));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `nodes` is `2^h - 1` with `h` from 1; [`FamilyError::Topology`] if it is too large.
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
        return Err(FamilyError::parameter(&FULL_B_TREE, "number of nodes", nodes, needs, instead));
    }
    let size = u64::from(nodes);
    let mut network = TopologyBuilder::sized(format!("full-b-tree:{nodes}"), size, 2 * (size - 1))?;
    numbered_terminals(&mut network, nodes);
    for node in 1..nodes {
        network.link(NodeId::new(node), NodeId::new((node - 1) / 2));
    }
    let leaves = leaves as u32;
    network.positions((0..=leaves.ilog2()).flat_map(|depth| row(leaves, depth)));
    Ok(network.build()?)
}

/// The positions of the nodes at this depth of a tree, the root at the top and the leaves one unit apart.
fn row(leaves: u32, depth: u32) -> impl Iterator<Item = [f64; 2]> {
    let count = 1 << depth;
    let pitch_down = f64::max(1.5, f64::from(leaves) / f64::from(3 * leaves.ilog2().max(1)));
    let pitch = f64::from(leaves / count);
    (0..count).map(move |place| at((f64::from(place) + 0.5) * pitch - 0.5, pitch_down * f64::from(depth)))
}
