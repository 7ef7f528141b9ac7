//! Rings with chords.

use super::{Family, FamilyError, numbered_terminals};
use crate::layout::circle;
use crate::spec::Field;
use crate::{CayleyGraph, NodeId, Topology, TopologyBuilder};

pub(super) const CIRCULANT: Family = Family {
    name: "circulant",
    parameters: "NODES,CHORD[,CHORD...]",
    example: "circulant:8,1,4",
    about: "nodes on a circle, each linked to those one CHORD away",
    cayley: Some(|parameters| {
        let (nodes, chords) = parameters.first_and_rest()?;
        let chords: Vec<u32> = chords.into_iter().map(Field::number).collect::<Result<_, _>>()?;
        let nodes: u32 = nodes.number()?;
        let chords = check_chords(nodes, &chords)?;
        Ok(group(spec(nodes, &chords), nodes, &chords))
    }),
    generate: |parameters| {
        let (nodes, chords) = parameters.first_and_rest()?;
        let chords: Vec<u32> = chords.into_iter().map(Field::number).collect::<Result<_, _>>()?;
        Ok(circulant(nodes.number()?, &chords)?)
    },
};

pub(super) const K_RING: Family = Family {
    name: "k-ring",
    parameters: "NODES",
    example: "k-ring:8",
    about: "circulant graph with chords 1 and 3",
    cayley: Some(|parameters| {
        let [nodes] = parameters.fields()?;
        let nodes = nodes.number()?;
        check_k_ring(nodes)?;
        Ok(group(format!("k-ring:{nodes}"), nodes, &[1, 3]))
    }),
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(k_ring(nodes.number()?)?)
    },
};

pub(super) const MIDIMEW: Family = Family {
    name: "midimew",
    parameters: "NODES",
    example: "midimew:8",
    about: "circulant graph of degree 4 with the least diameter and mean distance",
    cayley: Some(|parameters| {
        let [nodes] = parameters.fields()?;
        let nodes = nodes.number()?;
        Ok(group(format!("midimew:{nodes}"), nodes, &midimew_chords(nodes)?))
    }),
    generate: |parameters| {
        let [nodes] = parameters.fields()?;
        Ok(midimew(nodes.number()?)?)
    },
};

pub(super) const OCTAGON: Family = Family {
    name: "octagon",
    parameters: "",
    example: "octagon",
    about: "circulant graph of 8 nodes with chords 1 and 4",
    cayley: Some(|parameters| {
        parameters.none()?;
        Ok(group("octagon".into(), 8, &[1, 4]))
    }),
    generate: |parameters| {
        parameters.none()?;
        Ok(octagon())
    },
};

/// The circulant graph: node `v` has the neighbours `v + c` and `v - c` modulo `nodes` for each chord `c`.
///
/// Nodes are named by their numbers; the channels that leave a node go by ascending chord, upwards first. The chord
/// `nodes / 2` is one link a pair of nodes. Connected if the chords and `nodes` have no common divisor.
///
/// ```
/// let circulant = lockstep_topology::circulant(8, &[1, 4])?;
/// assert_eq!((circulant.node_count(), circulant.channel_count()), (8, 24));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Boesch, Tindell, *Circulants and their connectivities*, Journal of Graph Theory 8 (1984).
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 3 nodes, for no chord, a chord outside `1..=nodes / 2` or a repeated one;
/// [`FamilyError::Topology`] if it is too large.
pub fn circulant(nodes: u32, chords: &[u32]) -> Result<Topology, FamilyError> {
    let chords = check_chords(nodes, chords)?;
    with_chords(spec(nodes, &chords), nodes, &chords)
}

/// The circulant graph of `nodes` nodes with chords 1 and 3.
///
/// The document that compares it with other networks of 8 nodes gives its degree, 4, and not its chords; these are a
/// choice that reproduces its figures.
///
/// ```
/// let k_ring = lockstep_topology::k_ring(8)?;
/// assert_eq!((k_ring.node_count(), k_ring.channel_count()), (8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 7 nodes, where the degree is less than 4; [`FamilyError::Topology`] if it is too
/// large.
pub fn k_ring(nodes: u32) -> Result<Topology, FamilyError> {
    check_k_ring(nodes)?;
    with_chords(format!("k-ring:{nodes}"), nodes, &[1, 3])
}

/// The midimew network (minimum distance mesh with wrap-around links): the circulant graph of degree 4 whose diameter
/// and mean distance are the least.
///
/// Its chords are `b - 1` and `b` with `b` the square root of `nodes / 2`, rounded up.
///
/// ```
/// let midimew = lockstep_topology::midimew(8)?;
/// assert_eq!((midimew.node_count(), midimew.channel_count()), (8, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Beivide, Herrada, Balcázar, Arruabarrena, *Optimal distance networks of low degree for parallel
/// computers*, IEEE Trans. Computers 40 (1991).
///
/// # Errors
///
/// [`FamilyError::Parameter`] below 5 nodes, where the degree is less than 4; [`FamilyError::Topology`] if it is too
/// large.
pub fn midimew(nodes: u32) -> Result<Topology, FamilyError> {
    with_chords(format!("midimew:{nodes}"), nodes, &midimew_chords(nodes)?)
}

/// The octagon: the ring of 8 nodes with links between opposite ones, the circulant graph with chords 1 and 4.
///
/// ```
/// let octagon = lockstep_topology::octagon();
/// assert_eq!((octagon.node_count(), octagon.channel_count()), (8, 24));
/// ```
///
/// **Source**: Karim, Nguyen, Dey, *An interconnect architecture for networking systems on chips*, IEEE Micro 22 (2002).
#[expect(clippy::missing_panics_doc, reason = "8 nodes are never too many")]
pub fn octagon() -> Topology {
    with_chords("octagon".into(), 8, &[1, 4]).expect("8 nodes are not too many")
}

fn spec(nodes: u32, chords: &[u32]) -> String {
    let numbers: Vec<String> = std::iter::once(&nodes).chain(chords).map(u32::to_string).collect();
    format!("circulant:{}", numbers.join(","))
}

/// The circulant graph whose chords are known to be different and not longer than half of the circle.
fn with_chords(name: String, nodes: u32, chords: &[u32]) -> Result<Topology, FamilyError> {
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

/// The chords, ascending.
fn check_chords(nodes: u32, chords: &[u32]) -> Result<Vec<u32>, FamilyError> {
    if nodes < 3 {
        return Err(FamilyError::parameter(&CIRCULANT, "number of nodes", nodes, "3 or more", "circulant:3,1"));
    }
    if chords.is_empty() {
        return Err(FamilyError::parameter(&CIRCULANT, "number of chords", 0u32, "1 or more", spec(nodes, &[1])));
    }
    let mut sorted = chords.to_vec();
    sorted.sort_unstable();
    if let Some(&[chord, _]) = sorted.array_windows().find(|[chord, next]| chord == next) {
        sorted.dedup();
        return Err(FamilyError::parameter(&CIRCULANT, "repeated chord", chord, "each once", spec(nodes, &sorted)));
    }
    if let Some(&chord) = sorted.iter().find(|&&chord| chord == 0 || chord > nodes / 2) {
        // A chord longer than half of the circle is a shorter one the other way.
        let same = match chord % nodes {
            0 => 1,
            short => short.min(nodes - short),
        };
        let needs = format!("1 to {} for {nodes} nodes", nodes / 2);
        return Err(FamilyError::parameter(&CIRCULANT, "chord", chord, needs, spec(nodes, &[same])));
    }
    Ok(sorted)
}

fn check_k_ring(nodes: u32) -> Result<(), FamilyError> {
    if nodes < 7 {
        return Err(FamilyError::parameter(&K_RING, "number of nodes", nodes, "7 or more", "k-ring:7"));
    }
    Ok(())
}

fn midimew_chords(nodes: u32) -> Result<[u32; 2], FamilyError> {
    if nodes < 5 {
        return Err(FamilyError::parameter(&MIDIMEW, "number of nodes", nodes, "5 or more", "midimew:5"));
    }
    // The least `b` with `b * b >= nodes / 2`.
    let half = u64::from(nodes).div_ceil(2);
    let root = half.isqrt();
    let chord = (root + u64::from(root * root < half)) as u32;
    Ok([chord - 1, chord])
}

/// The group behind the circulant graph of these chords.
fn group(name: String, nodes: u32, chords: &[u32]) -> CayleyGraph {
    let mut generators = Vec::new();
    for &chord in chords {
        generators.push(chord.into());
        if 2 * u64::from(chord) != u64::from(nodes) {
            generators.push((nodes - chord).into());
        }
    }
    CayleyGraph::new(name, &[nodes.into()], &generators).expect("chords up to half of the circle are distinct")
}
