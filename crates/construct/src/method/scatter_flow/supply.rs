//! The flow of units from the root to the terminals that need them.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::{Ports, Transport};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::kit::single_source::SingleSourceScatter;

/// The maximum number of channel uses of a schedule: 1 GiB.
pub(super) const MAX_CHANNEL_USES: u64 = 1 << 28;

/// One unit per message, all from the root, and the channels that may carry them.
#[derive(Clone, Debug)]
pub(super) struct Supply<'a> {
    pub(super) topology: &'a Topology,
    pub(super) scatter: &'a SingleSourceScatter,
    pub(super) root: NodeId,
    pub(super) ports: Ports,
    /// Whether each channel may be used.
    is_open: Vec<bool>,
}

impl<'a> Supply<'a> {
    /// Opens all channels that lead from the root or from a node that units may pass through, except those back to the
    /// root.
    pub(super) fn new(
        topology: &'a Topology,
        scatter: &'a SingleSourceScatter,
        ports: Ports,
        transport: Transport,
    ) -> Self {
        let root = scatter.source;
        let passes: Vec<bool> =
            topology.nodes().map(|node| node == root || transport.crosses(topology, node)).collect();
        let useful = |node: NodeId| passes[node.index()] || topology.is_terminal(node);
        let is_open = topology.channel_numbers().map(|channel| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            topology.is_working(channel) && passes[tail.index()] && head != root && useful(head)
        });
        Self { topology, scatter, root, ports, is_open: is_open.collect() }
    }

    /// Returns true if units may use the channel.
    pub(super) fn is_open(&self, channel: ChannelId) -> bool {
        self.is_open[channel.index()]
    }

    /// Returns the number of units that a terminal needs.
    pub(super) fn demand(&self, node: NodeId) -> u32 {
        self.scatter.demand[node.index()]
    }

    /// Returns the terminals that need units, ascending.
    pub(super) fn receivers(&self) -> impl Iterator<Item = NodeId> {
        self.topology.terminals().iter().copied().filter(|&node| self.demand(node) > 0)
    }

    /// Returns the number of units that can leave the root per step.
    pub(super) fn rate(&self) -> u32 {
        self.port_limit(self.topology.out_channels(self.root))
    }

    /// Returns the number of units that a terminal can receive per step.
    pub(super) fn reception_rate(&self, receiver: NodeId) -> u32 {
        self.port_limit(self.topology.in_channels(receiver))
    }

    fn port_limit(&self, channels: &[ChannelId]) -> u32 {
        let open = channels.iter().copied().filter(|&channel| self.is_open(channel));
        let capacity = open.fold(0u32, |sum, channel| sum.saturating_add(self.topology.capacity(channel)));
        self.ports.of_degree(capacity as usize) as u32
    }

    /// Returns the number of units that fit through a channel in a number of steps; not more than there are.
    pub(super) fn room(&self, channel: ChannelId, steps: u32) -> u32 {
        steps.saturating_mul(self.topology.capacity(channel)).min(self.scatter.len() as u32)
    }

    /// Closes the channels that are not on a shortest path from the root.
    pub(super) fn keep_shortest(&mut self) {
        let distance = self.distances();
        for channel in self.topology.channels() {
            let [tail, head] = [self.topology.tail(channel), self.topology.head(channel)].map(NodeId::index);
            self.is_open[channel.index()] &= distance[tail].checked_add(1) == Some(distance[head]);
        }
    }

    /// Returns the distances from the root over open channels, by node; `u32::MAX` if there is no path.
    pub(super) fn distances(&self) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.topology.node_count()];
        distance[self.root.index()] = 0;
        let (mut queue, mut next) = (vec![self.root], 0);
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &channel in self.topology.out_channels(node) {
                let head = self.topology.head(channel);
                if self.is_open(channel) && distance[head.index()] == u32::MAX {
                    distance[head.index()] = distance[node.index()] + 1;
                    queue.push(head);
                }
            }
        }
        distance
    }

    /// Returns the least number of steps in which the units fit through all channels and ports, and the flow. The arc of a channel has the channel's number. Returns `None` if a terminal
    /// cannot be reached.
    ///
    /// If the number of steps is too small, a minimum cut gives the next candidate. This is Newton's method, with a few
    /// maximum flows.
    pub(super) fn fewest_steps(&self) -> Option<(u32, FlowNetwork)> {
        let Self { topology, .. } = self;
        let (nodes, units) = (topology.node_count(), self.scatter.len() as u32);
        let (source, sink) = (nodes, nodes + 1);
        // This number of steps is enough for the ports.
        let mut steps = quotient(units, self.rate())?;
        for receiver in self.receivers() {
            steps = steps.max(quotient(self.demand(receiver), self.reception_rate(receiver))?);
        }
        let mut network = FlowNetwork::new(nodes + 2);
        for channel in topology.channel_numbers() {
            let width = if self.is_open(channel) { self.room(channel, steps) } else { 0 };
            network.add_arc(topology.tail(channel).index(), topology.head(channel).index(), width);
        }
        network.add_arc(source, self.root.index(), units);
        for receiver in self.receivers() {
            network.add_arc(receiver.index(), sink, self.demand(receiver));
        }
        let mut sent = network.max_flow(source, sink);
        while sent < u64::from(units) {
            let is_cut_off = |node: NodeId| !network.is_on_source_side(node.index());
            let missing = self.receivers().filter(|&node| is_cut_off(node)).map(|node| self.demand(node)).sum();
            let crosses =
                |&channel: &ChannelId| !is_cut_off(topology.tail(channel)) && is_cut_off(topology.head(channel));
            let inlets = topology.channels().filter(|&channel| self.is_open(channel)).filter(crosses);
            let per_step = inlets.fold(0u32, |sum, inlet| sum.saturating_add(topology.capacity(inlet)));
            let needed = quotient(missing, per_step)?;
            for channel in topology.channels().filter(|&channel| self.is_open(channel)) {
                let more = self.room(channel, needed) - self.room(channel, steps);
                network.add_capacity(ArcId::new(channel.number()), more);
            }
            steps = needed;
            sent += network.max_flow(source, sink);
        }
        Some((steps, network))
    }
}

/// Returns `ceil(units / rate)`; `None` if the rate is 0.
fn quotient(units: u32, rate: u32) -> Option<u32> {
    (rate > 0).then(|| units.div_ceil(rate))
}
