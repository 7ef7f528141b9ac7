//! Channel-disjoint paths.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::flow_network::FlowNetwork;

/// Computes a maximum set of channel-disjoint legal paths from `source` to `target`.
///
/// The paths are not necessarily shortest. Their number is the minimum number of channels whose failure disconnects the
/// pair. Returns an empty list if `source` is `target`. The result depends on the topology only. Takes `O(M sqrt M)`
/// time for `M` channels.
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
///
/// # Source
///
/// Menger, *Zur allgemeinen Kurventheorie*, Fundamenta Mathematicae 10 (1927), by a [`FlowNetwork`] with unit
/// capacities.
pub fn disjoint_paths(topology: &Topology, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    let mut network = FlowNetwork::new(topology.node_count());
    for channel in topology.channel_numbers() {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let is_open = topology.is_working(channel) && (tail == source || topology.routes(tail));
        network.add_arc(tail.index(), head.index(), u32::from(is_open));
    }
    network.max_flow(source.index(), target.index());
    let mut paths = Vec::new();
    // An arc has the number of its channel.
    network.decompose_paths(source.index(), target.index(), |path| {
        paths.push(path.iter().map(|arc| ChannelId::new(arc.number())).collect());
    });
    paths
}
