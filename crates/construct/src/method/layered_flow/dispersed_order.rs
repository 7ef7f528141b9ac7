//! Who should be informed early: nodes far apart that can send a lot.

use std::collections::BinaryHeap;

use lockstep_topology::{NodeId, Topology};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Lists terminals such that the first ones, however many, are far apart.
#[derive(Debug)]
pub(super) struct DispersedOrder<'a> {
    topology: &'a Topology,
    /// Distance from the nodes that are listed already.
    near: Vec<u32>,
    queue: Vec<NodeId>,
}

impl<'a> DispersedOrder<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        Self { topology, near: Vec::new(), queue: Vec::new() }
    }

    /// The root and some other terminals by urgency: first a spread of as many as the last of these sizes says, in one
    /// of several ways; then the rest at random.
    pub(super) fn list(&mut self, root: NodeId, others: &[NodeId], sizes: &[usize], rng: &mut impl Rng) -> Vec<NodeId> {
        let mut order = match rng.random_range(0..4) {
            3 => self.along_a_walk(root, others, sizes),
            weight => self.farthest_first(root, others, sizes.last().copied().unwrap_or(1), weight, rng),
        };
        let first = order.len();
        let is_listed = self.marked(&order);
        order.extend(others.iter().filter(|node| !is_listed[node.index()]));
        order[first..].shuffle(rng);
        order
    }

    fn marked(&self, nodes: &[NodeId]) -> Vec<bool> {
        let mut is_marked = vec![false; self.topology.node_count()];
        for node in nodes {
            is_marked[node.index()] = true;
        }
        is_marked
    }

    /// The root and then, `count` in all, always one that is about as far as can be from all before. A node counts the
    /// more the more channels it has, to the power of `weight`: a leaf of a tree cannot pass much on.
    ///
    /// Looks only at what comes nearer with a node that is listed, and at all of them when the greatest distance falls.
    fn farthest_first(
        &mut self,
        root: NodeId,
        others: &[NodeId],
        count: usize,
        weight: u32,
        rng: &mut impl Rng,
    ) -> Vec<NodeId> {
        self.near.clear();
        self.near.resize(self.topology.node_count(), u32::MAX);
        self.add(root);
        let mut order = vec![root];
        let (mut candidates, mut least): (Vec<NodeId>, u64) = (Vec::new(), 0);
        while order.len() < count.min(others.len() + 1) {
            if candidates.is_empty() {
                let score = |&node: &NodeId| self.score(node, weight);
                let top = others.iter().map(score).max().unwrap_or(0);
                least = if rng.random_range(0..8) == 0 { top - top / 4 } else { top };
                candidates.extend(others.iter().filter(|&node| score(node) >= least));
            }
            let node = candidates.swap_remove(rng.random_range(0..candidates.len()));
            // Scores only fall.
            if self.near[node.index()] > 0 && self.score(node, weight) >= least {
                self.add(node);
                order.push(node);
            }
        }
        order
    }

    /// As many of each of the sizes as even parts of a depth-first walk: on a ring or a line, holders with intervals of
    /// their own. Where the walk does not end beside the root, only half a part comes behind the last one, for nobody
    /// sends from the other side.
    fn along_a_walk(&mut self, root: NodeId, others: &[NodeId], sizes: &[usize]) -> Vec<NodeId> {
        let walk = self.walk(root, others);
        let end = walk[walk.len() - 1];
        let is_closed = self.topology.out_channels(end).iter().any(|&channel| self.topology.head(channel) == root);
        let turns = if is_closed { 1 } else { 2 };
        let mut order = vec![root];
        // Intervals that begin with a listed node, or in the mirror behind the end.
        let mut intervals = vec![(0, turns * walk.len())];
        for &size in sizes {
            // The length of the parts of each interval, and which one it is; nothing is cut finer than single nodes.
            let mut parts_of = vec![1; intervals.len()];
            let part = |place: usize, parts: usize| {
                let (start, end) = intervals[place];
                (parts < end - start).then(|| (((end - start) << 20) / parts, place))
            };
            let mut longest: BinaryHeap<_> = (0..intervals.len()).filter_map(|place| part(place, 1)).collect();
            for _ in intervals.len()..(turns * size.min(walk.len())).saturating_sub(turns - 1) {
                let Some((_, place)) = longest.pop() else { break };
                parts_of[place] += 1;
                longest.extend(part(place, parts_of[place]));
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

    /// The root and the others in the order in which a depth-first search from the root comes to them.
    fn walk(&mut self, root: NodeId, others: &[NodeId]) -> Vec<NodeId> {
        let is_listed = self.marked(others);
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
            let order = DispersedOrder::new(&topology).list(root, &others, &sizes, &mut ChaCha8Rng::seed_from_u64(seed));
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
            let order =
                DispersedOrder::new(&network).farthest_first(NodeId::new(0), &network.terminals()[1..], 4, 1, &mut rng);
            assert!((5..=7).contains(&order[1].number()), "{order:?}");
        }
    }

    #[test]
    fn a_walk_is_cut_into_even_parts() {
        let network: Topology = "ring:27".parse().unwrap();
        let order = DispersedOrder::new(&network).along_a_walk(NodeId::new(0), &network.terminals()[1..], &[3, 9]);
        let mut numbers: Vec<u32> = order.iter().map(|node| node.number()).collect();
        numbers[..3].sort_unstable();
        assert_eq!(numbers[..3], [0, 9, 18]);
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq((0..27).step_by(3)), "{order:?}");
    }
}
