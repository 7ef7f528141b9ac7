//! Repair of a flow under minimal routing: detours are replaced by shortest paths.

use lockstep_model::port_limit;
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{Rng, RngExt};

/// The transfers of one step along shortest paths.
///
/// A target without a path takes the cheapest shortest path from any holder. A used resource or port costs more each
/// time it changes hands, and the targets that used it before search again.
///
/// Invariant between calls of [`repair`](Self::repair): no resource has users.
///
/// # Source
///
/// `McMurchie` and Ebeling, *`PathFinder`: a negotiation-based performance-driven router for FPGAs*, FPGA
/// 1995.
#[derive(Debug)]
pub(super) struct PathRepair<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// The path to each reached node.
    path_to: Vec<Vec<ChannelId>>,
    /// The targets whose paths use each resource.
    users: Vec<Vec<NodeId>>,
    /// The targets that each node sends to.
    sends: Vec<Vec<NodeId>>,
    /// The number of times that each resource, and the ports of each node, changed hands.
    changes: Vec<u32>,
    /// The distance of each node to the target; `UNSEEN` between searches.
    level: Vec<u32>,
    /// The least cost of a shortest path to the target.
    cost: Vec<u32>,
    /// The first channel of that path.
    via: Vec<ChannelId>,
    queue: Vec<NodeId>,
    visits: u64,
}

const UNSEEN: u32 = u32::MAX;

/// The number of levels beyond the nearest holder that are searched.
const EXTRA_LEVELS: u32 = 2;

/// The maximum number of searches in a step, per target without a path.
const MAX_SEARCHES: usize = 40;

/// The number of searches between two checks of the budget.
const SEARCHES_PER_CHECK: usize = 16;

impl<'a> PathRepair<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports) -> Self {
        let nodes = topology.node_count();
        Self {
            topology,
            ports,
            path_to: vec![Vec::new(); nodes],
            users: vec![Vec::new(); topology.resource_count()],
            sends: vec![Vec::new(); nodes],
            changes: vec![0; topology.resource_count() + nodes],
            level: vec![UNSEEN; nodes],
            cost: vec![0; nodes],
            via: vec![ChannelId::new(0); nodes],
            queue: Vec::new(),
            visits: 0,
        }
    }

    /// Returns the number of nodes visited so far.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Replaces the given paths by shortest paths that do not conflict. Some targets may be left without a path, the
    /// more so once `is_over` returns true.
    pub(super) fn repair(
        &mut self,
        paths: Vec<Vec<ChannelId>>,
        is_holder: impl Fn(NodeId) -> bool,
        is_over: &dyn Fn() -> bool,
        rng: &mut impl Rng,
    ) -> Vec<Vec<ChannelId>> {
        let ends: Vec<NodeId> = paths.iter().map(|path| self.topology.head(path[path.len() - 1])).collect();
        let mut unserved = Vec::new();
        for (path, &end) in paths.into_iter().zip(&ends) {
            if self.is_shortest(&path, end) {
                self.add(path, end);
            } else {
                unserved.push(end);
            }
        }
        self.changes.fill(0);
        for searches in 0..MAX_SEARCHES * unserved.len() {
            if unserved.is_empty() || searches.is_multiple_of(SEARCHES_PER_CHECK) && is_over() {
                break;
            }
            let target = unserved.swap_remove(rng.random_range(0..unserved.len()));
            if let Some(path) = self.cheapest(target, &is_holder, rng) {
                self.clear_path(&path, &mut unserved, rng);
                self.add(path, target);
            }
        }
        let kept = ends.iter().map(|end| std::mem::take(&mut self.path_to[end.index()]));
        let kept = kept.filter(|path| !path.is_empty()).collect();
        self.users.iter_mut().for_each(Vec::clear);
        self.sends.iter_mut().for_each(Vec::clear);
        kept
    }

    fn resource(&self, channel: ChannelId) -> usize {
        self.topology.resource(channel).index()
    }

    /// Returns the index of a node's ports in `changes`, after all resources.
    fn port(&self, node: NodeId) -> usize {
        self.topology.resource_count() + node.index()
    }

    fn is_full(&self, sender: NodeId) -> bool {
        let limit = port_limit(self.topology, self.ports, self.topology.out_channels(sender));
        self.sends[sender.index()].len() >= limit as usize
    }

    /// Returns true if the resource of a channel carries no further path.
    fn is_used_up(&self, channel: ChannelId) -> bool {
        self.users[self.resource(channel)].len() >= self.topology.capacity(channel) as usize
    }

    fn add(&mut self, path: Vec<ChannelId>, target: NodeId) {
        for &channel in &path {
            let resource = self.resource(channel);
            self.users[resource].push(target);
        }
        self.sends[self.topology.tail(path[0]).index()].push(target);
        self.path_to[target.index()] = path;
    }

    /// Removes the paths that conflict with a path.
    fn clear_path(&mut self, path: &[ChannelId], unserved: &mut Vec<NodeId>, rng: &mut impl Rng) {
        for &channel in path {
            let resource = self.resource(channel);
            if self.is_used_up(channel) {
                self.changes[resource] += 1;
                let user = match self.users[resource][..] {
                    [only] => only,
                    ref users => users[rng.random_range(0..users.len())],
                };
                self.remove(user, unserved);
            }
        }
        let sender = self.topology.tail(path[0]);
        if self.is_full(sender) {
            let port = self.port(sender);
            self.changes[port] += 1;
            let sends = &self.sends[sender.index()];
            self.remove(sends[rng.random_range(0..sends.len())], unserved);
        }
    }

    fn remove(&mut self, target: NodeId, unserved: &mut Vec<NodeId>) {
        let path = std::mem::take(&mut self.path_to[target.index()]);
        for &channel in &path {
            let resource = self.resource(channel);
            self.users[resource].retain(|&user| user != target);
        }
        self.sends[self.topology.tail(path[0]).index()].retain(|&node| node != target);
        unserved.push(target);
    }

    /// Returns true if no path between the same ends is shorter.
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

    /// Returns the cheapest shortest path from a holder to the target; ties at random.
    fn cheapest(
        &mut self,
        target: NodeId,
        is_holder: &impl Fn(NodeId) -> bool,
        rng: &mut impl Rng,
    ) -> Option<Vec<ChannelId>> {
        self.begin(target);
        let mut best: Option<(u32, u32, NodeId)> = None;
        let (mut start, mut farther) = (0, EXTRA_LEVELS);
        while start < self.queue.len() && farther > 0 {
            start = self.expand(start);
            for position in start..self.queue.len() {
                let node = self.queue[position];
                if is_holder(node) {
                    let port = if self.is_full(node) { 1 + self.changes[self.port(node)] } else { 0 };
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

    /// Visits the predecessors of the level that begins at this position of the queue. Returns the position where the
    /// next level begins.
    fn expand(&mut self, start: usize) -> usize {
        let end = self.queue.len();
        for position in start..end {
            let head = self.queue[position];
            if position > 0 && !self.topology.routes(head) {
                continue;
            }
            self.visits += 1;
            let level = self.level[head.index()] + 1;
            for &channel in self.topology.in_channels(head) {
                let tail = self.topology.tail(channel);
                let resource = self.resource(channel);
                let price = if self.is_used_up(channel) { 1 + self.changes[resource] } else { 0 };
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
