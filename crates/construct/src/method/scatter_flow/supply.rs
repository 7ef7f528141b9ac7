//! How fast units can flow from the root to the terminals that wait for them.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::kit::single_source::SingleSourceScatter;

/// Units from the root, one for every message, over the channels that may carry them.
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
    /// Over all channels that lead from the root or a node that units may pass; none leads back to the root.
    pub(super) fn new(
        topology: &'a Topology,
        scatter: &'a SingleSourceScatter,
        ports: Ports,
        passes: impl Fn(NodeId) -> bool,
    ) -> Self {
        let root = scatter.source;
        let passes: Vec<bool> = topology.nodes().map(|node| node == root || passes(node)).collect();
        let useful = |node: NodeId| passes[node.index()] || topology.is_terminal(node);
        let is_open = topology.channel_numbers().map(|channel| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            topology.is_working(channel) && passes[tail.index()] && head != root && useful(head)
        });
        Self { topology, scatter, root, ports, is_open: is_open.collect() }
    }

    pub(super) fn is_open(&self, channel: ChannelId) -> bool {
        self.is_open[channel.index()]
    }

    /// Number of units that a terminal waits for.
    pub(super) fn demand(&self, node: NodeId) -> u32 {
        self.scatter.demand[node.index()]
    }

    /// The terminals that wait for units, ascending.
    pub(super) fn receivers(&self) -> impl Iterator<Item = NodeId> {
        self.topology.terminals().iter().copied().filter(|&node| self.demand(node) > 0)
    }

    /// Units that can leave the root in one step.
    pub(super) fn rate(&self) -> u32 {
        self.port_limit(self.topology.out_channels(self.root))
    }

    /// Units that can end at a terminal in one step.
    pub(super) fn intake(&self, receiver: NodeId) -> u32 {
        self.port_limit(self.topology.in_channels(receiver))
    }

    fn port_limit(&self, channels: &[ChannelId]) -> u32 {
        self.ports.of_degree(channels.iter().filter(|&&channel| self.is_open(channel)).count()) as u32
    }

    /// Closes the channels that are on no shortest path from the root.
    pub(super) fn keep_shortest(&mut self) {
        let distance = self.distances();
        for channel in self.topology.channels() {
            let [tail, head] = [self.topology.tail(channel), self.topology.head(channel)].map(NodeId::index);
            self.is_open[channel.index()] &= distance[tail].checked_add(1) == Some(distance[head]);
        }
    }

    /// SourceDistances from the root over open channels, by node; `u32::MAX` for what is not reached.
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

    /// The least width of all channels at which the units get through, where `steps` ports of the root and of the
    /// receivers count for each one; and the flow: arcs of channels have their numbers. `None` if some terminal cannot
    /// be reached.
    ///
    /// Every width that is too small has a cut that says how much more it takes: Newton's method, a few maximum flows.
    pub(super) fn fewest_steps(&self) -> Option<(u32, FlowNetwork)> {
        let Self { topology, .. } = self;
        let (nodes, units) = (topology.node_count(), self.scatter.len() as u32);
        let (source, sink) = (nodes, nodes + 1);
        // So many steps give the ports enough.
        let mut steps = quotient(units, self.rate())?;
        for receiver in self.receivers() {
            steps = steps.max(quotient(self.demand(receiver), self.intake(receiver))?);
        }
        let mut network = FlowNetwork::new(nodes + 2);
        for channel in topology.channel_numbers() {
            let width = if self.is_open(channel) { steps } else { 0 };
            network.add_arc(topology.tail(channel).index(), topology.head(channel).index(), width);
        }
        network.add_arc(source, self.root.index(), units);
        for receiver in self.receivers() {
            network.add_arc(receiver.index(), sink, self.demand(receiver));
        }
        let mut sent = network.max_flow(source, sink);
        while sent < u64::from(units) {
            let is_starved = |node: NodeId| !network.is_on_source_side(node.index());
            let starved = self.receivers().filter(|&node| is_starved(node)).map(|node| self.demand(node)).sum();
            let crosses =
                |&channel: &ChannelId| !is_starved(topology.tail(channel)) && is_starved(topology.head(channel));
            let inlets = topology.channels().filter(|&channel| self.is_open(channel)).filter(crosses).count();
            let needed = quotient(starved, inlets as u32)?;
            for channel in topology.channels().filter(|&channel| self.is_open(channel)) {
                network.add_capacity(ArcId::new(channel.number()), needed - steps);
            }
            steps = needed;
            sent += network.max_flow(source, sink);
        }
        Some((steps, network))
    }
}

/// So many units at this rate, rounded up; `None` if the rate is 0.
fn quotient(units: u32, rate: u32) -> Option<u32> {
    (rate > 0).then(|| units.div_ceil(rate))
}
