//! The channels that transfers can use, and the number of transfers that a terminal can start or finish.

use lockstep_schedule::{Ports, Problem, Routing, Transport};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

/// The transfers that a problem allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferRules<'a> {
    pub(crate) topology: &'a Topology,
    ports: Ports,
    transport: Transport,
    /// Whether every channel joins two terminals, so that transfers may use all channels.
    joins_terminals: bool,
}

impl<'a> TransferRules<'a> {
    /// Collects the rules of a problem.
    pub(crate) fn new(problem: &Problem<'a>) -> Self {
        Self {
            topology: problem.topology(),
            ports: problem.model().ports,
            transport: problem.transport(),
            joins_terminals: problem.topology().is_direct(),
        }
    }

    /// Returns true if a transfer may use the channel.
    pub(crate) fn carries(self, channel: ChannelId) -> bool {
        let can_be_used = |node| self.transport.touches(self.topology, node);
        self.joins_terminals || can_be_used(self.topology.tail(channel)) && can_be_used(self.topology.head(channel))
    }

    /// Returns true if every message goes from its source to its receiver in one transfer.
    pub(crate) fn is_direct(self) -> bool {
        self.transport == Transport::Direct
    }

    /// Returns the number of transfers that a terminal can start in one step.
    pub(crate) fn send_limit(self, terminal: NodeId) -> u64 {
        self.port_limit(self.topology.out_channels(terminal))
    }

    /// Returns the number of transfers that a terminal can finish in one step.
    pub(crate) fn receive_limit(self, terminal: NodeId) -> u64 {
        self.port_limit(self.topology.in_channels(terminal))
    }

    /// Returns the number of transfers that a terminal can start and finish together in one step.
    pub(crate) fn common_limit(self, terminal: NodeId) -> u64 {
        let both = self.topology.out_channels(terminal).iter().chain(self.topology.in_channels(terminal));
        let ports = self.send_limit(terminal) + self.receive_limit(terminal);
        ports.min(self.room(both.copied()))
    }

    fn port_limit(self, channels: &[ChannelId]) -> u64 {
        self.ports.of_degree(self.room(channels.iter().copied()) as usize) as u64
    }

    /// Returns the number of transfers that can use one of these channels in one step: the sum of the capacities of their
    /// resources, as far as they carry transfers.
    pub(crate) fn room(self, channels: impl Iterator<Item = ChannelId>) -> u64 {
        let channels = channels.filter(|&channel| self.carries(channel));
        if self.topology.resource_count() == self.topology.channel_count() {
            if !self.topology.has_capacities() {
                return channels.count() as u64;
            }
            return channels.map(|channel| u64::from(self.topology.capacity(channel))).sum();
        }
        let mut resources: Vec<ResourceId> = channels.map(|channel| self.topology.resource(channel)).collect();
        resources.sort_unstable();
        resources.dedup();
        resources.iter().map(|&resource| u64::from(self.topology.resource_capacity(resource))).sum()
    }

    /// Returns true if a message may leave a node that is not its source.
    pub(crate) fn may_continue(self, node: NodeId) -> bool {
        self.transport.crosses(self.topology, node)
    }
}

/// Returns true if every legal path of a direct message has the fewest channels. With buses, the shortest legal path may
/// have more, because a path may not use a resource twice.
pub(crate) fn takes_fewest_channels(problem: &Problem<'_>) -> bool {
    let is_minimal = problem.model().routing == Routing::Minimal;
    problem.transport() == Transport::Direct && is_minimal && !problem.topology().has_buses()
}
