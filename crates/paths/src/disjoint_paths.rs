//! Channel-disjoint sets of paths.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::flow_network::FlowNetwork;

/// A largest set of legal paths from `source` to `target` of which no two share a channel.
///
/// The paths need not be shortest. They are a function of the topology alone; their number is the least number of
/// channels whose loss disconnects the pair. Empty if `source` is `target`. Takes one maximum flow: `O(M sqrt M)` for
/// `M` channels.
///
/// Source: Menger, *Zur allgemeinen Kurventheorie*, Fundamenta Mathematicae 10 (1927), by a [`FlowNetwork`] of unit
/// capacities; only nodes that route are crossed.
///
/// ```
/// use lockstep_paths::disjoint_paths;
/// use lockstep_topology::{NodeId, Topology};
///
/// let ring: Topology = "ring:5".parse()?;
/// let paths = disjoint_paths(&ring, NodeId::new(0), NodeId::new(1));
/// assert_eq!(paths.iter().map(Vec::len).collect::<Vec<_>>(), [1, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn disjoint_paths(topology: &Topology, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    let mut network = FlowNetwork::new(topology.node_count());
    for channel in topology.channel_numbers() {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let is_open = topology.is_working(channel) && (tail == source || topology.routes(tail));
        network.add_arc(tail.index(), head.index(), u32::from(is_open));
    }
    network.max_flow(source.index(), target.index());
    let mut paths = Vec::new();
    // Arcs have the numbers of their channels.
    network.decompose_paths(source.index(), target.index(), |path| {
        paths.push(path.iter().map(|arc| ChannelId::new(arc.number())).collect());
    });
    paths
}
