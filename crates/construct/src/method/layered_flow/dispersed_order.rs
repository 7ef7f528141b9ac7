//! The order in which terminals should receive the message: nodes that are far apart and can send to many others.

use std::collections::BinaryHeap;

use lockstep_topology::{NodeId, Topology};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// The number of listed nodes between two checks of the budget.
const NODES_PER_CHECK: usize = 64;

/// Orders terminals such that every prefix is far apart.
#[derive(Debug)]
pub(super) struct DispersedOrder<'a> {
    topology: &'a Topology,
    /// The distance of each node from the nearest listed node.
    near: Vec<u32>,
    queue: Vec<NodeId>,
}

impl<'a> DispersedOrder<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        Self { topology, near: Vec::new(), queue: Vec::new() }
    }

    /// Returns the root and the other terminals by urgency: first dispersed terminals, then the rest at random. The
    /// last of the sizes is the number of dispersed terminals, fewer once `is_over` returns true. One of several orders is
    /// chosen at random.
    pub(super) fn order(
        &mut self,
        root: NodeId,
        others: &[NodeId],
        sizes: &[usize],
        is_over: &dyn Fn() -> bool,
        rng: &mut impl Rng,
    ) -> Vec<NodeId> {
        let mut order = match rng.random_range(0..4) {
            3 => self.along_depth_first_order(root, others, sizes),
            weight => self.farthest_first(root, others, sizes.last().copied().unwrap_or(1), weight, is_over, rng),
        };
        let first = order.len();
        let is_listed = self.flags(&order);
        order.extend(others.iter().filter(|node| !is_listed[node.index()]));
        order[first..].shuffle(rng);
        order
    }

    fn flags(&self, nodes: &[NodeId]) -> Vec<bool> {
        let mut is_marked = vec![false; self.topology.node_count()];
        for node in nodes {
            is_marked[node.index()] = true;
        }
        is_marked
    }

    /// Returns `count` terminals: the root, and then always a terminal about as far as possible from all listed ones.
    /// The distance is multiplied by the degree to the power of `weight`, because a leaf of a tree cannot send to
    /// others.
    ///
    /// Scans all terminals only when the largest distance falls. Takes `O(count (N + M))` time at most.
    fn farthest_first(
        &mut self,
        root: NodeId,
        others: &[NodeId],
        count: usize,
        weight: u32,
        is_over: &dyn Fn() -> bool,
        rng: &mut impl Rng,
    ) -> Vec<NodeId> {
        self.near.clear();
        self.near.resize(self.topology.node_count(), u32::MAX);
        self.add(root);
        let mut order = vec![root];
        let (mut candidates, mut least): (Vec<NodeId>, u64) = (Vec::new(), 0);
        while order.len() < count.min(others.len() + 1) {
            if order.len().is_multiple_of(NODES_PER_CHECK) && is_over() {
                break;
            }
            if candidates.is_empty() {
                let score = |&node: &NodeId| self.score(node, weight);
                let top = others.iter().map(score).max().unwrap_or(0);
                least = if rng.random_range(0..8) == 0 { top - top / 4 } else { top };
                candidates.extend(others.iter().filter(|&node| score(node) >= least));
            }
            let node = candidates.swap_remove(rng.random_range(0..candidates.len()));
            // A score only decreases.
            if self.near[node.index()] > 0 && self.score(node, weight) >= least {
                self.add(node);
                order.push(node);
            }
        }
        order
    }

    /// Divides the depth-first order into equal parts, for each of the sizes again, and lists the first terminal of
    /// each part. On a ring or a line, each holder then serves its own interval. If the order does not end next to the
    /// root, the last interval is half as long, because no holder sends from its other side.
    fn along_depth_first_order(&mut self, root: NodeId, others: &[NodeId], sizes: &[usize]) -> Vec<NodeId> {
        let walk = self.depth_first_order(root, others);
        let end = walk[walk.len() - 1];
        let is_closed = self.topology.out_channels(end).iter().any(|&channel| self.topology.head(channel) == root);
        let turns = if is_closed { 1 } else { 2 };
        let mut order = vec![root];
        // Each interval begins with a listed node, or in the mirror image after the end.
        let mut intervals = vec![(0, turns * walk.len())];
        for &size in sizes {
            // The part length of each interval, and its index. A part has at least one node.
            let mut parts_of = vec![1; intervals.len()];
            let part = |index: usize, parts: usize| {
                let (start, end) = intervals[index];
                (parts < end - start).then(|| (((end - start) << 20) / parts, index))
            };
            let mut longest: BinaryHeap<_> = (0..intervals.len()).filter_map(|index| part(index, 1)).collect();
            for _ in intervals.len()..(turns * size.min(walk.len())).saturating_sub(turns - 1) {
                let Some((_, index)) = longest.pop() else { break };
                parts_of[index] += 1;
                longest.extend(part(index, parts_of[index]));
            }
            let cuts = intervals.iter().zip(parts_of).flat_map(|(&(start, end), parts)| {
                let border = move |part: usize| start + (end - start) * part / parts;
                (0..parts).map(move |part| (border(part), border(part + 1)))
            });
            let finer: Vec<(usize, usize)> = cuts.collect();
            let mut old = intervals.iter().map(|&(start, _)| start).peekable();
            let new = finer.iter().map(|&(start, _)| start).filter(|start| old.next_if_eq(start).is_none());
            order.extend(new.filter_map(|start| walk.get(start)));
            intervals = finer;
        }
        order
    }

    /// Returns the root and the others in depth-first order from the root.
    fn depth_first_order(&mut self, root: NodeId, others: &[NodeId]) -> Vec<NodeId> {
        let is_listed = self.flags(others);
        let Self { topology, queue: stack, .. } = self;
        let mut is_seen = vec![false; topology.node_count()];
        let mut walk = Vec::with_capacity(others.len() + 1);
        stack.clear();
        stack.push(root);
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut is_seen[node.index()], true) {
                continue;
            }
            if node == root || is_listed[node.index()] {
                walk.push(node);
            }
            let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
            stack.extend(heads.filter(|head| !is_seen[head.index()]));
        }
        walk
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
        fn every_terminal_is_listed_once(
            topology in any_topology(12), count in 1usize..12, sizes in prop::collection::vec(0usize..15, 0..4),
            seed: u64,
        ) {
            let (root, mut others) = (topology.terminals()[0], topology.terminals()[1..].to_vec());
            others.truncate(count.max(1));
            let order = DispersedOrder::new(&topology).order(root, &others, &sizes, &|| false, &mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(order[0], root);
            let mut listed = order[1..].to_vec();
            listed.sort_unstable();
            prop_assert_eq!(listed, others);
        }
    }

    #[test]
    fn the_second_is_opposite() {
        let network: Topology = "ring:12".parse().unwrap();
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let order = DispersedOrder::new(&network).farthest_first(
                NodeId::new(0),
                &network.terminals()[1..],
                4,
                1,
                &|| false,
                &mut rng,
            );
            assert!((5..=7).contains(&order[1].number()), "{order:?}");
        }
    }

    #[test]
    fn a_walk_is_cut_into_even_parts() {
        let network: Topology = "ring:27".parse().unwrap();
        let order =
            DispersedOrder::new(&network).along_depth_first_order(NodeId::new(0), &network.terminals()[1..], &[3, 9]);
        let mut numbers: Vec<u32> = order.iter().map(|node| node.number()).collect();
        numbers[..3].sort_unstable();
        assert_eq!(numbers[..3], [0, 9, 18]);
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq((0..27).step_by(3)), "{order:?}");
    }
}
