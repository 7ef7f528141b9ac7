//! The messages and channels of a broadcast.

use lockstep_schedule::{MessageId, Ports, Problem, Receivers, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A problem whose messages go to all terminals, over channels that join two terminals and share nothing.
pub(super) struct BroadcastNetwork<'a> {
    pub(super) topology: &'a Topology,
    /// Number of messages.
    pub(super) messages: usize,
    /// The messages of each terminal, by node.
    pub(super) of_source: Vec<Vec<MessageId>>,
}

impl<'a> BroadcastNetwork<'a> {
    /// `None` if the problem is of another kind.
    pub(super) fn new(problem: &Problem<'a>) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let is_to_all =
            !messages.is_scatter() && messages.ids().all(|id| messages.receivers(id) == Receivers::AllOthers);
        let is_plain = topology.is_direct()
            && topology.resource_count() == topology.channel_count()
            && problem.model().ports == Ports::All;
        if !is_to_all || !is_plain {
            return None;
        }
        let mut of_source = vec![Vec::new(); topology.node_count()];
        messages.ids().for_each(|id| of_source[messages.source(id).index()].push(id));
        Some(Self { topology, messages: messages.len(), of_source })
    }

    /// Returns the channels into a node with their tails and capacities.
    pub(super) fn channels_to(&self, node: NodeId) -> impl Iterator<Item = (ChannelId, NodeId, u32)> {
        let topology = self.topology;
        let channels = topology.in_channels(node).iter();
        channels.map(move |&channel| (channel, topology.tail(channel), topology.capacity(channel)))
    }
}

/// A transfer over one channel.
pub(super) type Hop = (MessageId, ChannelId);

/// Adds transfers to the last step of a schedule.
pub(super) fn push_all(schedule: &mut Schedule, hops: &[Hop]) {
    for &(message, channel) in hops {
        schedule.push(message, &[channel]);
    }
}
