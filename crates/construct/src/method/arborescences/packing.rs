//! Spanning trees that share no channel, as shallow as may be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_paths::FlowNetwork;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

/// Trees that grow from one terminal to all that it can reach, and whether they still can all be completed.
///
/// By Edmonds' theorem they can iff every set of terminals is entered by at least as many free channels as there are
/// trees outside of it. That is a flow from an origin over every tree's own node, which gives one unit to any terminal
/// of the tree, and over free channels: to each terminal as many units as there are trees. Arcs are first the channels,
/// then for every tree one from the origin, then for every tree those to all nodes.
#[derive(Clone, Debug)]
pub(super) struct TreePacking<'a> {
    topology: &'a Topology,
    source: NodeId,
    /// Distance from the source over channels between terminals, `u32::MAX` where none leads.
    distance: Vec<u32>,
    /// Whether each channel may be used.
    is_open: Vec<bool>,
    /// The most trees that there are.
    connectivity: u32,
    network: FlowNetwork,
}

/// A tree: its channels, those nearer to the source first, each with the depth of its head.
pub(super) type Arborescence = Vec<(ChannelId, u32)>;

impl<'a> TreePacking<'a> {
    /// Takes a maximum flow for each terminal.
    pub(super) fn new(topology: &'a Topology, source: NodeId) -> Self {
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
        let flows = queue.iter().filter(|&&node| node != source).map(|node| {
            network.reset(|arc| u32::from(is_open[arc.index()]));
            network.max_flow(source.index(), node.index()) as u32
        });
        let connectivity = flows.min().unwrap_or(0);
        let mut packing = Self { topology, source, distance, is_open, connectivity, network };
        packing.network = packing.growth_network(connectivity);
        packing
    }

    /// The network in which so many trees grow.
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

    /// Whether the trees lead to a terminal.
    pub(super) fn reaches(&self, terminal: NodeId) -> bool {
        self.distance[terminal.index()] < u32::MAX
    }

    /// The most trees that share no channel; 0 if there is nobody to reach.
    pub(super) fn connectivity(&self) -> u32 {
        self.connectivity
    }

    /// Number of arcs that a look at one channel may take for each tree.
    pub(super) fn arc_count(&self) -> usize {
        self.network.arc_count()
    }

    /// The distance of the farthest terminal, which no tree's depth is below.
    pub(super) fn depth(&self) -> u32 {
        self.distance.iter().copied().filter(|&distance| distance < u32::MAX).max().unwrap_or(0)
    }

    /// So many trees, at most the [connectivity](Self::connectivity), that share no channel.
    ///
    /// Of all channels that lead out of some tree the one with the least depth comes next, if the trees can be completed
    /// afterwards, ties at random. A channel that is no good once never will be: no set of terminals gets more free
    /// channels than it needs.
    pub(super) fn pack(&mut self, count: u32, rng: &mut impl Rng) -> Vec<Arborescence> {
        let Self { topology, source, is_open, connectivity, network, .. } = self;
        let (nodes, channels, most) = (topology.node_count(), topology.channel_bound(), *connectivity as usize);
        let origin = nodes + most;
        let mut is_free = is_open.clone();
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
            let place = tree * nodes + head.index();
            if !is_free[channel.index()] || is_in[place] {
                continue;
            }
            is_free[channel.index()] = false;
            is_in[place] = true;
            network.reset(|arc| match arc.index().checked_sub(channels) {
                None => u32::from(is_free[arc.index()]),
                Some(tree) if tree < most => u32::from(tree < count as usize),
                Some(place) => u32::from(is_in[place - most]),
            });
            if network.max_flow(origin, head.index()) == u64::from(count) {
                trees[tree].push((channel, depth));
                offer(&mut candidates, tree, head, depth);
            } else {
                is_free[channel.index()] = true;
                is_in[place] = false;
            }
        }
        trees
    }
}
