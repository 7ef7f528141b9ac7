//! Degree expansions.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use super::operand::check_operand;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const EXPAND: Family = Family {
    name: "expand",
    aliases: &[],
    parameters: "COPIES,SPEC",
    example: "expand:4,complete:2",
    about: "COPIES of each node of SPEC, a channel between any copies of adjacent nodes; of complete:2, complete bipartite",
    cayley: None,
    generate: |parameters| {
        let (copies, operand) = parameters.number_and_operand()?;
        Ok(degree_expansion(&operand, copies)?)
    },
};

/// Generates the degree expansion of a network: `copies` of each node, and a channel from each copy of `u` to each copy of
/// `v` for every channel from `u` to `v`.
///
/// In graph theory, this is the lexicographic product with a graph of `copies` nodes and no links. The expansion of
/// `complete:2` is the complete bipartite graph, that of `complete:n` is complete multipartite.
///
/// - Nodes: `N * copies` terminals for `N` nodes, named by their numbers; copy `i` of node `v` has number `i * N + v`.
/// - Channels: `copies^2` per channel of the network, by tail, then in the order of the network, then by copy of the head.
/// - In-degree and out-degree are multiplied by `copies`. The distances between copies of different nodes are those of the
///   network; between copies of one node, it is the length of the shortest cycle through the node.
///
/// ```
/// use lockstep_topology::{complete, degree_expansion};
///
/// let bipartite = degree_expansion(&complete(2)?, 4)?;
/// assert_eq!((bipartite.name(), bipartite.node_count(), bipartite.channel_count()), ("expand:4,complete:2", 8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for 0 copies, or if the network has switches, failures, shared channels, capacities, latencies
/// or bandwidths; [`FamilyError::Topology`] if the expansion is too large.
///
/// # Source
///
/// Zhao et al., *Efficient direct-connect topologies for collective communications*, NSDI (2025).
pub fn degree_expansion(network: &Topology, copies: u32) -> Result<Topology, FamilyError> {
    check_operand(&EXPAND, network)?;
    let name = |copies: u32| format!("expand:{copies},{}", network.name());
    if copies == 0 {
        return Err(EXPAND.unsupported("number of copies", copies, "1 or more", name(1)));
    }
    let factor = u64::from(copies);
    let [nodes, channels] = [network.node_count(), network.channel_count()].map(|count| count as u64);
    let mut expansion = TopologyBuilder::sized(
        name(copies),
        nodes.saturating_mul(factor),
        channels.saturating_mul(factor).saturating_mul(factor),
    )?;
    let nodes = nodes as u32;
    numbered_terminals(&mut expansion, nodes * copies);
    for node in 0..nodes * copies {
        for &channel in network.out_channels(NodeId::new(node % nodes)) {
            for copy in 0..copies {
                expansion.channel(NodeId::new(node), NodeId::new(copy * nodes + network.head(channel).number()));
            }
        }
    }
    expansion.positions(circle(nodes * copies));
    Ok(expansion.build()?)
}
