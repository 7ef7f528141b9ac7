//! Paths and the width of a step.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lockstep_schedule::{Budget, CommunicationModel, MessageId, Ports, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::pattern::Pair;
use crate::kit::budget_check::BudgetCheck;

/// The most channel uses of a schedule: 1 GiB of memory.
pub(super) const MAX_CHANNEL_USES: usize = 1 << 28;

/// The most parts of the data of one pair that may take different paths.
const MAX_PARTS: u32 = 16;

/// A message that one rank sends to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// The sender and the receiver.
    pub(super) pair: Pair,
    /// The message.
    pub(super) message: MessageId,
}

/// Messages of one pair along one path.
struct Part {
    /// Number of messages.
    messages: u32,
    /// The end of the path in [`Routes::channels`].
    path_end: usize,
}

/// The paths of the transfers of a step, in the order of the demands.
struct Routes {
    parts: Vec<Part>,
    channels: Vec<ChannelId>,
    width: NonZeroU32,
}

/// Turns moves into steps: each takes a shortest path, all resources are loaded about equally, and the width is the least
/// that resources and ports allow.
pub(super) struct Router<'a> {
    topology: &'a Topology,
    model: CommunicationModel,
    paths: PathSearch<'a>,
    /// By resource: the number of transfers in the current step.
    load: Vec<u32>,
    /// The routes of earlier steps by pair and number of messages. Rings and buckets repeat one step many times.
    known: BTreeMap<Vec<(Pair, u32)>, Routes>,
    schedule: Schedule,
    check: BudgetCheck<'a>,
}

impl<'a> Router<'a> {
    pub(super) fn new(topology: &'a Topology, model: CommunicationModel, budget: &'a Budget) -> Self {
        let paths = PathSearch::new(topology, model);
        let load = vec![0; topology.resource_count()];
        let check = BudgetCheck::new(budget);
        Self { topology, model, paths, load, known: BTreeMap::new(), schedule: Schedule::new(), check }
    }

    /// Records some work: moves, or visits of a channel. Returns `None` if the time is over.
    pub(super) fn spend(&mut self, work: usize) -> Option<()> {
        self.check.spend(work)
    }

    /// Returns the schedule of all steps so far.
    pub(super) fn into_schedule(self) -> Schedule {
        self.schedule
    }

    /// Adds a step with these moves; those of one pair follow each other. Without moves there is no step.
    ///
    /// Returns `None` if a pair has no path, if a shortest path uses a resource twice, if the schedule would exceed
    /// [`MAX_CHANNEL_USES`], or if the time is over.
    pub(super) fn add_step(&mut self, moves: &[Move]) -> Option<()> {
        if moves.is_empty() {
            return Some(());
        }
        self.spend(moves.len())?;
        let groups = moves.chunk_by(|first, second| first.pair == second.pair);
        let demands: Vec<(Pair, u32)> = groups.map(|group| (group[0].pair, group.len() as u32)).collect();
        if !self.known.contains_key(&demands) {
            let routes = self.route(&demands)?;
            self.known.insert(demands.clone(), routes);
        }
        let routes = &self.known[&demands];
        self.schedule.begin_step_of_width(routes.width);
        let (mut at, mut start) = (0, 0);
        for part in &routes.parts {
            let path = &routes.channels[start..part.path_end];
            let messages = &moves[at..at + part.messages as usize];
            if self.schedule.channel_use_count() + path.len() * messages.len() > MAX_CHANNEL_USES {
                return None;
            }
            self.check.spend(path.len() * messages.len())?;
            for sent in messages {
                self.schedule.push(sent.message, path);
            }
            (at, start) = (at + messages.len(), part.path_end);
        }
        Some(())
    }

    /// Finds the routes of a step. Pairs with one shortest path are first; the others avoid their channels.
    fn route(&mut self, demands: &[(Pair, u32)]) -> Option<Routes> {
        self.load.fill(0);
        let mut found: Vec<Vec<(u32, Vec<ChannelId>)>> = vec![Vec::new(); demands.len()];
        for is_free in [false, true] {
            for (&(pair, messages), parts) in demands.iter().zip(&mut found) {
                if !parts.is_empty() {
                    continue;
                }
                let [from, to] = pair.map(|rank| self.topology.terminals()[rank as usize]);
                self.paths.search(from, to)?;
                self.check.spend(self.paths.arcs.len())?;
                if self.paths.is_unique() == is_free {
                    continue;
                }
                let part_count = if is_free { messages.min(MAX_PARTS) } else { 1 };
                for part in 0..part_count {
                    let size = (messages + part) / part_count;
                    let path = self.paths.best(size, &self.load);
                    for &channel in &path {
                        let load = &mut self.load[self.topology.resource(channel).index()];
                        *load = load.checked_add(size)?;
                    }
                    parts.push((size, path));
                }
            }
        }
        let mut routes = Routes { parts: Vec::new(), channels: Vec::new(), width: self.width(demands) };
        for (messages, path) in found.into_iter().flatten() {
            if self.topology.has_buses() && self.repeats_a_resource(&path) {
                return None;
            }
            routes.channels.extend(path);
            routes.parts.push(Part { messages, path_end: routes.channels.len() });
        }
        Some(routes)
    }

    fn repeats_a_resource(&self, path: &[ChannelId]) -> bool {
        let mut resources: Vec<_> = path.iter().map(|&channel| self.topology.resource(channel)).collect();
        resources.sort_unstable();
        resources.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Returns the least width of a step with the current loads.
    fn width(&self, demands: &[(Pair, u32)]) -> NonZeroU32 {
        let topology = self.topology;
        let mut width = 1;
        for channel in topology.channels() {
            let resource = topology.resource(channel);
            width = width.max(self.load[resource.index()].div_ceil(topology.resource_capacity(resource)));
        }
        if let Ports::Limit(limit) = self.model.ports {
            for end in [0, 1] {
                let mut used = vec![0_u32; topology.terminal_count()];
                for (pair, messages) in demands {
                    used[pair[end] as usize] += messages;
                }
                width = used.iter().fold(width, |width, used| width.max(used.div_ceil(limit.get())));
            }
        }
        NonZeroU32::new(width).expect("at least 1")
    }
}

/// The shortest paths between two terminals, as an acyclic graph.
struct PathSearch<'a> {
    topology: &'a Topology,
    model: CommunicationModel,
    /// By node: the number of the search that found it, and its distance to the target.
    distance: Vec<(u32, u32)>,
    /// By node: the number of the search that placed it, and its place in `nodes`.
    place: Vec<(u32, u32)>,
    search: u32,
    queue: Vec<NodeId>,
    /// The nodes of shortest paths, the source first, by distance.
    nodes: Vec<NodeId>,
    /// The channels of shortest paths with the places of their ends, ordered by their tails.
    arcs: Vec<(ChannelId, u32, u32)>,
}

impl<'a> PathSearch<'a> {
    fn new(topology: &'a Topology, model: CommunicationModel) -> Self {
        let unseen = vec![(0, 0); topology.node_count()];
        Self {
            topology,
            model,
            distance: unseen.clone(),
            place: unseen,
            search: 0,
            queue: Vec::new(),
            nodes: Vec::new(),
            arcs: Vec::new(),
        }
    }

    /// Finds all shortest paths; `None` if there is none. O(nodes nearer to the target and their channels).
    fn search(&mut self, from: NodeId, to: NodeId) -> Option<()> {
        let Self { topology, model, distance, place, search, queue, nodes, arcs } = self;
        *search = search.checked_add(1)?;
        let crosses = |node| model.switching.crosses(topology, node);
        queue.clear();
        queue.push(to);
        distance[to.index()] = (*search, 0);
        let mut at = 0;
        while distance[from.index()].0 != *search {
            let &node = queue.get(at)?;
            at += 1;
            if node != to && !crosses(node) {
                continue;
            }
            let length = distance[node.index()].1 + 1;
            for &channel in topology.in_channels(node) {
                let tail = topology.tail(channel);
                if distance[tail.index()].0 != *search {
                    distance[tail.index()] = (*search, length);
                    queue.push(tail);
                }
            }
        }
        nodes.clear();
        arcs.clear();
        nodes.push(from);
        place[from.index()] = (*search, 0);
        let mut tail = 0;
        while tail < nodes.len() {
            let node = nodes[tail];
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                let is_shorter = distance[head.index()] == (*search, distance[node.index()].1.wrapping_sub(1));
                if !is_shorter || head != to && !crosses(head) {
                    continue;
                }
                if place[head.index()].0 != *search {
                    place[head.index()] = (*search, nodes.len() as u32);
                    nodes.push(head);
                }
                arcs.push((channel, tail as u32, place[head.index()].1));
            }
            tail += 1;
        }
        Some(())
    }

    /// Returns true if there is one shortest path.
    fn is_unique(&self) -> bool {
        self.arcs.len() + 1 == self.nodes.len()
    }

    /// Returns the path whose greatest load after adding `size` transfers is least; ties go to the least sum of loads.
    /// Loads are relative to capacities.
    fn best(&self, size: u32, load: &[u32]) -> Vec<ChannelId> {
        let mut cost: Vec<Option<(u64, u64, usize)>> = vec![None; self.nodes.len()];
        cost[0] = Some((0, 0, usize::MAX));
        for (arc, &(channel, tail, head)) in self.arcs.iter().enumerate() {
            let (greatest, sum, _) = cost[tail as usize].expect("tails are reached before");
            let resource = self.topology.resource(channel);
            let scaled = (u64::from(load[resource.index()]) + u64::from(size)) << 20;
            let scaled = scaled / u64::from(self.topology.resource_capacity(resource));
            let (greatest, sum) = (greatest.max(scaled), sum + scaled);
            let best = &mut cost[head as usize];
            if best.is_none_or(|(known, known_sum, _)| (greatest, sum) < (known, known_sum)) {
                *best = Some((greatest, sum, arc));
            }
        }
        let (mut path, mut at) = (Vec::new(), self.nodes.len() - 1);
        while let Some((_, _, arc)) = cost[at].filter(|&(_, _, arc)| arc != usize::MAX) {
            let (channel, tail, _) = self.arcs[arc];
            path.push(channel);
            at = tail as usize;
        }
        path.reverse();
        path
    }
}
