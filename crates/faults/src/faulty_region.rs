//! Connected regions of failed nodes and channels.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::disjoint_sets::DisjointSets;

/// A maximal connected region of failed nodes and channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultyRegion {
    /// The failed nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// The failed channels, ascending, including those of failed nodes.
    pub channels: Vec<ChannelId>,
}

/// Returns the regions of failed nodes and channels, by their lowest nodes.
///
/// Two failed channels are in one region if they share an end. A failed node is in one region with its channels. Takes
/// `O(N + M log M)` time.
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
    let mut sets = DisjointSets::new(topology.node_count());
    for channel in topology.failed_channels() {
        sets.union(topology.tail(channel).number(), topology.head(channel).number());
    }
    let channels = topology.failed_channels().map(|channel| (sets.lowest(topology.tail(channel).number()), channel));
    let channels: Vec<(u32, ChannelId)> = channels.collect();
    let nodes = topology.failed_nodes().iter().map(|&node| (sets.lowest(node.number()), node));
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
