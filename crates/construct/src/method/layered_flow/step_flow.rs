//! One step of a broadcast as a flow: all transfers carry the same, so what counts is only who is reached.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A network whose flows are the transfers of one step.
///
/// From the source a unit goes to a holder, over channels to a terminal that does not hold the message, and to the
/// sink. The arcs of the channels have their numbers; then follow, for every terminal, the arc that sends and the arc
/// that receives. The step in which each node comes to hold the message is told from outside, by node.
#[derive(Debug)]
pub(super) struct BroadcastStepFlow<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// Channels that share a wire; units in both directions cancel.
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

    /// Begins a step: who came to hold the message in an earlier one sends, nobody receives yet.
    pub(super) fn begin(&mut self, step_of: &[u32], step: u32) {
        let Self { topology, ports, network, .. } = self;
        let holds = |node: NodeId| step_of[node.index()] < step;
        network.reset(|arc| {
            let Some(end) = arc.index().checked_sub(topology.channel_bound()) else {
                let channel = ChannelId::new(arc.number());
                let (tail, head) = (topology.tail(channel), topology.head(channel));
                let leaves = holds(tail) || topology.routes(tail);
                let enters = !holds(head) || topology.routes(head);
                return u32::from(leaves && enters && topology.is_working(channel));
            };
            let terminal = topology.terminals()[end / 2];
            if end.is_multiple_of(2) && holds(terminal) {
                ports.of_degree(topology.out_channels(terminal).len()) as u32
            } else {
                0
            }
        });
    }

    /// Reaches as many of these terminals as can be beside those that are reached already, and returns how many. They
    /// must not hold the message, nor have been given in this step before.
    pub(super) fn reach(&mut self, terminals: &[NodeId]) -> usize {
        for &terminal in terminals {
            let arc = self.receiving_arc(terminal);
            self.network.add_capacity(arc, 1);
        }
        let nodes = self.topology.node_count();
        self.network.max_flow(nodes, nodes + 1) as usize
    }

    fn receiving_arc(&self, terminal: NodeId) -> ArcId {
        let rank = self.topology.terminal_rank(terminal).expect("terminals receive");
        ArcId::from_index(self.topology.channel_bound() + 2 * rank + 1)
    }

    /// The path of every transfer; ends the step.
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
