//! The paths from every terminal to its neighbours.

use lockstep_model::{Routes, Slots};
use lockstep_schedule::{Routing, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};

use crate::kit::distances::{UNREACHED, fill_distances};
use crate::kit::task::SchedulingTask;

/// Maximum number of paths from one terminal to another.
pub(super) const MAX_PARALLEL: usize = 16;

/// Maximum number of terminals for paths over other terminals.
const MAX_CROSSING_TERMINALS: usize = 64;

/// Maximum number of nodes and channels that the searches from all terminals visit: about a second.
const MAX_VISITS: u64 = 1 << 28;

/// Maximum number of channels in all paths of a table.
const MAX_CHANNELS: usize = 1 << 22;

/// Returns the paths from every terminal to its neighbours: those that it reaches over switches alone. `None` if there are too
/// many, or if the searches take too long.
pub(crate) fn neighbour_routes(task: &SchedulingTask<'_>, slots: &Slots) -> Option<Routes> {
    let topology = task.topology();
    let visits_per_search = (topology.node_count() + topology.channel_count()) as u64;
    if topology.terminal_count() as u64 * visits_per_search > MAX_VISITS {
        return None;
    }
    let mut routes = Routes::new();
    let mut walk = PathWalk::new(task, false);
    for &terminal in topology.terminals() {
        walk.run(terminal, |path| {
            routes.push(slots, path);
            routes.channel_count() <= MAX_CHANNELS
        })?;
    }
    Some(routes)
}

/// Adds the shortest paths over other terminals. `None` if there are none or too many, in large networks, and without wormhole
/// switching.
pub(crate) fn add_crossings(routes: &mut Routes, task: &SchedulingTask<'_>, slots: &Slots) -> Option<()> {
    let (topology, before) = (task.topology(), routes.len());
    let is_small = topology.terminal_count() <= MAX_CROSSING_TERMINALS;
    if task.model().switching != Switching::Wormhole || !is_small {
        return None;
    }
    let mut walk = PathWalk::new(task, true);
    for &terminal in topology.terminals() {
        walk.run(terminal, |path| {
            if path[1..].iter().any(|&channel| topology.is_terminal(topology.tail(channel))) {
                routes.push(slots, path);
            }
            routes.channel_count() <= MAX_CHANNELS
        })?;
    }
    (routes.len() > before).then_some(())
}

/// Enumerates the shortest paths from a terminal to others, over switches or all nodes that route.
struct PathWalk<'a> {
    task: &'a SchedulingTask<'a>,
    crosses_terminals: bool,
    /// The distance of each node over inner nodes.
    distance: Vec<u32>,
    /// The length of the shortest legal path, under minimal routing.
    shortest: Vec<u32>,
    queue: Vec<NodeId>,
    /// Channels from the end of a path to its start.
    path: Vec<ChannelId>,
}

impl<'a> PathWalk<'a> {
    fn new(task: &'a SchedulingTask<'a>, crosses_terminals: bool) -> Self {
        let nodes = task.topology().node_count();
        let unreached = || vec![UNREACHED; nodes];
        Self {
            task,
            crosses_terminals,
            distance: unreached(),
            shortest: unreached(),
            queue: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Returns true if a path may cross the node.
    fn is_inner(&self, node: NodeId) -> bool {
        self.task.crosses(node) && (self.crosses_terminals || !self.task.topology().is_terminal(node))
    }

    /// Visits the paths from `source`; `None` if `visit` returned false.
    fn run(&mut self, source: NodeId, mut visit: impl FnMut(&[ChannelId]) -> bool) -> Option<()> {
        let topology = self.task.topology();
        if self.task.model().routing == Routing::Minimal {
            fill_distances(self.task, [source], &mut self.shortest, &mut self.queue);
        }
        for node in self.queue.drain(..) {
            self.distance[node.index()] = UNREACHED;
        }
        self.distance.fill(UNREACHED);
        self.distance[source.index()] = 0;
        self.queue.push(source);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            if node != source && !self.is_inner(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if self.distance[head.index()] == UNREACHED {
                    self.distance[head.index()] = self.distance[node.index()] + 1;
                    self.queue.push(head);
                }
            }
        }
        let reached: Vec<NodeId> = self.queue.iter().copied().filter(|&node| node != source).collect();
        for target in reached {
            let length = self.distance[target.index()];
            let is_legal = self.task.model().routing == Routing::Any || length == self.shortest[target.index()];
            if topology.is_terminal(target) && is_legal {
                let mut left = MAX_PARALLEL;
                self.path.clear();
                self.extend(source, target, &mut left, &mut visit)?;
            }
        }
        Some(())
    }

    /// Extends the path backwards from `node` in all ways, up to a number of complete paths.
    fn extend(
        &mut self,
        source: NodeId,
        node: NodeId,
        left: &mut usize,
        visit: &mut impl FnMut(&[ChannelId]) -> bool,
    ) -> Option<()> {
        let topology = self.task.topology();
        if node == source {
            let path: Vec<ChannelId> = self.path.iter().rev().copied().collect();
            // A path may not use a bus twice.
            if topology.has_buses() && !has_distinct_resources(topology, &path) {
                return Some(());
            }
            *left -= 1;
            return visit(&path).then_some(());
        }
        for &channel in topology.in_channels(node) {
            let before = topology.tail(channel);
            let is_near = self.distance[before.index()].checked_add(1) == Some(self.distance[node.index()]);
            if *left > 0 && is_near && (before == source || self.is_inner(before)) {
                self.path.push(channel);
                self.extend(source, before, left, visit)?;
                self.path.pop();
            }
        }
        Some(())
    }
}

fn has_distinct_resources(topology: &Topology, path: &[ChannelId]) -> bool {
    let mut resources: Vec<ResourceId> = path.iter().map(|&channel| topology.resource(channel)).collect();
    resources.sort_unstable();
    resources.is_sorted_by(|one, next| one < next)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};

    use super::*;

    /// Searches from all 65,536 nodes of a torus take more than a minute.
    #[test]
    fn there_is_no_table_of_a_network_with_too_many_searches() {
        for (spec, routes) in [("torus:64x64", Some(4 * 64 * 64)), ("torus:256x256", None)] {
            let torus: Topology = spec.parse().unwrap();
            let broadcast = Collective::broadcast(NodeId::new(0));
            let problem = Problem::new(&torus, &broadcast, CommunicationModel::wormhole()).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let table = neighbour_routes(&task, &task.slots());
            assert_eq!(table.map(|table| table.len()), routes, "{spec}");
        }
    }
}
