//! Relay terminals for messages that no single transfer can deliver.

use lockstep_schedule::Transport;
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::task::SchedulingTask;

/// A tree of shortest paths from one terminal to all nodes, made of legal transfers between terminals.
#[derive(Debug)]
pub(crate) struct RelayTree<'a> {
    task: &'a SchedulingTask<'a>,
    source: NodeId,
    /// The channel by which the tree reaches each node.
    via: Vec<Option<ChannelId>>,
}

impl<'a> RelayTree<'a> {
    /// Builds the tree by a breadth-first search in `O(N + M)` time.
    pub(crate) fn new(task: &'a SchedulingTask<'a>, source: NodeId) -> Self {
        let topology: &Topology = task.topology();
        let transport = Transport::forwarded(task.model().switching);
        let mut via = vec![None; topology.node_count()];
        let mut queue = vec![source];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            if !transport.crosses(topology, node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if head != source && via[head.index()].is_none() {
                    via[head.index()] = Some(channel);
                    queue.push(head);
                }
            }
        }
        Self { task, source, via }
    }

    /// Returns the terminals that receive a message to `target` one after the other; `target` is the last.
    pub(crate) fn route(&self, target: NodeId) -> Vec<NodeId> {
        let mut stops = vec![target];
        let mut node = target;
        while let Some(channel) = self.via[node.index()] {
            node = self.task.topology().tail(channel);
            let is_crossed = self.task.model().switching.crosses(self.task.topology(), node);
            if node != self.source && !is_crossed {
                stops.push(node);
            }
        }
        stops.reverse();
        stops
    }
}
