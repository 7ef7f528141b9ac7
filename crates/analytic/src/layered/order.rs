//! Who should be informed early: nodes far apart that can send a lot.

use lockstep_topology::{NodeId, Topology};
use rand::{Rng, RngExt};

/// A way to list terminals such that the first ones, however many, are far apart.
#[derive(Debug)]
pub(super) struct Spread<'a> {
    topology: &'a Topology,
    /// Distance from the nodes that are listed already.
    near: Vec<u32>,
    queue: Vec<NodeId>,
}

impl<'a> Spread<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        Self { topology, near: Vec::new(), queue: Vec::new() }
    }

    /// The root and then, `count` terminals in all, one of those that are farthest from all before; sometimes distance
    /// counts alone and sometimes ports as well, because a leaf of a tree cannot pass anything on.
    ///
    /// Takes `O(N + M)` time a node in the worst case, on most networks far less: only what comes nearer is looked at.
    pub(super) fn list(&mut self, root: NodeId, count: usize, rng: &mut impl Rng) -> Vec<NodeId> {
        let topology = self.topology;
        let weight = rng.random_range(0..3);
        self.near.clear();
        self.near.resize(topology.node_count(), u32::MAX);
        self.add(root);
        let mut order = vec![root];
        let (mut candidates, mut least): (Vec<NodeId>, u64) = (Vec::new(), 0);
        while order.len() < count {
            if candidates.is_empty() {
                let score = |&node: &NodeId| self.score(node, weight);
                let top = topology.terminals().iter().map(score).max().unwrap_or(0);
                least = if rng.random_range(0..8) == 0 { top - top / 4 } else { top };
                candidates.extend(topology.terminals().iter().filter(|&node| score(node) >= least));
            }
            let node = candidates.swap_remove(rng.random_range(0..candidates.len()));
            if self.near[node.index()] > 0 && self.score(node, weight) >= least {
                self.add(node);
                order.push(node);
            }
        }
        order
    }

    /// Scores only fall.
    fn score(&self, node: NodeId, weight: u32) -> u64 {
        let degree = self.topology.out_channels(node).len() as u64;
        u64::from(self.near[node.index()]).saturating_mul(degree.saturating_pow(weight))
    }

    fn add(&mut self, node: NodeId) {
        let Self { topology, near, queue } = self;
        near[node.index()] = 0;
        queue.clear();
        queue.push(node);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let distance = near[node.index()] + 1;
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if near[head.index()] > distance {
                    near[head.index()] = distance;
                    queue.push(head);
                }
            }
        }
    }
}
