//! Circulant digraphs.

use super::definition::{Family, Parameter};
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{CayleyGraph, NodeId, Topology, TopologyBuilder};

pub(super) const CIRCULANT_DIGRAPH: Family = Family {
    name: "circulant-digraph",
    aliases: &[],
    parameters: "NODES,SHIFT[,SHIFT...]",
    example: "circulant-digraph:8,1,3",
    about: "nodes on a circle, one-way channels to those SHIFT ahead; SHIFT 1 alone is the one-way ring",
    cayley: Some(|parameters| {
        let (nodes, shifts) = parameters.first_and_rest()?;
        let shifts: Vec<u32> = shifts.into_iter().map(Parameter::number).collect::<Result<_, _>>()?;
        let nodes: u32 = nodes.number()?;
        let shifts = check_shifts(nodes, &shifts)?;
        let generators: Vec<u64> = shifts.iter().copied().map(u64::from).collect();
        let group = CayleyGraph::new(spec(nodes, &shifts), &[nodes.into()], &generators);
        Ok(group.expect("the shifts are distinct and less than the number of nodes"))
    }),
    generate: |parameters| {
        let (nodes, shifts) = parameters.first_and_rest()?;
        let shifts: Vec<u32> = shifts.into_iter().map(Parameter::number).collect::<Result<_, _>>()?;
        Ok(circulant_digraph(nodes.number()?, &shifts)?)
    },
};

/// Generates the circulant digraph: a channel leads from node `v` to `v + s` modulo `nodes` for each shift `s`.
///
/// - Nodes: `nodes` terminals around the circle, named by their numbers.
/// - Channels: `nodes` per shift, one-way, by tail, then by ascending shift.
/// - In-degree and out-degree: the number of shifts. The digraph is strongly connected if `nodes` and the shifts have no
///   common divisor. The one-way ring, with shift 1, has diameter `nodes - 1`.
///
/// ```
/// let ring = lockstep_topology::circulant_digraph(8, &[1])?;
/// assert_eq!((ring.node_count(), ring.channel_count()), (8, 8));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 2 nodes, for no shift, a shift outside `1..nodes`, or a repeated shift;
/// [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Bermond, Comellas, Hsu, *Distributed loop computer networks: a survey*, Journal of Parallel and Distributed Computing
/// 24 (1995).
pub fn circulant_digraph(nodes: u32, shifts: &[u32]) -> Result<Topology, FamilyError> {
    let shifts = check_shifts(nodes, shifts)?;
    let channels = u64::from(nodes).saturating_mul(shifts.len() as u64);
    let mut network = TopologyBuilder::sized(spec(nodes, &shifts), nodes.into(), channels)?;
    numbered_terminals(&mut network, nodes);
    for node in 0..nodes {
        for &shift in &shifts {
            network.channel(NodeId::new(node), NodeId::new((node + shift) % nodes));
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}

fn spec(nodes: u32, shifts: &[u32]) -> String {
    let numbers: Vec<String> = std::iter::once(&nodes).chain(shifts).map(u32::to_string).collect();
    format!("circulant-digraph:{}", numbers.join(","))
}

/// Returns the shifts in ascending order.
fn check_shifts(nodes: u32, shifts: &[u32]) -> Result<Vec<u32>, FamilyError> {
    if nodes < 2 {
        return Err(CIRCULANT_DIGRAPH.unsupported("number of nodes", nodes, "2 or more", spec(2, &[1])));
    }
    if shifts.is_empty() {
        return Err(CIRCULANT_DIGRAPH.unsupported("number of shifts", 0u32, "1 or more", spec(nodes, &[1])));
    }
    let mut sorted = shifts.to_vec();
    sorted.sort_unstable();
    if let Some(&shift) = sorted.iter().find(|&&shift| shift == 0 || shift >= nodes) {
        let needs = format!("1 to {} for {nodes} nodes", nodes - 1);
        return Err(CIRCULANT_DIGRAPH.unsupported("shift", shift, needs, spec(nodes, &[(shift % nodes).max(1)])));
    }
    if let Some(&[shift, _]) = sorted.array_windows().find(|[shift, next]| shift == next) {
        sorted.dedup();
        return Err(CIRCULANT_DIGRAPH.unsupported("repeated shift", shift, "each once", spec(nodes, &sorted)));
    }
    Ok(sorted)
}
