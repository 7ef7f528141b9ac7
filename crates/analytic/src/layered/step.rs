//! One step of a broadcast as a flow: whatever the senders send is the same, so only who is reached counts.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// The layer of a node that does not take part: a switch.
pub(super) const SWITCH: u32 = u32::MAX;

/// A network whose flows are the transfers of one step.
///
/// From the source a unit goes to a holder, over channels to a node that is to be reached, and to the sink. The arcs of
/// the channels have their numbers; then follow, for every terminal, the arc that sends and the arc that receives.
#[derive(Debug)]
pub(super) struct StepFlow<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// Channels that share a wire; units in both directions cancel.
    opposite: Vec<[ChannelId; 2]>,
    network: FlowNetwork,
    /// Whether only channels that lead away from the holders are used, so that all paths are shortest ones.
    pub(super) is_strict: bool,
    /// Distance from the nearest holder, and scratch space for it.
    level: Vec<u32>,
    queue: Vec<NodeId>,
}

impl<'a> StepFlow<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports, opposite: Vec<[ChannelId; 2]>) -> Self {
        let nodes = topology.node_count();
        let mut network = FlowNetwork::new(nodes + 2);
        for channel in topology.channels() {
            network.arc(topology.tail(channel).index(), topology.head(channel).index(), 0);
        }
        for terminal in topology.terminals() {
            network.arc(nodes, terminal.index(), 0);
            network.arc(terminal.index(), nodes + 1, 0);
        }
        let (level, queue) = (vec![0; nodes], Vec::new());
        Self { topology, ports, opposite, network, is_strict: false, level, queue }
    }

    /// The most nodes of layer `step` that those of earlier layers can reach in one step.
    pub(super) fn solve(&mut self, layer: &[u32], step: u32) -> usize {
        if self.is_strict {
            self.find_levels(layer, step);
        }
        let Self { topology, ports, network, level, is_strict, .. } = self;
        let (channels, nodes) = (topology.channel_count(), topology.node_count());
        network.reset(|arc| {
            let Some(end) = arc.index().checked_sub(channels) else {
                let channel = ChannelId::new(arc.number());
                let (tail, head) = (topology.tail(channel), topology.head(channel));
                let leaves = layer[tail.index()] < step || topology.routes(tail);
                let enters = layer[head.index()] == step || topology.routes(head);
                let leads_on = !*is_strict || level[head.index()] == level[tail.index()].saturating_add(1);
                return u32::from(leaves && enters && leads_on);
            };
            let terminal = topology.terminals()[end / 2];
            let is_sender = layer[terminal.index()] < step;
            match end % 2 {
                0 if is_sender => ports.of_degree(topology.out_channels(terminal).len()) as u32,
                0 => 0,
                _ => u32::from(layer[terminal.index()] == step),
            }
        });
        let reached = network.maximise(nodes, nodes + 1);
        for [there, back] in &self.opposite {
            self.network.cancel(ArcId::new(there.number()), ArcId::new(back.number()));
        }
        reached as usize
    }

    /// The nodes of layer `step` that the last solution does, or does not, reach.
    pub(super) fn targets(&self, layer: &[u32], step: u32, reached: bool) -> impl Iterator<Item = NodeId> {
        let first = self.topology.channel_count() + 1;
        let terminals = self.topology.terminals().iter().enumerate();
        terminals.filter_map(move |(rank, &terminal)| {
            let is_target = layer[terminal.index()] == step;
            let arrives = || self.network.flow(ArcId::from_index(first + 2 * rank)) == 1;
            (is_target && arrives() == reached).then_some(terminal)
        })
    }

    /// Calls `visit` with the paths of the last solution, and forgets it.
    pub(super) fn paths(&mut self, mut visit: impl FnMut(&[ChannelId])) {
        let nodes = self.topology.node_count();
        let mut path = Vec::new();
        self.network.unravel(nodes, nodes + 1, |arcs| {
            path.clear();
            path.extend(arcs[1..arcs.len() - 1].iter().map(|arc| ChannelId::new(arc.number())));
            visit(&path);
        });
    }

    /// Distances from the nearest node that is in an earlier layer. A path along which they rise by one with every
    /// channel is a shortest one: no holder is nearer to its end than the one that it begins at.
    fn find_levels(&mut self, layer: &[u32], step: u32) {
        let Self { topology, level, queue, .. } = self;
        level.fill(u32::MAX);
        queue.clear();
        queue.extend(topology.terminals().iter().filter(|node| layer[node.index()] < step));
        for node in queue.iter() {
            level[node.index()] = 0;
        }
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            if level[node.index()] > 0 && !topology.routes(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if level[head.index()] == u32::MAX {
                    level[head.index()] = level[node.index()] + 1;
                    queue.push(head);
                }
            }
        }
    }
}
