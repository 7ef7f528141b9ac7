//! The urgency of each node: the time that the message takes from there on.

use lockstep_schedule::Ports;
use lockstep_topology::{NodeId, Topology};
use rand::{Rng, RngExt};

/// The time that the message takes from each node on, along shortest paths from the informed nodes.
#[derive(Debug)]
pub(super) struct NodeUrgency<'a> {
    topology: &'a Topology,
    ports: Ports,
    is_receiver: &'a [bool],
    /// The extra urgency of each node that was late in earlier tries, in parts of a step.
    penalty: Vec<u32>,
    /// The distance of each node from the informed nodes; `u32::MAX` if there is no path.
    distance: Vec<u32>,
    /// The nodes by ascending distance.
    order: Vec<NodeId>,
    /// The time that each node takes to inform its descendants, in parts of a step; `UNNEEDED` for a node without
    /// receivers.
    height: Vec<u32>,
    /// Number of children of each node.
    children: Vec<u32>,
    /// The nodes of one distance with their urgency and tie.
    layer: Vec<(u32, u32, NodeId)>,
    frontier: Vec<NodeId>,
}

/// The number of parts of a step in which urgency is counted.
const STEP: u32 = 8;

const UNNEEDED: u32 = u32::MAX;

impl<'a> NodeUrgency<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports, is_receiver: &'a [bool]) -> Self {
        let nodes = topology.node_count();
        Self {
            topology,
            ports,
            is_receiver,
            penalty: vec![0; nodes],
            distance: vec![u32::MAX; nodes],
            order: Vec::with_capacity(nodes),
            height: vec![UNNEEDED; nodes],
            children: vec![0; nodes],
            layer: Vec::new(),
            frontier: Vec::new(),
        }
    }

    /// Makes late nodes more urgent.
    pub(super) fn penalise(&mut self, late: &[NodeId]) {
        for node in late {
            self.penalty[node.index()] += 1;
        }
    }

    /// Returns the needed neighbours of informed nodes, most urgent first, ties at random. Takes `O(M + N log N)` time.
    ///
    /// From the farthest nodes on, each node gets a parent that is one channel nearer, where its own height is added at
    /// the lowest cost. A parent informs its highest children first.
    pub(super) fn frontier(&mut self, is_informed: &[bool], rng: &mut impl Rng) -> &[NodeId] {
        self.compute_distances(is_informed);
        let mut end = self.order.len();
        loop {
            let distance = self.distance[self.order[end - 1].index()];
            self.layer.clear();
            if distance == 0 {
                break;
            }
            let start = self.order.partition_point(|node| self.distance[node.index()] < distance);
            for position in start..end {
                let node = self.order[position];
                let base = if self.is_receiver[node.index()] { 0 } else { UNNEEDED };
                let height = match self.height[node.index()] {
                    UNNEEDED => base,
                    height => height,
                };
                if height != UNNEEDED {
                    let height = height + self.penalty[node.index()];
                    self.height[node.index()] = height;
                    self.layer.push((height, rng.random(), node));
                }
            }
            self.layer.sort_unstable_by(|a, b| b.cmp(a));
            if distance == 1 {
                break;
            }
            for position in 0..self.layer.len() {
                self.attach(self.layer[position].2, rng);
            }
            end = start;
        }
        self.frontier.clear();
        self.frontier.extend(self.layer.iter().map(|&(_, _, node)| node));
        &self.frontier
    }

    /// Gives a node a parent that is one channel nearer.
    fn attach(&mut self, node: NodeId, rng: &mut impl Rng) {
        let Self { topology, ports, is_receiver, distance, height, children, .. } = self;
        let own = height[node.index()];
        let parents = topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
        let nearer = parents.filter(|parent| distance[parent.index()] == distance[node.index()] - 1);
        let best = nearer.map(|parent| {
            let index = parent.index();
            let limit = ports.of_degree(topology.out_channels(parent).len()).max(1) as u32;
            let time = own + (children[index] / limit + 1) * STEP;
            let is_needed = is_receiver[index] || height[index] != UNNEEDED;
            let before = if height[index] == UNNEEDED { 0 } else { height[index] };
            (before.max(time), !is_needed, children[index], rng.random::<u32>(), parent)
        });
        if let Some((time, _, _, _, parent)) = best.min() {
            height[parent.index()] = time;
            children[parent.index()] += 1;
        }
    }

    /// Computes the distances from the informed nodes over terminals.
    fn compute_distances(&mut self, is_informed: &[bool]) {
        let Self { topology, distance, order, height, children, .. } = self;
        distance.fill(u32::MAX);
        height.fill(UNNEEDED);
        children.fill(0);
        order.clear();
        order.extend(topology.terminals().iter().filter(|node| is_informed[node.index()]));
        for node in order.iter() {
            distance[node.index()] = 0;
        }
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if topology.is_terminal(head) && distance[head.index()] == u32::MAX {
                    distance[head.index()] = distance[node.index()] + 1;
                    order.push(head);
                }
            }
        }
    }
}
