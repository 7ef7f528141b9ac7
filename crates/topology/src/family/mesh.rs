//! Meshes, tori and their one-dimensional and two-row cases.

use super::{Family, FamilyError};
use crate::layout::{Axes, circle};
use crate::{CayleyGraph, NodeId, SpecError, Topology, TopologyBuilder, TopologyError};

/// More sides than this would mean more nodes than a topology may have, or sides of length 1.
const MAX_SIDES: usize = 24;

pub(super) const RING: Family = Family {
    name: "ring",
    parameters: "NODES",
    example: "ring:8",
    about: "cycle of full-duplex links",
    cayley: Some(|parameters| {
        let [nodes] = parameters.fields()?;
        torus_group(&RING, &[nodes.number()?])
    }),
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(ring(nodes.number()?)?)
    },
};

pub(super) const MESH: Family = Family {
    name: "mesh",
    parameters: "SIDExSIDE[x...]",
    example: "mesh:4x4",
    about: "k-dimensional grid",
    cayley: None,
    generate: |parameters| Ok(mesh(&parameters.sides()?)?),
};

pub(super) const TORUS: Family = Family {
    name: "torus",
    parameters: "SIDExSIDE[x...]",
    example: "torus:4x4",
    about: "k-dimensional grid with wrap-around links",
    cayley: Some(|parameters| torus_group(&TORUS, &parameters.sides()?)),
    generate: |parameters| Ok(torus(&parameters.sides()?)?),
};

pub(super) const LADDER: Family = Family {
    name: "ladder",
    parameters: "ROWSxRUNGS",
    example: "ladder:2x4",
    about: "two lines joined by rungs, a mesh of 2 rows",
    cayley: None,
    generate: |parameters| match parameters.sides()?[..] {
        [2, rungs] => Ok(ladder(rungs)?),
        [] | [_] => Err(parameters.count_error("2 parameters".into(), 1)),
        [rows, rungs] => {
            let instead = format!("ladder:2x{rungs} or mesh:{rows}x{rungs}");
            Err(FamilyError::parameter(&LADDER, "number of rows", rows, "2", instead).into())
        }
        ref sides => Err(parameters.count_error("2 parameters".into(), sides.len())),
    },
};

/// The mesh with these sides.
///
/// Nodes are numbered row-major, last axis fastest, and named by their coordinates: `00`, `01`, …, or `10.3` where a
/// side is longer than 10. The channels that leave a node go along the first axis first, upwards before downwards.
/// Diameter `sum(side - 1)`.
///
/// ```
/// let mesh = lockstep_topology::mesh(&[4, 4])?;
/// assert_eq!((mesh.node_count(), mesh.channel_count()), (16, 48));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.1.
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no side, more than 24, or a side of 0; [`FamilyError::Topology`] if it is too large.
pub fn mesh(sides: &[u32]) -> Result<Topology, FamilyError> {
    Ok(grid(&MESH, spec(&MESH, sides), sides, false)?.build()?)
}

/// The torus with these sides: a mesh whose lines are closed to cycles.
///
/// Numbers, names and channel order are those of [`mesh`]. A line of two nodes has one full-duplex link, not two in
/// parallel, and a line of one node has none. Degree `2 * sides` and diameter `sum(side / 2)` for sides from 3.
///
/// ```
/// let torus = lockstep_topology::torus(&[4, 4, 4])?;
/// assert_eq!((torus.node_count(), torus.channel_count()), (64, 384));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.1 and §3.1.
///
/// # Errors
///
/// As [`mesh`].
pub fn torus(sides: &[u32]) -> Result<Topology, FamilyError> {
    Ok(grid(&TORUS, spec(&TORUS, sides), sides, true)?.build()?)
}

/// The cycle of `nodes` nodes, the torus of one side; two nodes have one full-duplex link, one node has none.
///
/// Nodes are named by their numbers; channels leave a node upwards first. Diameter `nodes / 2`.
///
/// ```
/// let ring = lockstep_topology::ring(8)?;
/// assert_eq!((ring.node_count(), ring.channel_count()), (8, 16));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no node; [`FamilyError::Topology`] if it is too large.
pub fn ring(nodes: u32) -> Result<Topology, FamilyError> {
    if nodes == 0 {
        return Err(FamilyError::parameter(&RING, "number of nodes", 0u32, "1 or more", "ring:3"));
    }
    let mut network = grid(&RING, format!("ring:{nodes}"), &[nodes], true)?;
    network.positions(circle(nodes));
    Ok(network.build()?)
}

/// Two lines of `rungs` nodes joined by rungs: the mesh `2 x rungs`, with its numbers and names.
///
/// ```
/// let ladder = lockstep_topology::ladder(4)?;
/// assert_eq!((ladder.node_count(), ladder.channel_count()), (8, 20));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for no rung; [`FamilyError::Topology`] if it is too large.
pub fn ladder(rungs: u32) -> Result<Topology, FamilyError> {
    if rungs == 0 {
        return Err(FamilyError::parameter(&LADDER, "number of rungs", 0u32, "1 or more", "ladder:2x1"));
    }
    Ok(grid(&LADDER, format!("ladder:2x{rungs}"), &[2, rungs], false)?.build()?)
}

fn spec(family: &Family, sides: &[u32]) -> String {
    let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
    format!("{}:{}", family.name, sides.join("x"))
}

/// The mesh with these sides, closed to a torus if it wraps, drawn as a grid.
fn grid(family: &Family, name: String, sides: &[u32], wraps: bool) -> Result<TopologyBuilder, FamilyError> {
    check_sides(family, sides)?;
    let nodes = sides.iter().fold(1u64, |product, &side| product.saturating_mul(side.into()));
    let channels_along = |&side: &u32| match u64::from(side) {
        side @ 3.. if wraps => (nodes / side).saturating_mul(2 * side),
        side => (nodes / side).saturating_mul(2 * (side - 1)),
    };
    let channels = sides.iter().map(channels_along).fold(0, u64::saturating_add);
    let mut network = TopologyBuilder::sized(name, nodes, channels)?;

    let nodes = nodes as u32;
    let separator = if sides.iter().any(|&side| side > 10) { "." } else { "" };
    let axes = Axes::new(sides);
    let mut positions = Vec::with_capacity(nodes as usize);
    for node in 0..nodes {
        let coordinates = coordinates(node, sides);
        let digits: Vec<String> = coordinates.iter().map(u32::to_string).collect();
        network.terminal(digits.join(separator));
        positions.push(axes.place(coordinates));
    }
    network.positions(positions);
    for node in 0..nodes {
        let mut stride = nodes;
        for &side in sides {
            let line = stride;
            stride /= side;
            let coordinate = node / stride % side;
            let closed = wraps && side > 2;
            let up = if coordinate + 1 < side { Some(node + stride) } else { closed.then(|| node + stride - line) };
            let down = if coordinate > 0 { Some(node - stride) } else { closed.then(|| node + line - stride) };
            for neighbour in [up, down].into_iter().flatten() {
                network.channel(NodeId::new(node), NodeId::new(neighbour));
            }
        }
    }
    Ok(network)
}

/// The coordinates of a node, one a side.
fn coordinates(mut node: u32, sides: &[u32]) -> Vec<u32> {
    let mut coordinates = sides.to_vec();
    for coordinate in coordinates.iter_mut().rev() {
        (*coordinate, node) = (node % *coordinate, node / *coordinate);
    }
    coordinates
}

/// The group behind a torus or a ring.
fn torus_group(family: &Family, sides: &[u32]) -> Result<CayleyGraph, SpecError> {
    check_sides(family, sides)?;
    let axes = sides.iter().enumerate().filter(|&(_, &side)| side > 1);
    let steps: Vec<Vec<i64>> = axes
        .flat_map(|(axis, &side)| {
            let unit = |sign: i64| (0..sides.len()).map(|other| if other == axis { sign } else { 0 }).collect();
            let down = (side > 2).then(|| unit(-1));
            [unit(1)].into_iter().chain(down)
        })
        .collect();
    let orders: Vec<u64> = sides.iter().map(|&side| side.into()).collect();
    CayleyGraph::of_steps(spec(family, sides), &orders, &steps).map_err(|_| {
        let nodes = sides.iter().fold(1u64, |product, &side| product.saturating_mul(side.into()));
        TopologyError::TooManyNodes { nodes }.into()
    })
}

/// Refuses no side, too many of them, and sides of 0.
fn check_sides(family: &Family, sides: &[u32]) -> Result<(), FamilyError> {
    if sides.is_empty() || sides.len() > MAX_SIDES {
        let (needs, instead) = (format!("1 to {MAX_SIDES}"), family.example);
        return Err(FamilyError::parameter(family, "number of sides", sides.len() as u64, needs, instead));
    }
    if sides.contains(&0) {
        let positive: Vec<u32> = sides.iter().map(|&side| side.max(1)).collect();
        return Err(FamilyError::parameter(family, "length of a side", 0u32, "1 or more", spec(family, &positive)));
    }
    Ok(())
}
