//! Cheapest paths between terminals, with a limited number of terminals inside.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_topology::{ChannelId, NodeId, Topology};

/// Maximum number of terminals inside a path. More have no use, and memory grows with it.
const MAX_RELAYS: usize = 16;

/// A node, and the number of terminals crossed before it.
type State = usize;

/// Dijkstra's algorithm over nodes that route.
pub(crate) struct PathSearch<'a> {
    topology: &'a Topology,
    /// One more than the maximum number of terminals inside a path.
    layers: usize,
    /// By state: the least cost, the last channel, and the state before it.
    cost: Vec<u64>,
    last: Vec<Option<(ChannelId, u32)>>,
    reached: Vec<State>,
    open: BinaryHeap<Reverse<(u64, State)>>,
}

impl<'a> PathSearch<'a> {
    pub(crate) fn new(topology: &'a Topology, relay: u32) -> Self {
        // Only terminals that route are relays.
        let relays = topology.terminals().iter().filter(|&&node| topology.routes(node)).count();
        let layers = 1 + relays.min(relay as usize).min(MAX_RELAYS);
        let states = topology.node_count() * layers;
        Self {
            topology,
            layers,
            cost: vec![u64::MAX; states],
            last: vec![None; states],
            reached: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    /// Finds the cheapest paths from a node to all others, or to `target`. A channel without a cost is not used.
    ///
    /// The sum of the costs of a path is below 2^64. Takes `O(M log M)` time.
    pub(crate) fn run(&mut self, from: NodeId, target: Option<NodeId>, cost_of: impl Fn(ChannelId) -> Option<u64>) {
        for state in self.reached.drain(..) {
            (self.cost[state], self.last[state]) = (u64::MAX, None);
        }
        let start = from.index() * self.layers;
        self.open.clear();
        self.open.push(Reverse((0, start)));
        self.cost[start] = 0;
        self.reached.push(start);
        while let Some(Reverse((cost, state))) = self.open.pop() {
            let node = NodeId::from_index(state / self.layers);
            if cost > self.cost[state] {
                continue;
            }
            if target == Some(node) {
                return;
            }
            let is_crossed = node != from;
            let layer = state % self.layers + usize::from(is_crossed && self.topology.is_terminal(node));
            if layer >= self.layers || is_crossed && !self.topology.routes(node) {
                continue;
            }
            for &channel in self.topology.out_channels(node) {
                let Some(cost_of_channel) = cost_of(channel) else { continue };
                let next = self.topology.head(channel).index() * self.layers + layer;
                let next_cost = cost + cost_of_channel;
                if next_cost < self.cost[next] {
                    if self.cost[next] == u64::MAX {
                        self.reached.push(next);
                    }
                    (self.cost[next], self.last[next]) = (next_cost, Some((channel, state as u32)));
                    self.open.push(Reverse((next_cost, next)));
                }
            }
        }
    }

    /// Returns the least cost of a path to a node, or `None` if there is no path.
    pub(crate) fn cost(&self, to: NodeId) -> Option<u64> {
        self.best_state(to).map(|state| self.cost[state])
    }

    /// Returns a cheapest path to a node, or `None` if there is no path.
    pub(crate) fn path(&self, to: NodeId) -> Option<Vec<ChannelId>> {
        let mut state = self.best_state(to)?;
        let mut path = Vec::new();
        while let Some((channel, before)) = self.last[state] {
            path.push(channel);
            state = before as usize;
        }
        path.reverse();
        Some(path)
    }

    fn best_state(&self, to: NodeId) -> Option<State> {
        let states = to.index() * self.layers..(to.index() + 1) * self.layers;
        states.min_by_key(|&state| self.cost[state]).filter(|&state| self.cost[state] < u64::MAX)
    }
}
