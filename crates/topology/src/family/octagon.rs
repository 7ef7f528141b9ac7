//! The octagon.

use super::circulant::{circulant_group, circulant_network};
use super::definition::Family;
use crate::Topology;

pub(super) const OCTAGON: Family = Family {
    name: "octagon",
    aliases: &[],
    parameters: "",
    example: "octagon",
    about: "circulant graph of 8 nodes with chords 1 and 4",
    cayley: Some(|parameters| {
        parameters.none()?;
        Ok(circulant_group("octagon".into(), 8, &[1, 4]))
    }),
    generate: |parameters| {
        parameters.none()?;
        Ok(octagon())
    },
};

/// Generates the octagon: the ring of 8 nodes with links between opposite nodes.
///
/// - Nodes: 8 terminals around the ring, named by their numbers.
/// - Channels: 24; those of node `v` lead to `v + 1`, `v - 1`, `v + 4`.
/// - Degree 3, diameter 2.
///
/// ```
/// let octagon = lockstep_topology::octagon();
/// assert_eq!((octagon.node_count(), octagon.channel_count()), (8, 24));
/// ```
///
/// # Source
///
/// Karim, Nguyen, Dey, *An interconnect architecture for networking systems on chips*, IEEE Micro 22 (2002).
#[expect(clippy::missing_panics_doc, reason = "8 nodes are never too many")]
pub fn octagon() -> Topology {
    circulant_network("octagon".into(), 8, &[1, 4]).expect("8 nodes are not too many")
}
