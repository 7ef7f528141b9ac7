//! Generalised Kautz digraphs.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const GENERALISED_KAUTZ: Family = Family {
    name: "generalised-kautz",
    aliases: &[],
    parameters: "DEGREE,NODES",
    example: "generalised-kautz:2,8",
    about: "digraph of least diameter for any number of nodes, without its self-loops",
    cayley: None,
    generate: |parameters| {
        let [degree, nodes] = parameters.fields()?;
        Ok(generalised_kautz(degree.number()?, nodes.number()?)?)
    },
};

/// Generates the generalised Kautz digraph of this degree and number of nodes, without its self-loops.
///
/// A channel leads from node `x` to `-degree * x - a` modulo `nodes` for each `a` from 1 to `degree`. The loops of this
/// definition are omitted because they carry no traffic. For `(degree + 1) * degree^k` nodes, this is a Kautz digraph.
///
/// - Nodes: `nodes` terminals, named by their numbers.
/// - Channels: at most `nodes * degree`, one-way, by tail, then by ascending `a`.
/// - In-degree and out-degree at most `degree`, diameter at most the logarithm of `nodes` to base `degree`, rounded up.
///
/// ```
/// let network = lockstep_topology::generalised_kautz(3, 10)?;
/// assert_eq!((network.node_count(), network.channel_count()), (10, 28));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below degree 2, or if there are not more nodes than the degree; [`FamilyError::Topology`] if
/// the network is too large.
///
/// # Source
///
/// Imase, Itoh, *A design for directed graphs with minimum diameter*, IEEE Transactions on Computers 32 (1983).
pub fn generalised_kautz(degree: u32, nodes: u32) -> Result<Topology, FamilyError> {
    if degree < 2 {
        let instead = format!("generalised-kautz:2,{}", nodes.max(3));
        return Err(GENERALISED_KAUTZ.unsupported("degree", degree, "2 or more", instead));
    }
    if nodes <= degree {
        let needs = format!("more than the degree, {degree}");
        let instead = format!("generalised-kautz:{degree},{}", u64::from(degree) + 1);
        return Err(GENERALISED_KAUTZ.unsupported("number of nodes", nodes, needs, instead));
    }
    let [order, out] = [nodes, degree].map(u64::from);
    let name = format!("generalised-kautz:{degree},{nodes}");
    let mut network = TopologyBuilder::sized(name, order, order.saturating_mul(out))?;
    numbered_terminals(&mut network, nodes);
    for node in 0..nodes {
        for a in 1..=out {
            let head = (order - (out * u64::from(node) + a) % order) % order;
            if head != u64::from(node) {
                network.channel(NodeId::new(node), NodeId::new(head as u32));
            }
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}
