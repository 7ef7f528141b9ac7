//! Hypercubes.

use super::definition::Family;
use super::error::FamilyError;
use crate::layout::GridAxes;
use crate::{CayleyGraph, NodeId, SpecError, Topology, TopologyBuilder};

pub(super) const HYPERCUBE: Family = Family {
    name: "hypercube",
    aliases: &["cube"],
    parameters: "DIMENSION",
    example: "hypercube:3",
    about: "binary hypercube",
    cayley: Some(|parameters| {
        let [dimension] = parameters.fields()?;
        cube_group(&HYPERCUBE, dimension.number()?, check_dimension, false)
    }),
    generate: |parameters| {
        let [dimension] = parameters.fields()?;
        Ok(hypercube(dimension.number()?)?)
    },
};

/// Generates the binary hypercube of this dimension.
///
/// - Nodes: `2^dimension` terminals, named by their binary labels.
/// - Channels: `dimension * 2^dimension`; channel `v * dimension + k` leads from node `v` to `v ^ (1 << k)`.
/// - Degree `dimension`, diameter `dimension`.
///
/// ```
/// let cube = lockstep_topology::hypercube(3)?;
/// assert_eq!((cube.node_count(), cube.channel_count()), (8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for dimension 0; [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §3.1.
pub fn hypercube(dimension: u32) -> Result<Topology, FamilyError> {
    check_dimension(dimension)?;
    cube_network(format!("hypercube:{dimension}"), dimension, false)
}

fn check_dimension(dimension: u32) -> Result<(), FamilyError> {
    match dimension {
        0 => Err(HYPERCUBE.unsupported("dimension", 0u32, "1 or more", "hypercube:1")),
        _ => Ok(()),
    }
}

/// Builds a hypercube. If `is_folded`, each node has a last channel to its complement.
pub(super) fn cube_network(name: String, dimension: u32, is_folded: bool) -> Result<Topology, FamilyError> {
    let nodes = 1u64.checked_shl(dimension).unwrap_or(u64::MAX);
    let degree = u64::from(dimension) + u64::from(is_folded);
    let mut network = TopologyBuilder::sized(name, nodes, nodes.saturating_mul(degree))?;
    let (nodes, width) = (1u32 << dimension, dimension as usize);
    for node in 0..nodes {
        network.terminal(format!("{node:0width$b}"));
    }
    for node in 0..nodes {
        for axis in 0..dimension {
            network.channel(NodeId::new(node), NodeId::new(node ^ 1 << axis));
        }
        if is_folded {
            network.channel(NodeId::new(node), NodeId::new(node ^ (nodes - 1)));
        }
    }
    let axes = GridAxes::new(&vec![2; width]);
    network.positions((0..nodes).map(|node| axes.place((0..dimension).rev().map(|axis| node >> axis & 1))));
    Ok(network.build()?)
}

/// Returns the Cayley graph of a hypercube of up to 60 dimensions.
pub(super) fn cube_group(
    family: &Family,
    dimension: u32,
    check: fn(u32) -> Result<(), FamilyError>,
    is_folded: bool,
) -> Result<CayleyGraph, SpecError> {
    check(dimension)?;
    if dimension > 60 {
        let instead = format!("{}:60", family.name);
        return Err(family.unsupported("dimension", dimension, "60 or less", instead).into());
    }
    let mut generators: Vec<u64> = (0..dimension).map(|axis| 1 << axis).collect();
    if is_folded {
        generators.push((1 << dimension) - 1);
    }
    let name = format!("{}:{dimension}", family.name);
    Ok(CayleyGraph::new(name, &vec![2; dimension as usize], &generators).expect("distinct bits"))
}
