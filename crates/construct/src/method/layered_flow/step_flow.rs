//! One step of a broadcast as a flow.
//!
//! All transfers carry the same message, so only the set of reached nodes matters.

use lockstep_model::port_limit;
use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A flow network whose flows are the transfers of one step.
///
/// A unit flows from the source to a holder, over channels to a terminal without the message, and to the sink. The arc
/// of a channel has the channel's number. Then each terminal has two arcs, one from the source and one to the sink. The
/// caller keeps the step in which each node receives the message.
#[derive(Debug)]
pub(super) struct BroadcastStepFlow<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// Opposite channels that share a resource; units in both directions cancel.
    opposite: Vec<[ChannelId; 2]>,
    network: FlowNetwork,
}

impl<'a> BroadcastStepFlow<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports, opposite: Vec<[ChannelId; 2]>) -> Self {
        let nodes = topology.node_count();
        let mut network = FlowNetwork::new(nodes + 2);
        for channel in topology.channel_numbers() {
            network.add_arc(topology.tail(channel).index(), topology.head(channel).index(), 0);
        }
        for terminal in topology.terminals() {
            network.add_arc(nodes, terminal.index(), 0);
            network.add_arc(terminal.index(), nodes + 1, 0);
        }
        Self { topology, ports, opposite, network }
    }

    /// Begins a step: nodes that received the message in an earlier step send, and no node receives yet.
    pub(super) fn begin(&mut self, step_of: &[u32], step: u32) {
        let Self { topology, ports, network, .. } = self;
        let holds = |node: NodeId| step_of[node.index()] < step;
        network.reset(|arc| {
            let Some(end) = arc.index().checked_sub(topology.channel_bound()) else {
                let channel = ChannelId::new(arc.number());
                let (tail, head) = (topology.tail(channel), topology.head(channel));
                let leaves = holds(tail) || topology.routes(tail);
                let enters = !holds(head) || topology.routes(head);
                let is_open = leaves && enters && topology.is_working(channel);
                return if is_open { topology.capacity(channel) } else { 0 };
            };
            let terminal = topology.terminals()[end / 2];
            if end.is_multiple_of(2) && holds(terminal) {
                port_limit(topology, *ports, topology.out_channels(terminal))
            } else {
                0
            }
        });
    }

    /// Reaches the maximum number of these terminals in addition to those already reached, and returns that number. The
    /// terminals must not hold the message or have been given in this step before. Takes one maximum flow; ends early,
    /// with fewer terminals, once `is_over` returns true.
    pub(super) fn reach(&mut self, terminals: &[NodeId], is_over: &dyn Fn() -> bool) -> usize {
        for &terminal in terminals {
            let arc = self.receiving_arc(terminal);
            self.network.add_capacity(arc, 1);
        }
        let nodes = self.topology.node_count();
        let mut reached = 0;
        while let Some(more) = self.network.augment(nodes, nodes + 1) {
            reached += more as usize;
            if is_over() {
                break;
            }
        }
        reached
    }

    /// Returns the number of nodes and arcs visited so far.
    pub(super) fn visits(&self) -> u64 {
        self.network.visits()
    }

    fn receiving_arc(&self, terminal: NodeId) -> ArcId {
        let rank = self.topology.terminal_rank(terminal).expect("terminals receive");
        ArcId::from_index(self.topology.channel_bound() + 2 * rank + 1)
    }

    /// Returns the path of every transfer and ends the step.
    pub(super) fn paths(&mut self) -> Vec<Vec<ChannelId>> {
        for [there, back] in &self.opposite {
            self.network.cancel(ArcId::new(there.number()), ArcId::new(back.number()));
        }
        let nodes = self.topology.node_count();
        let mut paths = Vec::new();
        self.network.decompose_paths(nodes, nodes + 1, |arcs| {
            paths.push(arcs[1..arcs.len() - 1].iter().map(|arc| ChannelId::new(arc.number())).collect());
        });
        paths
    }
}
