//! Where transfers can go, and how many a terminal can start or finish.

use lockstep_schedule::{Ports, Problem, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

/// What the network's rules allow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Legal<'a> {
    pub(crate) topology: &'a Topology,
    ports: Ports,
    wormhole: bool,
    /// Whether every channel joins terminals, so that transfers may cross them all.
    is_direct: bool,
    /// Whether every message goes from source to receiver in one transfer.
    pub(crate) direct: bool,
}

impl<'a> Legal<'a> {
    /// The rules of a problem. Looks at every listed message.
    pub(crate) fn new(problem: &Problem<'a>) -> Self {
        let model = problem.model();
        Self {
            topology: problem.topology(),
            ports: model.ports,
            wormhole: model.switching == Switching::Wormhole,
            is_direct: problem.topology().is_direct(),
            direct: model.is_direct() && problem.messages().is_scatter(),
        }
    }

    /// Whether some transfer may cross the channel.
    pub(crate) fn carries(self, channel: ChannelId) -> bool {
        let touched = |node| self.topology.is_terminal(node) || self.wormhole && self.topology.routes(node);
        self.is_direct || touched(self.topology.tail(channel)) && touched(self.topology.head(channel))
    }

    /// Number of transfers that a terminal can start in one step.
    pub(crate) fn send_limit(self, terminal: NodeId) -> u64 {
        self.port_limit(self.topology.out_channels(terminal))
    }

    /// Number of transfers that a terminal can finish in one step.
    pub(crate) fn receive_limit(self, terminal: NodeId) -> u64 {
        self.port_limit(self.topology.in_channels(terminal))
    }

    /// Number of transfers that a terminal can start and finish together in one step.
    pub(crate) fn common_limit(self, terminal: NodeId) -> u64 {
        let both = self.topology.out_channels(terminal).iter().chain(self.topology.in_channels(terminal));
        let ports = self.send_limit(terminal) + self.receive_limit(terminal);
        ports.min(self.resource_count(both.copied()) as u64)
    }

    fn port_limit(self, channels: &[ChannelId]) -> u64 {
        self.ports.of_degree(self.resource_count(channels.iter().copied())) as u64
    }

    /// Number of distinct resources of those channels that carry transfers.
    pub(crate) fn resource_count(self, channels: impl Iterator<Item = ChannelId>) -> usize {
        let channels = channels.filter(|&channel| self.carries(channel));
        if self.topology.resource_count() == self.topology.channel_count() {
            return channels.count();
        }
        let mut resources: Vec<ResourceId> = channels.map(|channel| self.topology.resource(channel)).collect();
        resources.sort_unstable();
        resources.dedup();
        resources.len()
    }

    /// Whether a message that is at a node in the middle of its way may leave it again.
    pub(crate) fn goes_on(self, node: NodeId) -> bool {
        self.wormhole && self.topology.routes(node) || !self.direct && self.topology.is_terminal(node)
    }
}
