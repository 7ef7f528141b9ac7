//! Circulant graphs.

use super::definition::{Family, Parameter};
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{CayleyGraph, NodeId, Topology, TopologyBuilder};

pub(super) const CIRCULANT: Family = Family {
    name: "circulant",
    aliases: &[],
    parameters: "NODES,CHORD[,CHORD...]",
    example: "circulant:8,1,4",
    about: "nodes on a circle, each linked to those one CHORD away",
    cayley: Some(|parameters| {
        let (nodes, chords) = parameters.first_and_rest()?;
        let chords: Vec<u32> = chords.into_iter().map(Parameter::number).collect::<Result<_, _>>()?;
        let nodes: u32 = nodes.number()?;
        let chords = check_chords(nodes, &chords)?;
        Ok(circulant_group(spec(nodes, &chords), nodes, &chords))
    }),
    generate: |parameters| {
        let (nodes, chords) = parameters.first_and_rest()?;
        let chords: Vec<u32> = chords.into_iter().map(Parameter::number).collect::<Result<_, _>>()?;
        Ok(circulant(nodes.number()?, &chords)?)
    },
};

/// Generates the circulant graph: node `v` is linked to `v + c` and `v - c` modulo `nodes` for each chord `c`.
///
/// - Nodes: `nodes` terminals around the circle, named by their numbers.
/// - Channels: `2 * nodes` per chord, `nodes` for the chord `nodes / 2`; by tail, then by ascending chord, `v + c`
///   before `v - c`.
/// - Degree 2 per chord, 1 for the chord `nodes / 2`. The graph is connected if `nodes` and the chords have no common
///   divisor. The diameter has no closed formula.
///
/// ```
/// let circulant = lockstep_topology::circulant(8, &[1, 4])?;
/// assert_eq!((circulant.node_count(), circulant.channel_count()), (8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 3 nodes, for no chord, a chord outside `1..=nodes / 2`, or a repeated chord;
/// [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Boesch, Tindell, *Circulants and their connectivities*, Journal of Graph Theory 8 (1984).
pub fn circulant(nodes: u32, chords: &[u32]) -> Result<Topology, FamilyError> {
    let chords = check_chords(nodes, chords)?;
    circulant_network(spec(nodes, &chords), nodes, &chords)
}

fn spec(nodes: u32, chords: &[u32]) -> String {
    let numbers: Vec<String> = std::iter::once(&nodes).chain(chords).map(u32::to_string).collect();
    format!("circulant:{}", numbers.join(","))
}

/// Builds the circulant graph of these chords, which are distinct and from 1 to `nodes / 2`.
pub(super) fn circulant_network(name: String, nodes: u32, chords: &[u32]) -> Result<Topology, FamilyError> {
    let degree: u64 = chords.iter().map(|&chord| if 2 * u64::from(chord) == u64::from(nodes) { 1 } else { 2 }).sum();
    let mut network = TopologyBuilder::sized(name, nodes.into(), u64::from(nodes).saturating_mul(degree))?;
    numbered_terminals(&mut network, nodes);
    for node in 0..nodes {
        for &chord in chords {
            let (up, down) = ((node + chord) % nodes, (node + nodes - chord) % nodes);
            network.channel(NodeId::new(node), NodeId::new(up));
            if up != down {
                network.channel(NodeId::new(node), NodeId::new(down));
            }
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}

/// Returns the Cayley graph of a circulant graph.
pub(super) fn circulant_group(name: String, nodes: u32, chords: &[u32]) -> CayleyGraph {
    let mut generators = Vec::new();
    for &chord in chords {
        generators.push(chord.into());
        if 2 * u64::from(chord) != u64::from(nodes) {
            generators.push((nodes - chord).into());
        }
    }
    CayleyGraph::new(name, &[nodes.into()], &generators).expect("chords up to half of the circle are distinct")
}

/// Returns the chords in ascending order.
fn check_chords(nodes: u32, chords: &[u32]) -> Result<Vec<u32>, FamilyError> {
    if nodes < 3 {
        return Err(CIRCULANT.unsupported("number of nodes", nodes, "3 or more", "circulant:3,1"));
    }
    if chords.is_empty() {
        return Err(CIRCULANT.unsupported("number of chords", 0u32, "1 or more", spec(nodes, &[1])));
    }
    let mut sorted = chords.to_vec();
    sorted.sort_unstable();
    if let Some(&[chord, _]) = sorted.array_windows().find(|[chord, next]| chord == next) {
        sorted.dedup();
        return Err(CIRCULANT.unsupported("repeated chord", chord, "each once", spec(nodes, &sorted)));
    }
    if let Some(&chord) = sorted.iter().find(|&&chord| chord == 0 || chord > nodes / 2) {
        // A chord longer than half of the circle equals a shorter one in the other direction.
        let equivalent = match chord % nodes {
            0 => 1,
            short => short.min(nodes - short),
        };
        let needs = format!("1 to {} for {nodes} nodes", nodes / 2);
        return Err(CIRCULANT.unsupported("chord", chord, needs, spec(nodes, &[equivalent])));
    }
    Ok(sorted)
}
