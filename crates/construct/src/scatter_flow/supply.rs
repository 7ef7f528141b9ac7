//! How fast units can flow from the root to all other terminals.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// Units from the root, one for every other terminal, over the channels that may carry them.
#[derive(Clone, Debug)]
pub(super) struct Supply<'a> {
    pub(super) topology: &'a Topology,
    pub(super) root: NodeId,
    pub(super) ports: Ports,
    /// Whether each channel may be used.
    is_open: Vec<bool>,
}

impl<'a> Supply<'a> {
    /// Over all channels that lead from the root or a node that units may pass; none leads back to the root.
    pub(super) fn new(topology: &'a Topology, root: NodeId, ports: Ports, passes: impl Fn(NodeId) -> bool) -> Self {
        let passes: Vec<bool> = topology.nodes().map(|node| node == root || passes(node)).collect();
        let useful = |node: NodeId| passes[node.index()] || topology.is_terminal(node);
        let is_open = topology.channels().map(|channel| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            passes[tail.index()] && head != root && useful(head)
        });
        Self { topology, root, ports, is_open: is_open.collect() }
    }

    pub(super) fn is_open(&self, channel: ChannelId) -> bool {
        self.is_open[channel.index()]
    }

    /// Number of terminals that wait for a unit.
    pub(super) fn receivers(&self) -> usize {
        self.topology.terminal_count() - 1
    }

    /// Units that can leave the root in one step.
    pub(super) fn rate(&self) -> usize {
        let channels = self.topology.out_channels(self.root).iter().filter(|&&channel| self.is_open(channel));
        self.ports.of_degree(channels.count())
    }

    /// Closes the channels that are on no shortest path from the root.
    pub(super) fn keep_shortest(&mut self) {
        let distance = self.distances();
        for channel in self.topology.channels() {
            let [tail, head] = [self.topology.tail(channel), self.topology.head(channel)].map(NodeId::index);
            self.is_open[channel.index()] &= distance[tail].checked_add(1) == Some(distance[head]);
        }
    }

    /// Distances from the root over open channels, by node; `u32::MAX` for what is not reached.
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

    /// The least width of all channels at which the units get through, where `steps` ports of the root count for each
    /// one; and the flow: arcs of channels have their numbers. `None` if some terminal cannot be reached.
    ///
    /// Every width that is too small has a cut that says how much more it takes: Newton's method, a few maximum flows.
    pub(super) fn fewest_steps(&self) -> Option<(u32, FlowNetwork)> {
        let Self { topology, .. } = self;
        let (nodes, receivers) = (topology.node_count(), self.receivers());
        let (source, sink) = (nodes, nodes + 1);
        let rate = self.rate();
        let mut steps = receivers.checked_div(rate)? as u32 + u32::from(!receivers.is_multiple_of(rate));
        let mut network = FlowNetwork::new(nodes + 2);
        for channel in topology.channels() {
            let width = if self.is_open(channel) { steps } else { 0 };
            network.arc(topology.tail(channel).index(), topology.head(channel).index(), width);
        }
        // So many steps give the root ports enough.
        network.arc(source, self.root.index(), receivers as u32);
        for terminal in self.topology.terminals().iter().filter(|&&terminal| terminal != self.root) {
            network.arc(terminal.index(), sink, 1);
        }
        let mut sent = network.maximise(source, sink);
        while sent < receivers as u64 {
            let is_starved = |node: NodeId| !network.is_on_source_side(node.index());
            let starved = topology.terminals().iter().filter(|&&terminal| is_starved(terminal)).count();
            let crosses =
                |&channel: &ChannelId| !is_starved(topology.tail(channel)) && is_starved(topology.head(channel));
            let inlets = topology.channels().filter(|&channel| self.is_open(channel)).filter(crosses).count();
            let needed = starved.checked_div(inlets)? as u32 + u32::from(!starved.is_multiple_of(inlets));
            for channel in topology.channels().filter(|&channel| self.is_open(channel)) {
                network.widen(ArcId::new(channel.number()), needed - steps);
            }
            steps = needed;
            sent += network.maximise(source, sink);
        }
        Some((steps, network))
    }
}
