//! Midimew networks.

use super::circulant::{circulant_group, circulant_network};
use super::definition::Family;
use super::error::FamilyError;
use crate::Topology;

pub(super) const MIDIMEW: Family = Family {
    name: "midimew",
    aliases: &[],
    parameters: "NODES",
    example: "midimew:8",
    about: "circulant graph of degree 4 with the least diameter and mean distance",
    cayley: Some(|parameters| {
        let [nodes] = parameters.fields()?;
        let nodes = nodes.number()?;
        Ok(circulant_group(format!("midimew:{nodes}"), nodes, &chords(nodes)?))
    }),
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(midimew(nodes.number()?)?)
    },
};

/// Generates the midimew network (minimum distance mesh with wrap-around links).
///
/// It is the circulant graph of degree 4 with the smallest diameter and mean distance. Its chords are `b - 1` and `b`,
/// where `b` is the square root of `nodes / 2`, rounded up.
///
/// - Nodes: `nodes` terminals around the circle, named by their numbers.
/// - Channels: `4 * nodes`; those of node `v` lead to `v + b - 1`, `v - b + 1`, `v + b`, `v - b`.
/// - Degree 4, diameter `(sqrt(2 * nodes - 1) - 1) / 2`, rounded up.
///
/// ```
/// let midimew = lockstep_topology::midimew(8)?;
/// assert_eq!((midimew.node_count(), midimew.channel_count()), (8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 5 nodes, where the degree is less than 4; [`FamilyError::Topology`] if the network
/// is too large.
///
/// # Source
///
/// Beivide, Herrada, Balcázar, Arruabarrena, *Optimal distance networks of low degree for parallel computers*, IEEE
/// Trans. Computers 40 (1991).
pub fn midimew(nodes: u32) -> Result<Topology, FamilyError> {
    circulant_network(format!("midimew:{nodes}"), nodes, &chords(nodes)?)
}

fn chords(nodes: u32) -> Result<[u32; 2], FamilyError> {
    if nodes < 5 {
        return Err(MIDIMEW.unsupported("number of nodes", nodes, "5 or more", "midimew:5"));
    }
    // The smallest `b` with `b * b >= nodes / 2`.
    let half = u64::from(nodes).div_ceil(2);
    let root = half.isqrt();
    let chord = (root + u64::from(root * root < half)) as u32;
    Ok([chord - 1, chord])
}
