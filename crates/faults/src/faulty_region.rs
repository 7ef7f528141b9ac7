//! Islands of faults.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::disjoint_sets::DisjointSets;

/// Faults that touch each other: an island that messages go around.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultyRegion {
    /// The nodes that have failed, ascending.
    pub nodes: Vec<NodeId>,
    /// The channels that have failed, ascending, those at its nodes included.
    pub channels: Vec<ChannelId>,
}

/// The islands of what has failed, by their lowest node. Two failed channels touch where they share an end, and a failed
/// node is in one island with its channels. Takes `O(N + M)` time.
///
/// ```
/// use lockstep_faults::{FaultSet, faulty_regions};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let broken = FaultSet::new().node("33").link("00", "01").link("01", "11").apply_to(&mesh)?;
/// let sizes: Vec<_> = faulty_regions(&broken).iter().map(|region| (region.nodes.len(), region.channels.len())).collect();
/// assert_eq!(sizes, [(0, 4), (1, 4)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn faulty_regions(topology: &Topology) -> Vec<FaultyRegion> {
    let mut joined = DisjointSets::new(topology.node_count());
    for channel in topology.failed_channels() {
        joined.join(topology.tail(channel).number(), topology.head(channel).number());
    }
    let channels = topology.failed_channels().map(|channel| (joined.lowest(topology.tail(channel).number()), channel));
    let channels: Vec<(u32, ChannelId)> = channels.collect();
    let nodes = topology.failed_nodes().iter().map(|&node| (joined.lowest(node.number()), node));
    let nodes: Vec<(u32, NodeId)> = nodes.collect();
    let mut lowest: Vec<u32> = channels.iter().map(|pair| pair.0).chain(nodes.iter().map(|pair| pair.0)).collect();
    lowest.sort_unstable();
    lowest.dedup();
    let mut regions: Vec<FaultyRegion> =
        lowest.iter().map(|_| FaultyRegion { nodes: Vec::new(), channels: Vec::new() }).collect();
    let place = |of: u32| lowest.partition_point(|&other| other < of);
    for (of, node) in nodes {
        regions[place(of)].nodes.push(node);
    }
    for (of, channel) in channels {
        regions[place(of)].channels.push(channel);
    }
    regions
}
