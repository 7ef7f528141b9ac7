//! Half-duplex links: pairs of opposite channels that share one resource.

use lockstep_topology::{ChannelId, Topology};

/// Returns the pairs of opposite channels that share one resource; none in a full-duplex network. Returns `None` if
/// channels share a resource in any other way.
pub(crate) fn half_duplex_pairs(topology: &Topology) -> Option<Vec<[ChannelId; 2]>> {
    let pair = |group: Vec<ChannelId>| {
        let &[there, back] = group.as_slice() else { return None };
        let is_opposite = topology.tail(there) == topology.head(back) && topology.head(there) == topology.tail(back);
        is_opposite.then_some([there, back])
    };
    topology.shared_groups().into_iter().map(pair).collect()
}

/// The maximum number of nodes and channels together of a network on which flows are computed: a few hundred megabytes.
pub(crate) const MAX_FLOW_NETWORK_SIZE: usize = 1 << 23;
