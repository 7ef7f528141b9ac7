//! Channel-disjoint spanning trees of small depth.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_paths::FlowNetwork;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

/// Trees that grow from one terminal to all that it can reach, with a test whether all of them can be completed.
///
/// By Edmonds' theorem, they can if and only if every set of terminals is entered by at least one free channel per tree
/// outside of the set. The test is a maximum flow to each terminal, of one unit per tree: from an origin over a vertex
/// per tree, to any terminal of that tree, and over free channels. The arcs are the channels, then one per tree from
/// the origin, then for each tree one to every node.
#[derive(Clone, Debug)]
pub(super) struct TreePacking<'a> {
    topology: &'a Topology,
    source: NodeId,
    /// The distance of each node from the source over terminals; `u32::MAX` if there is no path.
    distance: Vec<u32>,
    /// Whether each channel may be used.
    is_open: Vec<bool>,
    /// The maximum number of disjoint trees that are of use.
    most_trees: u32,
    network: FlowNetwork,
}

/// A spanning tree: its channels in the order of growth, each with the depth of its head.
pub(super) type Arborescence = Vec<(ChannelId, u32)>;

impl<'a> TreePacking<'a> {
    /// Computes the maximum number of disjoint trees by one maximum flow per terminal. No more than `chunks` are of use.
    /// `None` once `is_stopped`.
    pub(super) fn new(
        topology: &'a Topology,
        source: NodeId,
        chunks: u32,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Self> {
        let nodes = topology.node_count();
        let (mut distance, mut queue, mut next) = (vec![u32::MAX; nodes], vec![source], 0);
        distance[source.index()] = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if topology.is_terminal(head) && distance[head.index()] == u32::MAX {
                    distance[head.index()] = distance[node.index()] + 1;
                    queue.push(head);
                }
            }
        }
        let is_reached = |node: NodeId| distance[node.index()] < u32::MAX;
        let is_open: Vec<bool> = topology
            .channel_numbers()
            .map(|channel| {
                let ends = [topology.tail(channel), topology.head(channel)];
                topology.is_working(channel) && ends.into_iter().all(is_reached)
            })
            .collect();
        let mut network = FlowNetwork::new(nodes);
        for channel in topology.channel_numbers() {
            network.add_arc(topology.tail(channel).index(), topology.head(channel).index(), 0);
        }
        let mut least = if queue.len() > 1 { u64::from(chunks) } else { 0 };
        for node in queue.iter().filter(|&&node| node != source) {
            if is_stopped() {
                return None;
            }
            network.reset(|arc| if is_open[arc.index()] { topology.capacity(ChannelId::new(arc.number())) } else { 0 });
            least = network.max_flow(source.index(), node.index()).min(least);
        }
        let most_trees = least as u32;
        let mut packing = Self { topology, source, distance, is_open, most_trees, network };
        packing.network = packing.growth_network(most_trees);
        Some(packing)
    }

    /// Returns the flow network of the test for a number of trees.
    fn growth_network(&self, trees: u32) -> FlowNetwork {
        let (topology, nodes, trees) = (self.topology, self.topology.node_count(), trees as usize);
        let mut network = FlowNetwork::new(nodes + trees + 1);
        for channel in topology.channel_numbers() {
            network.add_arc(topology.tail(channel).index(), topology.head(channel).index(), 0);
        }
        for tree in 0..trees {
            network.add_arc(nodes + trees, nodes + tree, 0);
        }
        for tree in 0..trees {
            for node in 0..nodes {
                network.add_arc(nodes + tree, node, 0);
            }
        }
        network
    }

    /// Returns true if the trees reach a terminal.
    pub(super) fn reaches(&self, terminal: NodeId) -> bool {
        self.distance[terminal.index()] < u32::MAX
    }

    /// Returns the maximum number of disjoint trees that are of use; 0 if no terminal can be reached.
    pub(super) fn most_trees(&self) -> u32 {
        self.most_trees
    }

    /// Returns the number of arcs of the flow network.
    pub(super) fn arc_count(&self) -> usize {
        self.network.arc_count()
    }

    /// Returns the distance of the farthest terminal, a lower bound on the depth of every tree.
    pub(super) fn depth(&self) -> u32 {
        self.distance.iter().copied().filter(|&distance| distance < u32::MAX).max().unwrap_or(0)
    }

    /// Returns `count` disjoint trees, at most [`most_trees`](Self::most_trees). A channel is in at most as many of them as
    /// its capacity. Takes one maximum flow of `count` augmenting paths per channel and tree. `None` once `is_stopped`.
    ///
    /// Among the channels that leave a tree, the one with the least depth comes next if the trees can be completed
    /// afterwards; ties at random. A rejected channel is never possible later, because no set of terminals gains free
    /// channels.
    pub(super) fn pack(
        &mut self,
        count: u32,
        rng: &mut impl Rng,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Vec<Arborescence>> {
        let Self { topology, source, is_open, most_trees, network, .. } = self;
        let (nodes, channels, most) = (topology.node_count(), topology.channel_bound(), *most_trees as usize);
        let origin = nodes + most;
        let capacity = |channel: ChannelId| if is_open[channel.index()] { topology.capacity(channel) } else { 0 };
        let mut free: Vec<u32> = topology.channel_numbers().map(capacity).collect();
        let mut is_in = vec![false; most * nodes];
        let mut trees: Vec<Arborescence> = vec![Vec::new(); count as usize];
        let mut candidates = BinaryHeap::new();
        let mut offer = |candidates: &mut BinaryHeap<_>, tree: usize, node: NodeId, depth: u32| {
            let open = topology.out_channels(node).iter().filter(|channel| is_open[channel.index()]);
            candidates.extend(open.map(|&channel| Reverse((depth + 1, rng.random::<u32>(), tree, channel))));
        };
        for tree in 0..count as usize {
            is_in[tree * nodes + source.index()] = true;
            offer(&mut candidates, tree, *source, 0);
        }
        while let Some(Reverse((depth, _, tree, channel))) = candidates.pop() {
            let head = topology.head(channel);
            let index = tree * nodes + head.index();
            if free[channel.index()] == 0 || is_in[index] {
                continue;
            }
            if is_stopped() {
                return None;
            }
            free[channel.index()] -= 1;
            is_in[index] = true;
            network.reset(|arc| match arc.index().checked_sub(channels) {
                None => free[arc.index()],
                Some(tree) if tree < most => u32::from(tree < count as usize),
                Some(index) => u32::from(is_in[index - most]),
            });
            if network.max_flow(origin, head.index()) == u64::from(count) {
                trees[tree].push((channel, depth));
                offer(&mut candidates, tree, head, depth);
            } else {
                free[channel.index()] += 1;
                is_in[index] = false;
            }
        }
        Some(trees)
    }
}
