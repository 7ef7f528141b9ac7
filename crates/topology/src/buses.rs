//! Buses: resources that channels between different pairs of nodes share.

use crate::{ChannelId, NodeId, ResourceId};

/// Returns for each resource whether it is a bus; an empty list if none is. Takes `O(M)` time.
pub(crate) fn buses(
    working: &[ChannelId],
    tail: &[NodeId],
    head: &[NodeId],
    resource: &[ResourceId],
    resource_count: u32,
) -> Box<[bool]> {
    if resource_count as usize == working.len() {
        return Box::default();
    }
    let mut first_ends = vec![None; resource_count as usize];
    let mut buses = vec![false; resource_count as usize];
    for channel in working {
        let (tail, head) = (tail[channel.index()], head[channel.index()]);
        let ends = (tail.min(head), tail.max(head));
        let resource = resource[channel.index()].index();
        buses[resource] |= *first_ends[resource].get_or_insert(ends) != ends;
    }
    if buses.contains(&true) { buses.into() } else { Box::default() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use crate::strategy::connected_bus_topology;
    use crate::{ChannelId, NodeId, Topology};

    proptest! {
        /// The reversed, half-duplex and damaged networks know their buses too.
        #[test]
        fn buses_join_different_pairs_of_nodes(topology in connected_bus_topology(7), lost: Index, kind in 0..4u32) {
            let topology = match kind {
                0 => topology,
                1 => topology.reversed(),
                2 => topology.half_duplex(),
                _ => topology.with_failures([NodeId::from_index(lost.index(topology.node_count()))], []),
            };
            let ends = |channel: ChannelId| {
                let mut ends = [topology.tail(channel), topology.head(channel)];
                ends.sort_unstable();
                ends
            };
            let is_bus = |group: &Vec<ChannelId>| group.iter().any(|&channel| ends(channel) != ends(group[0]));
            let (buses, links): (Vec<_>, Vec<_>) = topology.shared_groups().into_iter().partition(is_bus);
            prop_assert_eq!(topology.has_buses(), !buses.is_empty());
            prop_assert!(buses.iter().all(|group| topology.is_bus(topology.resource(group[0]))));
            prop_assert!(links.iter().all(|group| !topology.is_bus(topology.resource(group[0]))));
        }

        /// Half duplex adds shared resources and takes none away.
        #[test]
        fn half_duplex_keeps_buses(topology in connected_bus_topology(7)) {
            let half_duplex = topology.half_duplex();
            let share = |network: &Topology, one, other| network.resource(one) == network.resource(other);
            for one in topology.channels() {
                for other in topology.channels().filter(|&other| share(&topology, one, other)) {
                    prop_assert!(share(&half_duplex, one, other));
                }
            }
            prop_assert!(half_duplex.links().iter().all(|&[there, back]| share(&half_duplex, there, back)));
            prop_assert!(half_duplex.channels().all(|c| half_duplex.resource(c).index() < half_duplex.resource_count()));
        }
    }
}
