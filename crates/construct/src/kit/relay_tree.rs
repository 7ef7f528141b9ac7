//! Relay terminals for messages that no single transfer can deliver.

use lockstep_schedule::Transport;
use lockstep_topology::{NodeId, Topology};

use super::task::SchedulingTask;

/// A tree of shortest paths from one terminal to all nodes, made of legal transfers between terminals.
#[derive(Debug)]
pub(crate) struct RelayTree {
    source: NodeId,
    /// The node before each node on its path from the source.
    before: Vec<Option<NodeId>>,
    /// True for the nodes where a transfer ends.
    is_stop: Vec<bool>,
}

impl RelayTree {
    /// Builds the tree by a breadth-first search in `O(N + M)` time; in networks with buses in `O(T^2)` time for `T`
    /// terminals.
    pub(crate) fn new(task: &SchedulingTask<'_>, source: NodeId) -> Self {
        let topology: &Topology = task.topology();
        let transport = Transport::forwarded(task.model().switching);
        let mut before = vec![None; topology.node_count()];
        let mut queue = vec![source];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let mut reach = |other: NodeId| {
                if other != source && before[other.index()].is_none() {
                    before[other.index()] = Some(node);
                    queue.push(other);
                }
            };
            if let Some(paths) = task.bus_paths() {
                let is_joined = |&&other: &&NodeId| !paths.between(node, other).is_empty();
                topology.terminals().iter().filter(is_joined).for_each(|&other| reach(other));
            } else if transport.crosses(topology, node) {
                topology.out_channels(node).iter().for_each(|&channel| reach(topology.head(channel)));
            }
        }
        let is_stop = |node| task.bus_paths().is_some() || task.stores_and_forwards() || !topology.routes(node);
        Self { source, before, is_stop: topology.nodes().map(is_stop).collect() }
    }

    /// Returns the terminals that receive a message to `target` one after the other; `target` is the last.
    pub(crate) fn route(&self, target: NodeId) -> Vec<NodeId> {
        let before = |node: &NodeId| self.before[node.index()].filter(|&node| node != self.source);
        let inner = std::iter::successors(before(&target), before).filter(|node| self.is_stop[node.index()]);
        let mut stops: Vec<NodeId> = std::iter::once(target).chain(inner).collect();
        stops.reverse();
        stops
    }
}
