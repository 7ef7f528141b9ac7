//! Who should be informed early: nodes far apart that can send a lot.

use lockstep_topology::{NodeId, Topology};
use rand::{Rng, RngExt};

/// Lists terminals such that the first ones, however many, are far apart.
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

    /// All terminals: first the root and then, `count` in all, always one that is about as far as can be from all before;
    /// the others at random. In some lists distance counts alone and in some also the number of channels: a leaf of a
    /// tree cannot pass much on.
    ///
    /// Looks only at what comes nearer with a node that is listed, and at all terminals when the greatest distance falls.
    pub(super) fn list(&mut self, root: NodeId, count: usize, rng: &mut impl Rng) -> Vec<NodeId> {
        let terminals = self.topology.terminals();
        let weight = rng.random_range(0..3);
        self.near.clear();
        self.near.resize(self.topology.node_count(), u32::MAX);
        self.add(root);
        let mut order = vec![root];
        let (mut candidates, mut least): (Vec<NodeId>, u64) = (Vec::new(), 0);
        while order.len() < count.min(terminals.len()) {
            if candidates.is_empty() {
                let score = |&node: &NodeId| self.score(node, weight);
                let top = terminals.iter().map(score).max().unwrap_or(0);
                least = if rng.random_range(0..8) == 0 { top - top / 4 } else { top };
                candidates.extend(terminals.iter().filter(|&node| score(node) >= least));
            }
            let node = candidates.swap_remove(rng.random_range(0..candidates.len()));
            // Scores only fall.
            if self.near[node.index()] > 0 && self.score(node, weight) >= least {
                self.add(node);
                order.push(node);
            }
        }
        let first = order.len();
        order.extend(terminals.iter().filter(|node| self.near[node.index()] > 0));
        for last in (first + 1..order.len()).rev() {
            order.swap(last, rng.random_range(first..=last));
        }
        order
    }

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

#[cfg(test)]
mod tests {
    use lockstep_topology::strategy::any_topology;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    proptest! {
        #[test]
        fn every_terminal_is_listed_once(topology in any_topology(12), count in 0usize..15, seed: u64) {
            let root = topology.terminals()[0];
            let mut order = Spread::new(&topology).list(root, count, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(order[0], root);
            order.sort_unstable();
            prop_assert_eq!(order, topology.terminals());
        }
    }

    #[test]
    fn the_second_is_opposite() {
        let ring: Topology = "ring:12".parse().unwrap();
        for seed in 0..20 {
            let order = Spread::new(&ring).list(NodeId::new(0), 4, &mut ChaCha8Rng::seed_from_u64(seed));
            assert!((5..=7).contains(&order[1].number()), "{order:?}");
        }
    }
}
