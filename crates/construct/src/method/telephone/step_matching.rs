//! Whom informed nodes can inform together in one step.

use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A matching of informed nodes with neighbours, each of the former with as many as it has ports.
#[derive(Debug)]
pub(super) struct StepMatching<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// The nodes that each informed one sends to.
    sends: Vec<Vec<NodeId>>,
    /// The channel by which each node is reached.
    via: Vec<Option<ChannelId>>,
    /// Whether a search came to an informed node, and the channel over which it would send one more.
    is_met: Vec<bool>,
    wish: Vec<ChannelId>,
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
            is_met: vec![false; nodes],
            wish: vec![ChannelId::new(0); nodes],
            queue: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// The nodes of a list that informed neighbours can inform in one step, and over which channels: each one that can
    /// be beside those before it, and so as many as can be. Takes `O(M)` time for every node reached.
    ///
    /// **Source**: greedy in a transversal matroid: Edmonds and Fulkerson, *Transversals and matroid partition*, J. Res.
    /// Nat. Bur. Standards 69B (1965).
    pub(super) fn reach(&mut self, is_informed: &[bool], list: &[NodeId]) -> &[(NodeId, ChannelId)] {
        self.sends.iter_mut().for_each(Vec::clear);
        self.via.fill(None);
        self.is_met.fill(false);
        for &node in list {
            self.augment(is_informed, node);
        }
        self.reached.clear();
        self.reached.extend(list.iter().filter_map(|&node| Some((node, self.via[node.index()]?))));
        &self.reached
    }

    /// Reaches one node more, if possible.
    fn augment(&mut self, is_informed: &[bool], node: NodeId) {
        let Self { topology, ports, sends, is_met, wish, queue, .. } = self;
        queue.clear();
        queue.push(node);
        let mut met: Vec<NodeId> = Vec::new();
        let mut next = 0;
        while let Some(&wanted) = queue.get(next) {
            next += 1;
            for &channel in topology.in_channels(wanted) {
                let sender = topology.tail(channel);
                if !is_informed[sender.index()] || std::mem::replace(&mut is_met[sender.index()], true) {
                    continue;
                }
                wish[sender.index()] = channel;
                if sends[sender.index()].len() < ports.of_degree(topology.out_channels(sender).len()) {
                    met.push(sender);
                    for node in met {
                        is_met[node.index()] = false;
                    }
                    self.exchange(sender);
                    return;
                }
                met.push(sender);
                queue.extend(&sends[sender.index()]);
            }
        }
        // Whom this search met can never again send to somebody else: they stay marked.
    }

    /// The sender informs whom it wishes; who was to be informed by another one before sets that one free, and so on.
    fn exchange(&mut self, mut sender: NodeId) {
        loop {
            let channel = self.wish[sender.index()];
            let node = self.topology.head(channel);
            self.sends[sender.index()].push(node);
            let Some(before) = self.via[node.index()].replace(channel) else { return };
            sender = self.topology.tail(before);
            self.sends[sender.index()].retain(|&other| other != node);
        }
    }
}
