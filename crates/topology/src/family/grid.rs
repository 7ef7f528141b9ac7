//! Grids with and without wrap-around links: the construction that meshes, tori, rings and ladders share.

use super::definition::Family;
use super::error::FamilyError;
use crate::layout::GridAxes;
use crate::{CayleyError, CayleyGraph, NodeId, SpecError, TopologyBuilder, TopologyError};

/// The largest number of sides. More sides would exceed the node limit or have length 1.
const MAX_SIDES: usize = 24;

/// Returns the spec of the grid with these sides.
pub(super) fn spec(family: &Family, sides: &[u32]) -> String {
    let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
    format!("{}:{}", family.name, sides.join("x"))
}

/// Builds the grid with these sides and draws it as a grid. If `wraps`, lines of 3 and more nodes are closed to cycles.
pub(super) fn grid(family: &Family, name: String, sides: &[u32], wraps: bool) -> Result<TopologyBuilder, FamilyError> {
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
    let axes = GridAxes::new(sides);
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

/// Returns the coordinates of a node, one per side.
fn coordinates(mut node: u32, sides: &[u32]) -> Vec<u32> {
    let mut coordinates = sides.to_vec();
    for coordinate in coordinates.iter_mut().rev() {
        (*coordinate, node) = (node % *coordinate, node / *coordinate);
    }
    coordinates
}

/// Returns the Cayley graph of a torus or a ring.
pub(super) fn torus_group(family: &Family, sides: &[u32]) -> Result<CayleyGraph, SpecError> {
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
    of_steps(spec(family, sides), &orders, &steps).map_err(|_| {
        let nodes = sides.iter().fold(1u64, |product, &side| product.saturating_mul(side.into()));
        TopologyError::TooManyNodes { nodes }.into()
    })
}

/// Refuses 0 sides, more than [`MAX_SIDES`] sides, and sides of length 0.
fn check_sides(family: &Family, sides: &[u32]) -> Result<(), FamilyError> {
    if sides.is_empty() || sides.len() > MAX_SIDES {
        let (needs, instead) = (format!("1 to {MAX_SIDES}"), family.example);
        return Err(family.unsupported("number of sides", sides.len() as u64, needs, instead));
    }
    if sides.contains(&0) {
        let positive: Vec<u32> = sides.iter().map(|&side| side.max(1)).collect();
        return Err(family.unsupported("length of a side", 0u32, "1 or more", spec(family, &positive)));
    }
    Ok(())
}

/// Creates the graph whose generators have these coordinates, one per side, modulo the sides.
fn of_steps(name: String, sides: &[u64], steps: &[Vec<i64>]) -> Result<CayleyGraph, CayleyError> {
    let element = |step: &Vec<i64>| {
        let digits = step.iter().zip(sides).map(|(&digit, &side)| (residue(digit, side), side));
        digits.fold(0u64, |number, (digit, side)| number.wrapping_mul(side).wrapping_add(digit))
    };
    let generators: Vec<u64> = steps.iter().map(element).collect();
    CayleyGraph::new(name, sides, &generators)
}

/// Returns the coordinate modulo the side; negative coordinates are at least `-side`.
fn residue(digit: i64, side: u64) -> u64 {
    if digit < 0 { side.saturating_sub(digit.unsigned_abs()) } else { digit.unsigned_abs() % side.max(1) }
}
