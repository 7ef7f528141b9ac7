//! Hypercubes.

use super::{Family, FamilyError};
use crate::layout::Axes;
use crate::{CayleyGraph, NodeId, SpecError, Topology, TopologyBuilder};

pub(super) const HYPERCUBE: Family = Family {
    name: "hypercube",
    parameters: "DIMENSION",
    example: "hypercube:3",
    about: "binary hypercube",
    cayley: Some(|parameters| {
        let [dimension] = parameters.fields()?;
        cube_group(&HYPERCUBE, dimension.number()?)
    }),
    generate: |parameters| {
        let [dimension] = parameters.fields()?;
        Ok(hypercube(dimension.number()?)?)
    },
};

pub(super) const FOLDED_HYPERCUBE: Family = Family {
    name: "folded-hypercube",
    parameters: "DIMENSION",
    example: "folded-hypercube:3",
    about: "binary hypercube with links between opposite nodes",
    cayley: Some(|parameters| {
        let [dimension] = parameters.fields()?;
        cube_group(&FOLDED_HYPERCUBE, dimension.number()?)
    }),
    generate: |parameters| {
        let [dimension] = parameters.fields()?;
        Ok(folded_hypercube(dimension.number()?)?)
    },
};

/// The binary hypercube of this dimension.
///
/// `2^dimension` nodes of degree `dimension`, named by their binary labels; channel `v * dimension + k` leads from node
/// `v` to `v ^ (1 << k)`. Diameter `dimension`.
///
/// ```
/// let cube = lockstep_topology::hypercube(3)?;
/// assert_eq!((cube.node_count(), cube.channel_count()), (8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §3.1.
///
/// # Errors
///
/// [`FamilyError::Parameter`] for dimension 0; [`FamilyError::Topology`] if it is too large.
pub fn hypercube(dimension: u32) -> Result<Topology, FamilyError> {
    check_dimension(&HYPERCUBE, dimension)?;
    cube(format!("hypercube:{dimension}"), dimension, false)
}

/// The hypercube of this dimension with one more full-duplex link from every node to its opposite.
///
/// Node `v` has the neighbours `v ^ (1 << k)` in ascending `k`, and last its complement. Degree `dimension + 1`,
/// diameter `dimension / 2` rounded up.
///
/// ```
/// let cube = lockstep_topology::folded_hypercube(3)?;
/// assert_eq!((cube.node_count(), cube.channel_count()), (8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: El-Amawy, Latifi, *Properties and performance of folded hypercubes*, IEEE Trans. Parallel and Distributed
/// Systems 2 (1991).
///
/// # Errors
///
/// [`FamilyError::Parameter`] below dimension 2, where opposite nodes are neighbours already;
/// [`FamilyError::Topology`] if it is too large.
pub fn folded_hypercube(dimension: u32) -> Result<Topology, FamilyError> {
    check_dimension(&FOLDED_HYPERCUBE, dimension)?;
    cube(format!("folded-hypercube:{dimension}"), dimension, true)
}

fn cube(name: String, dimension: u32, folded: bool) -> Result<Topology, FamilyError> {
    let nodes = 1u64.checked_shl(dimension).unwrap_or(u64::MAX);
    let degree = u64::from(dimension) + u64::from(folded);
    let mut network = TopologyBuilder::sized(name, nodes, nodes.saturating_mul(degree))?;
    let (nodes, width) = (1u32 << dimension, dimension as usize);
    for node in 0..nodes {
        network.terminal(format!("{node:0width$b}"));
    }
    for node in 0..nodes {
        for axis in 0..dimension {
            network.channel(NodeId::new(node), NodeId::new(node ^ 1 << axis));
        }
        if folded {
            network.channel(NodeId::new(node), NodeId::new(node ^ (nodes - 1)));
        }
    }
    let axes = Axes::new(&vec![2; width]);
    network.positions((0..nodes).map(|node| axes.place((0..dimension).rev().map(|axis| node >> axis & 1))));
    Ok(network.build()?)
}

fn check_dimension(family: &Family, dimension: u32) -> Result<(), FamilyError> {
    match (family.name == FOLDED_HYPERCUBE.name, dimension) {
        (false, 0) => Err(FamilyError::parameter(family, "dimension", 0u32, "1 or more", "hypercube:1")),
        (true, 0 | 1) => Err(FamilyError::parameter(family, "dimension", dimension, "2 or more", "folded-hypercube:2")),
        _ => Ok(()),
    }
}

/// The group behind a hypercube, folded or not.
fn cube_group(family: &Family, dimension: u32) -> Result<CayleyGraph, SpecError> {
    check_dimension(family, dimension)?;
    if dimension > 60 {
        return Err(FamilyError::parameter(
            family,
            "dimension",
            dimension,
            "60 or less",
            format!("{}:60", family.name),
        )
        .into());
    }
    let mut generators: Vec<u64> = (0..dimension).map(|axis| 1 << axis).collect();
    if family.name == FOLDED_HYPERCUBE.name {
        generators.push((1 << dimension) - 1);
    }
    let name = format!("{}:{dimension}", family.name);
    Ok(CayleyGraph::new(name, &vec![2; dimension as usize], &generators).expect("distinct bits"))
}
