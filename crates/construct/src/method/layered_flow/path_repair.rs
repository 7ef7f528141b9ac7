//! Shortest paths only: detours of a flow are taken back, and those who lose a path look for another one.

use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

/// The transfers of one step along shortest paths.
///
/// Whoever has none takes the shortest path from any holder that costs least, where each wire and port in use costs the
/// more the oftener it was fought for; those who used it before look for another one.
///
/// **Source**: `McMurchie` and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs*, FPGA
/// 1995.
#[derive(Debug)]
pub(super) struct PathRepair<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// The path to each node that is reached.
    path_to: Vec<Vec<ChannelId>>,
    /// The node whose path uses each wire.
    user: Vec<Option<NodeId>>,
    /// The nodes that each node sends to.
    sends: Vec<Vec<NodeId>>,
    /// How often each wire and the ports of each node were fought for.
    fights: Vec<u32>,
    /// Distance to the target, the least cost of a shortest path, and its first channel.
    level: Vec<u32>,
    cost: Vec<u32>,
    via: Vec<ChannelId>,
    queue: Vec<NodeId>,
    visits: u64,
}

const UNSEEN: u32 = u32::MAX;

/// How far beyond the nearest holder others are looked at.
const REACH: u32 = 2;

/// How often in a step somebody may look for another path, for each who has to.
const PATIENCE: usize = 40;

impl<'a> PathRepair<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports) -> Self {
        let nodes = topology.node_count();
        Self {
            topology,
            ports,
            path_to: vec![Vec::new(); nodes],
            user: vec![None; topology.resource_count()],
            sends: vec![Vec::new(); nodes],
            fights: vec![0; topology.resource_count() + nodes],
            level: vec![UNSEEN; nodes],
            cost: vec![0; nodes],
            via: vec![ChannelId::new(0); nodes],
            queue: Vec::new(),
            visits: 0,
        }
    }

    /// Number of nodes looked at so far.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Shortest paths that fit together in one step, to as many as possible of those to whom the paths of a flow lead.
    pub(super) fn mend(
        &mut self,
        paths: Vec<Vec<ChannelId>>,
        is_holder: impl Fn(NodeId) -> bool,
        rng: &mut impl Rng,
    ) -> Vec<Vec<ChannelId>> {
        let ends: Vec<NodeId> = paths.iter().map(|path| self.topology.head(path[path.len() - 1])).collect();
        let mut lost = Vec::new();
        for (path, &end) in paths.into_iter().zip(&ends) {
            if self.is_shortest(&path, end) {
                self.take(path, end);
            } else {
                lost.push(end);
            }
        }
        self.fights.fill(0);
        for _ in 0..PATIENCE * lost.len() {
            if lost.is_empty() {
                break;
            }
            let target = lost.swap_remove(rng.random_range(0..lost.len()));
            if let Some(path) = self.cheapest(target, &is_holder, rng) {
                self.make_way(&path, &mut lost, rng);
                self.take(path, target);
            }
        }
        let kept = ends.iter().map(|end| std::mem::take(&mut self.path_to[end.index()]));
        let kept = kept.filter(|path| !path.is_empty()).collect();
        self.user.fill(None);
        self.sends.iter_mut().for_each(Vec::clear);
        kept
    }

    fn wire(&self, channel: ChannelId) -> usize {
        self.topology.resource(channel).index()
    }

    /// The place of a node's ports beside the wires.
    fn port(&self, node: NodeId) -> usize {
        self.topology.resource_count() + node.index()
    }

    fn is_full(&self, sender: NodeId) -> bool {
        self.sends[sender.index()].len() >= self.ports.of_degree(self.topology.out_channels(sender).len())
    }

    fn take(&mut self, path: Vec<ChannelId>, target: NodeId) {
        for &channel in &path {
            let wire = self.wire(channel);
            self.user[wire] = Some(target);
        }
        self.sends[self.topology.tail(path[0]).index()].push(target);
        self.path_to[target.index()] = path;
    }

    /// Takes back what is in the way of a path.
    fn make_way(&mut self, path: &[ChannelId], lost: &mut Vec<NodeId>, rng: &mut impl Rng) {
        for &channel in path {
            let wire = self.wire(channel);
            if let Some(user) = self.user[wire] {
                self.fights[wire] += 1;
                self.lose(user, lost);
            }
        }
        let sender = self.topology.tail(path[0]);
        if self.is_full(sender) {
            let port = self.port(sender);
            self.fights[port] += 1;
            let sends = &self.sends[sender.index()];
            self.lose(sends[rng.random_range(0..sends.len())], lost);
        }
    }

    fn lose(&mut self, target: NodeId, lost: &mut Vec<NodeId>) {
        let path = std::mem::take(&mut self.path_to[target.index()]);
        for &channel in &path {
            let wire = self.wire(channel);
            self.user[wire] = None;
        }
        self.sends[self.topology.tail(path[0]).index()].retain(|&node| node != target);
        lost.push(target);
    }

    /// Whether no path between the same ends is shorter.
    fn is_shortest(&mut self, path: &[ChannelId], target: NodeId) -> bool {
        let sender = self.topology.tail(path[0]);
        self.begin(target);
        let mut start = 0;
        for _ in 1..path.len() {
            start = self.expand(start);
        }
        let is_nearer = self.level[sender.index()] != UNSEEN;
        self.end();
        !is_nearer
    }

    /// The shortest path from a holder to the target that costs least, ties at random.
    fn cheapest(
        &mut self,
        target: NodeId,
        is_holder: &impl Fn(NodeId) -> bool,
        rng: &mut impl Rng,
    ) -> Option<Vec<ChannelId>> {
        self.begin(target);
        let mut best: Option<(u32, u32, NodeId)> = None;
        let (mut start, mut farther) = (0, REACH);
        while start < self.queue.len() && farther > 0 {
            start = self.expand(start);
            for place in start..self.queue.len() {
                let node = self.queue[place];
                if is_holder(node) {
                    let port = if self.is_full(node) { 1 + self.fights[self.port(node)] } else { 0 };
                    let key = (self.cost[node.index()] + port, rng.random(), node);
                    best = Some(best.map_or(key, |best| best.min(key)));
                }
            }
            farther -= u32::from(best.is_some());
        }
        let path = best.map(|(_, _, mut node)| {
            let mut path = Vec::new();
            while node != target {
                path.push(self.via[node.index()]);
                node = self.topology.head(self.via[node.index()]);
            }
            path
        });
        self.end();
        path
    }

    fn begin(&mut self, target: NodeId) {
        self.queue.push(target);
        self.level[target.index()] = 0;
        self.cost[target.index()] = 0;
    }

    /// Looks at the nodes one channel before those of the level that begins at this place of the queue, and returns
    /// where theirs begins.
    fn expand(&mut self, start: usize) -> usize {
        let end = self.queue.len();
        for place in start..end {
            let head = self.queue[place];
            if place > 0 && !self.topology.routes(head) {
                continue;
            }
            self.visits += 1;
            let level = self.level[head.index()] + 1;
            for &channel in self.topology.in_channels(head) {
                let tail = self.topology.tail(channel);
                let wire = self.wire(channel);
                let price = if self.user[wire].is_some() { 1 + self.fights[wire] } else { 0 };
                let cost = self.cost[head.index()] + price;
                let is_new = self.level[tail.index()] == UNSEEN;
                if is_new {
                    self.level[tail.index()] = level;
                    self.queue.push(tail);
                }
                if is_new || self.level[tail.index()] == level && cost < self.cost[tail.index()] {
                    self.cost[tail.index()] = cost;
                    self.via[tail.index()] = channel;
                }
            }
        }
        end
    }

    fn end(&mut self) {
        for node in self.queue.drain(..) {
            self.level[node.index()] = UNSEEN;
        }
    }
}
