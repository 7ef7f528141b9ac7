//! Who must be informed soon: how long it will take from each node on.

use lockstep_schedule::Ports;
use lockstep_topology::{NodeId, Topology};
use rand::{Rng, RngExt};

/// How long the message takes from each node on, if it goes along shortest paths from those who hold it.
#[derive(Debug)]
pub(super) struct NodeUrgency<'a> {
    topology: &'a Topology,
    ports: Ports,
    is_receiver: &'a [bool],
    /// What is added for each node, in parts of a step: it was reached too late before.
    learned: Vec<u32>,
    /// Distance from the informed nodes, by node; `u32::MAX` if none leads there.
    distance: Vec<u32>,
    /// The nodes by distance.
    order: Vec<NodeId>,
    /// The time that each node takes to inform those who get the message from it, in parts of a step, and how many those
    /// are. `NOTHING` for a node that nobody needs.
    height: Vec<u32>,
    children: Vec<u32>,
    /// The nodes of one distance to be informed, and what makes them urgent.
    layer: Vec<(u32, u32, NodeId)>,
    frontier: Vec<NodeId>,
}

/// Parts of a step in which urgency is counted.
const STEP: u32 = 8;

const NOTHING: u32 = u32::MAX;

impl<'a> NodeUrgency<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports, is_receiver: &'a [bool]) -> Self {
        let nodes = topology.node_count();
        Self {
            topology,
            ports,
            is_receiver,
            learned: vec![0; nodes],
            distance: vec![u32::MAX; nodes],
            order: Vec::with_capacity(nodes),
            height: vec![NOTHING; nodes],
            children: vec![0; nodes],
            layer: Vec::new(),
            frontier: Vec::new(),
        }
    }

    /// Makes nodes that were reached too late more urgent than before.
    pub(super) fn learn(&mut self, late: &[NodeId]) {
        for node in late {
            self.learned[node.index()] += 1;
        }
    }

    /// The neighbours of informed nodes that somebody needs, the most urgent ones first, ties at random.
    ///
    /// From the farthest nodes on, each is informed by a neighbour that is nearer, by one for which that is soonest
    /// over. A node informs those first that take longest themselves.
    pub(super) fn frontier(&mut self, is_informed: &[bool], rng: &mut impl Rng) -> &[NodeId] {
        self.measure(is_informed);
        let mut end = self.order.len();
        loop {
            let distance = self.distance[self.order[end - 1].index()];
            self.layer.clear();
            if distance == 0 {
                break;
            }
            let start = self.order.partition_point(|node| self.distance[node.index()] < distance);
            for place in start..end {
                let node = self.order[place];
                let base = if self.is_receiver[node.index()] { 0 } else { NOTHING };
                let height = match self.height[node.index()] {
                    NOTHING => base,
                    height => height,
                };
                if height != NOTHING {
                    let height = height + self.learned[node.index()];
                    self.height[node.index()] = height;
                    self.layer.push((height, rng.random(), node));
                }
            }
            self.layer.sort_unstable_by(|a, b| b.cmp(a));
            if distance == 1 {
                break;
            }
            for place in 0..self.layer.len() {
                self.hang(self.layer[place].2, rng);
            }
            end = start;
        }
        self.frontier.clear();
        self.frontier.extend(self.layer.iter().map(|&(_, _, node)| node));
        &self.frontier
    }

    /// Lets a node be informed by one that is a channel nearer.
    fn hang(&mut self, node: NodeId, rng: &mut impl Rng) {
        let Self { topology, ports, is_receiver, distance, height, children, .. } = self;
        let own = height[node.index()];
        let parents = topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
        let nearer = parents.filter(|parent| distance[parent.index()] == distance[node.index()] - 1);
        let best = nearer.map(|parent| {
            let place = parent.index();
            let limit = ports.of_degree(topology.out_channels(parent).len()).max(1) as u32;
            let time = own + (children[place] / limit + 1) * STEP;
            let is_needed = is_receiver[place] || height[place] != NOTHING;
            let before = if height[place] == NOTHING { 0 } else { height[place] };
            (before.max(time), !is_needed, children[place], rng.random::<u32>(), parent)
        });
        if let Some((time, _, _, _, parent)) = best.min() {
            height[parent.index()] = time;
            children[parent.index()] += 1;
        }
    }

    /// Finds the distances from the informed nodes, between terminals.
    fn measure(&mut self, is_informed: &[bool]) {
        let Self { topology, distance, order, height, children, .. } = self;
        distance.fill(u32::MAX);
        height.fill(NOTHING);
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
