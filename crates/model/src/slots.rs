//! The resources and ports of a network, in one numbering.

use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, ResourceId, Topology};

/// The number of a slot: the resources come first, then the ports.
///
/// It is a plain number, because searches store it in rows with other numbers.
pub type SlotId = u32;

/// Marks a port that is no slot, the rank of a switch, and the place of a slot of capacity one.
const NONE: u32 = u32::MAX;

/// The resources and ports of a network with their capacities, and the slots that a path uses.
///
/// Channels of a half-duplex link and of a bus share one resource, and so one slot. A port is a slot only if its limit is below
/// the capacity of the channels at its terminal; the channels limit it otherwise.
///
/// Memory: 8 bytes per slot, 12 bytes per channel and 8 bytes per terminal.
#[derive(Clone, Debug)]
pub struct Slots {
    capacity: Vec<u32>,
    resource_count: usize,
    /// The place of each slot among those with a capacity above one; [`NONE`] for the others.
    wide: Vec<u32>,
    wide_count: usize,
    /// The resource of each channel.
    resource: Vec<SlotId>,
    /// The ranks of the terminals at the tail and the head of each channel; [`NONE`] for a switch.
    ends: Vec<[u32; 2]>,
    /// The send port and the receive port of each terminal, by rank; [`NONE`] if it is no slot.
    ports: Vec<[SlotId; 2]>,
}

impl Slots {
    /// Returns the slots of a network under a port rule.
    pub fn new(topology: &Topology, ports: Ports) -> Self {
        let resources = (0..topology.resource_count() as u32).map(ResourceId::new);
        let mut capacity: Vec<u32> = resources.map(|resource| topology.resource_capacity(resource)).collect();
        let mut port = |channels: &[ChannelId]| {
            let limit = port_limit(topology, ports, channels);
            if limit == port_limit(topology, Ports::All, channels) {
                return NONE;
            }
            capacity.push(limit);
            capacity.len() as SlotId - 1
        };
        // All send ports come before all receive ports.
        let terminals = topology.terminals();
        let send: Vec<SlotId> = terminals.iter().map(|&node| port(topology.out_channels(node))).collect();
        let receive = terminals.iter().map(|&node| port(topology.in_channels(node)));
        let ports = send.into_iter().zip(receive).map(|(send, receive)| [send, receive]).collect();

        let (mut resource, mut ends) =
            (vec![NONE; topology.channel_bound()], vec![[NONE; 2]; topology.channel_bound()]);
        for channel in topology.channels() {
            resource[channel.index()] = topology.resource(channel).number();
            ends[channel.index()] = [topology.tail(channel), topology.head(channel)]
                .map(|node| topology.terminal_rank(node).map_or(NONE, |rank| rank as u32));
        }
        let mut wide_count = 0;
        let place = |&capacity: &u32| {
            wide_count += usize::from(capacity > 1);
            if capacity > 1 { wide_count as u32 - 1 } else { NONE }
        };
        let wide = capacity.iter().map(place).collect();
        Self { capacity, resource_count: topology.resource_count(), wide, wide_count, resource, ends, ports }
    }

    /// Returns the number of slots.
    #[expect(clippy::len_without_is_empty, reason = "a network has slots")]
    pub fn len(&self) -> usize {
        self.capacity.len()
    }

    /// Returns the number of uses per step of a slot.
    #[inline]
    pub fn capacity(&self, slot: SlotId) -> u32 {
        self.capacity[slot as usize]
    }

    /// Returns the capacities of all slots.
    pub fn capacities(&self) -> &[u32] {
        &self.capacity
    }

    /// Returns the capacities of all resources.
    pub fn resource_capacities(&self) -> &[u32] {
        &self.capacity[..self.resource_count]
    }

    /// Returns the number of slots with a capacity above one.
    #[inline]
    pub fn wide_count(&self) -> usize {
        self.wide_count
    }

    /// Returns the place of a slot among those with a capacity above one; `None` for a slot of capacity one.
    #[inline]
    pub fn wide_place(&self, slot: SlotId) -> Option<usize> {
        let place = self.wide[slot as usize];
        (place != NONE).then_some(place as usize)
    }

    /// Returns the resource of a channel.
    #[inline]
    pub fn resource(&self, channel: ChannelId) -> SlotId {
        self.resource[channel.index()]
    }

    /// Returns the send port of a terminal, given by rank; `None` if it is no slot.
    #[inline]
    pub fn send_port(&self, terminal: usize) -> Option<SlotId> {
        Some(self.ports[terminal][0]).filter(|&port| port != NONE)
    }

    /// Returns the receive port of a terminal, given by rank; `None` if it is no slot.
    #[inline]
    pub fn receive_port(&self, terminal: usize) -> Option<SlotId> {
        Some(self.ports[terminal][1]).filter(|&port| port != NONE)
    }

    /// Returns the ranks of the terminals at the start and at the end of a path, which has a channel.
    #[inline]
    pub fn ends(&self, path: &[ChannelId]) -> [u32; 2] {
        let (first, last) = (path[0], path[path.len() - 1]);
        [self.ends[first.index()][0], self.ends[last.index()][1]]
    }

    /// Returns the ports that a transfer between two terminals uses: first that of the sender. The terminals are given by rank.
    #[inline]
    pub fn ports(&self, [sender, receiver]: [u32; 2]) -> impl Iterator<Item = SlotId> + Clone + use<> {
        let ports = [self.send_port(sender as usize), self.receive_port(receiver as usize)];
        ports.into_iter().flatten()
    }

    /// Returns the slots that a transfer along a path uses: the resources in order, then the ports. The path leads from terminal
    /// to terminal.
    #[inline]
    pub fn of_path(&self, path: &[ChannelId]) -> impl Iterator<Item = SlotId> + Clone {
        path.iter().map(|&channel| self.resource(channel)).chain(self.ports(self.ends(path)))
    }
}

/// Returns the maximum number of transfers per step of a terminal with these channels in that direction.
pub fn port_limit(topology: &Topology, ports: Ports, channels: &[ChannelId]) -> u32 {
    let capacity = channels.iter().fold(0, |sum: u32, &channel| sum.saturating_add(topology.capacity(channel)));
    ports.of_degree(capacity as usize) as u32
}

#[cfg(test)]
mod tests {
    use lockstep_topology::strategy::{any_topology, shuffled, with_capacities};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The slots of a path of one channel are its resource and the ports that can be exhausted.
        #[test]
        fn a_channel_uses_its_resource_and_the_ports_below_its_capacity(
            topology in any_topology(12).prop_flat_map(shuffled).prop_flat_map(|topology| with_capacities(topology, 3)),
            limit in 1..4u32,
        ) {
            let slots = Slots::new(&topology, Ports::limit(limit).unwrap());
            let resources = topology.resource_count();
            prop_assert_eq!(slots.resource_capacities().len(), resources);
            for channel in topology.channels() {
                let [tail, head] = [topology.tail(channel), topology.head(channel)];
                if !topology.is_terminal(tail) || !topology.is_terminal(head) {
                    continue;
                }
                let rank = |node| topology.terminal_rank(node).unwrap();
                prop_assert_eq!(slots.ends(&[channel]), [rank(tail) as u32, rank(head) as u32]);
                let is_limit = |channels: &[ChannelId]| {
                    channels.iter().map(|&channel| topology.capacity(channel)).sum::<u32>() > limit
                };
                let ports = [slots.send_port(rank(tail)), slots.receive_port(rank(head))];
                prop_assert_eq!(
                    ports.map(|port| port.is_some()),
                    [is_limit(topology.out_channels(tail)), is_limit(topology.in_channels(head))]
                );
                let used: Vec<SlotId> = slots.of_path(&[channel]).collect();
                prop_assert_eq!(used[0], topology.resource(channel).number());
                prop_assert_eq!(slots.capacity(used[0]), topology.resource_capacity(topology.resource(channel)));
                prop_assert_eq!(&used[1..], &ports.into_iter().flatten().collect::<Vec<_>>());
                prop_assert!(used[1..].iter().all(|&port| port as usize >= resources && slots.capacity(port) == limit));
            }
        }
    }

    #[test]
    fn ports_beyond_the_channels_are_no_limit() {
        let ring: Topology = "ring:4".parse().unwrap();
        let slots = |limit| Slots::new(&ring, Ports::limit(limit).unwrap());
        assert_eq!([1, 2].map(|limit| slots(limit).len()), [16, 8]);
    }
}
