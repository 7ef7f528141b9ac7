//! The nodes that informed nodes can inform together in one step.

use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A matching of informed nodes with uninformed neighbours, where each informed node has at most its number of ports.
#[derive(Debug)]
pub(super) struct StepMatching<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// The nodes that each informed one sends to.
    sends: Vec<Vec<NodeId>>,
    /// The channel over which each node is reached.
    via: Vec<Option<ChannelId>>,
    /// Whether the search visited each informed node.
    is_visited: Vec<bool>,
    /// The channel over which each visited node would send next.
    next_channel: Vec<ChannelId>,
    queue: Vec<NodeId>,
    reached: Vec<(NodeId, ChannelId)>,
}

impl<'a> StepMatching<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports) -> Self {
        let nodes = topology.node_count();
        Self {
            topology,
            ports,
            sends: vec![Vec::new(); nodes],
            via: vec![None; nodes],
            is_visited: vec![false; nodes],
            next_channel: vec![ChannelId::new(0); nodes],
            queue: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Returns the nodes of a list that can be informed in one step, with their channels. A node is informed if that is
    /// possible together with the informed nodes before it, so their number is maximum. Takes `O(M)` time per node
    /// reached.
    ///
    /// # Source
    ///
    /// The greedy algorithm in a transversal matroid: Edmonds and Fulkerson, *Transversals and matroid partition*, J.
    /// Res. Nat. Bur. Standards 69B (1965).
    pub(super) fn reach(&mut self, is_informed: &[bool], list: &[NodeId]) -> &[(NodeId, ChannelId)] {
        self.sends.iter_mut().for_each(Vec::clear);
        self.via.fill(None);
        self.is_visited.fill(false);
        for &node in list {
            self.augment(is_informed, node);
        }
        self.reached.clear();
        self.reached.extend(list.iter().filter_map(|&node| Some((node, self.via[node.index()]?))));
        &self.reached
    }

    /// Reaches one more node by an augmenting path, if there is one.
    fn augment(&mut self, is_informed: &[bool], node: NodeId) {
        let Self { topology, ports, sends, is_visited, next_channel, queue, .. } = self;
        queue.clear();
        queue.push(node);
        let mut visited: Vec<NodeId> = Vec::new();
        let mut next = 0;
        while let Some(&wanted) = queue.get(next) {
            next += 1;
            for &channel in topology.in_channels(wanted) {
                let sender = topology.tail(channel);
                if !is_informed[sender.index()] || std::mem::replace(&mut is_visited[sender.index()], true) {
                    continue;
                }
                next_channel[sender.index()] = channel;
                if sends[sender.index()].len() < ports.of_degree(topology.out_channels(sender).len()) {
                    visited.push(sender);
                    for node in visited {
                        is_visited[node.index()] = false;
                    }
                    self.exchange(sender);
                    return;
                }
                visited.push(sender);
                queue.extend(&sends[sender.index()]);
            }
        }
        // The nodes of a failed search can never send to another node, so they stay marked.
    }

    /// Applies the augmenting path: the sender informs a node, whose former sender informs another one, and so on.
    fn exchange(&mut self, mut sender: NodeId) {
        loop {
            let channel = self.next_channel[sender.index()];
            let node = self.topology.head(channel);
            self.sends[sender.index()].push(node);
            let Some(before) = self.via[node.index()].replace(channel) else { return };
            sender = self.topology.tail(before);
            self.sends[sender.index()].retain(|&other| other != node);
        }
    }
}
