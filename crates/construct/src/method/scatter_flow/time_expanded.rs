//! Scatter with relays as a flow over time.

use lockstep_model::port_limit;
use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::{MessageId, Part, Ports, Schedule};
use lockstep_topology::{ChannelId, NodeId};

use super::supply::Supply;
use crate::kit::request::MethodRequest;

/// This part of the method.
pub(super) const TIME_EXPANDED: Part =
    Part { owner: "scatter-flow", name: "time-expanded", about: "flows over time, where relays save steps" };

/// The maximum number of arcs: about 150 MB, and twice that for a moment.
const MAX_ARCS: usize = 1 << 22;

/// The distance that a unit can move in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timing {
    /// One channel, from terminal to terminal.
    Hops,
    /// Any number of channels, through nodes that route.
    Wormhole,
}

/// Returns a schedule with the fewest steps of at least `from` and below `below`. Returns `None` if there is none, the
/// time-expanded network is too large, or the budget ends. Computes a maximum flow with `O((N + M) T)` arcs for `N`
/// nodes, `M` channels and `T` steps, and augments it after each further step.
///
/// `hops` are closed channels between terminals that units may cross alone: the only channel of a path is a shortest
/// path.
///
/// Opposite channels that share a resource have two arcs: units are interchangeable, so two units that meet can both
/// stay there, or take the rest of each other's path.
pub(super) fn schedule(
    supply: &Supply<'_>,
    timing: Timing,
    hops: &[ChannelId],
    opposite: &[[ChannelId; 2]],
    from: u32,
    below: u32,
    request: &MethodRequest<'_>,
) -> Option<Schedule> {
    if !request.uses(TIME_EXPANDED) {
        return None;
    }
    let mut room = below.checked_sub(1)?;
    // Without a known upper bound, the network grows as needed.
    if below == u32::MAX {
        room = from.checked_mul(2)?.checked_add(8)?;
    }
    loop {
        let mut flow = TimeExpandedFlow::new(supply, timing, hops, from, room)?;
        let mut sent = 0;
        for steps in 1..=room {
            flow.add_step();
            if steps >= from {
                if request.budget.interruption().is_some() {
                    return None;
                }
                sent += flow.network.max_flow(flow.holder(supply.root, 0), flow.sink());
                if sent == supply.scatter.len() as u64 {
                    return Some(flow.into_schedule(opposite));
                }
            }
        }
        if below != u32::MAX {
            return None;
        }
        room = room.checked_mul(2)?;
    }
}

/// A time-expanded network: a copy of every node per time, with arcs for waiting and for channels in each step.
///
/// Each time has one vertex per node, for the units that it holds. If ports are limited or units move through several
/// channels per step, each node has two more vertices, for the units that it sends and receives in the step. If there
/// are hops, it has another two, which no unit passes: before those from which it sends, and after those at which it
/// receives. After all times, each node has a vertex for its delivered units; the last vertex is the sink.
struct TimeExpandedFlow<'a> {
    supply: &'a Supply<'a>,
    timing: Timing,
    /// Channels that are whole paths.
    hops: &'a [ChannelId],
    /// The distance of each node from the root, before which it holds no unit.
    distance: Vec<u32>,
    network: FlowNetwork,
    /// The fewest steps after which all units may have arrived.
    from: usize,
    /// Number of steps added so far.
    steps: usize,
    /// The maximum number of steps.
    room: usize,
    /// The arcs of channels, by step.
    crossings: Vec<(ArcId, ChannelId)>,
    /// The end of each step's crossings.
    step_end: Vec<usize>,
}

impl<'a> TimeExpandedFlow<'a> {
    /// Returns a network for up to `room` steps, without any step; `None` if it is too large.
    fn new(supply: &'a Supply<'a>, timing: Timing, hops: &'a [ChannelId], from: u32, room: u32) -> Option<Self> {
        let topology = supply.topology;
        let (nodes, room) = (topology.node_count(), room as usize);
        let mut flow = Self {
            supply,
            timing,
            hops,
            distance: if timing == Timing::Hops { supply.distances() } else { vec![0; nodes] },
            network: FlowNetwork::new(0),
            from: from as usize,
            steps: 0,
            room,
            crossings: Vec::new(),
            step_end: Vec::new(),
        };
        let arcs = flow.stride() + nodes + topology.channel_count();
        if arcs.checked_mul(room)? > MAX_ARCS {
            return None;
        }
        flow.network = FlowNetwork::new(flow.sink() + 1);
        for receiver in supply.receivers() {
            flow.network.add_arc(flow.end(receiver), flow.sink(), supply.demand(receiver));
        }
        Some(flow)
    }

    /// Returns true if each node has vertices of its own for sending and receiving.
    fn has_port_vertices(&self) -> bool {
        self.timing == Timing::Wormhole || self.supply.ports != Ports::All
    }

    /// Returns the number of vertices per time.
    fn stride(&self) -> usize {
        let vertices = match (self.has_port_vertices(), self.hops.is_empty()) {
            (false, _) => 1,
            (true, true) => 3,
            (true, false) => 5,
        };
        vertices * self.supply.topology.node_count()
    }

    /// Returns the vertex of the units that a node holds.
    fn holder(&self, node: NodeId, time: usize) -> usize {
        time * self.stride() + node.index()
    }

    /// Returns the vertex from which a node sends in the step that begins at this time.
    fn sender(&self, node: NodeId, time: usize) -> usize {
        if self.has_port_vertices() {
            self.holder(node, time) + self.supply.topology.node_count()
        } else {
            self.holder(node, time)
        }
    }

    /// Returns the vertex at which a node receives in the step that begins at this time.
    fn receiver(&self, node: NodeId, time: usize) -> usize {
        if self.has_port_vertices() {
            self.holder(node, time) + 2 * self.supply.topology.node_count()
        } else {
            self.holder(node, time + 1)
        }
    }

    /// Returns the vertex of the units that begin a path at a node in the step that begins at this time.
    fn start(&self, node: NodeId, time: usize) -> usize {
        let sender = self.sender(node, time);
        if self.hops.is_empty() { sender } else { sender + 2 * self.supply.topology.node_count() }
    }

    /// Returns the vertex of the units that end a path at a node in the step that begins at this time.
    fn stop(&self, node: NodeId, time: usize) -> usize {
        let receiver = self.receiver(node, time);
        if self.hops.is_empty() { receiver } else { receiver + 2 * self.supply.topology.node_count() }
    }

    /// Returns the vertex of the units delivered to a node.
    fn end(&self, node: NodeId) -> usize {
        (self.room + 1) * self.stride() + node.index()
    }

    fn sink(&self) -> usize {
        (self.room + 1) * self.stride() + self.supply.topology.node_count()
    }

    /// Adds the arcs of one more step.
    fn add_step(&mut self) {
        let Supply { topology, scatter, root, ports, .. } = *self.supply;
        let time = self.steps;
        self.steps += 1;
        let is_reached = |flow: &Self, node: NodeId, time: usize| flow.distance[node.index()] as usize <= time;
        let units = scatter.len() as u32;
        for &node in topology.terminals() {
            let (now, then) = (self.holder(node, time), self.holder(node, time + 1));
            if is_reached(self, node, time) {
                self.network.add_arc(now, then, units);
            }
            if self.steps >= self.from && self.supply.demand(node) > 0 && is_reached(self, node, self.steps) {
                self.network.add_arc(then, self.end(node), self.supply.demand(node));
            }
            if self.has_port_vertices() {
                let limit = |channels: &[ChannelId]| port_limit(topology, ports, channels);
                self.network.add_arc(now, self.start(node, time), limit(topology.out_channels(node)));
                self.network.add_arc(self.stop(node, time), then, limit(topology.in_channels(node)));
            }
            if !self.hops.is_empty() {
                self.network.add_arc(self.start(node, time), self.sender(node, time), units);
                self.network.add_arc(self.receiver(node, time), self.stop(node, time), units);
            }
        }
        if self.timing == Timing::Wormhole {
            for node in topology.nodes().filter(|&node| node != root && topology.routes(node)) {
                self.network.add_arc(self.receiver(node, time), self.sender(node, time), units);
            }
        }
        for channel in topology.channels().filter(|&channel| self.supply.is_open(channel)) {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            if is_reached(self, tail, time) {
                let arc = self.network.add_arc(
                    self.sender(tail, time),
                    self.receiver(head, time),
                    self.supply.room(channel, 1),
                );
                self.crossings.push((arc, channel));
            }
        }
        for &channel in self.hops {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let arc = self.network.add_arc(self.start(tail, time), self.stop(head, time), self.supply.room(channel, 1));
            self.crossings.push((arc, channel));
        }
        self.step_end.push(self.crossings.len());
    }

    /// Returns the schedule of the flow. Units are interchangeable, so each path gets any message that is at its end,
    /// from the last step to the first.
    fn into_schedule(self, opposite: &[[ChannelId; 2]]) -> Schedule {
        let Supply { topology, scatter, root, .. } = *self.supply;
        let mut queues = scatter.message_queues();
        let mut held: Vec<Vec<MessageId>> = vec![Vec::new(); topology.node_count()];
        for receiver in self.supply.receivers() {
            held[receiver.index()].extend((0..self.supply.demand(receiver)).map(|_| queues.pop(receiver)));
        }
        let mut moves: Vec<(MessageId, u32, Vec<ChannelId>)> = Vec::new();
        let mut step_flow = StepPaths::new(self.supply, self.timing, self.hops);
        for step in (0..self.steps).rev() {
            let start = step.checked_sub(1).map_or(0, |before| self.step_end[before]);
            let crossings = self.crossings[start..self.step_end[step]].iter();
            let used =
                crossings.flat_map(|&(arc, channel)| std::iter::repeat_n(channel, self.network.flow(arc) as usize));
            let first = moves.len();
            for path in step_flow.paths(used.collect(), opposite) {
                let arrived = path.last().and_then(|&channel| held[topology.head(channel).index()].pop());
                moves.extend(arrived.map(|message| (message, step as u32, path)));
            }
            for (message, _, path) in &moves[first..] {
                held[topology.tail(path[0]).index()].push(*message);
            }
        }
        debug_assert_eq!(held[root.index()].len(), scatter.len(), "all messages come from the root");
        moves.sort_unstable_by_key(|&(message, step, _)| (message, step));
        let by_message = moves.chunk_by(|a, b| a.0 == b.0);
        let mut kept: Vec<&(MessageId, u32, Vec<ChannelId>)> =
            by_message.flat_map(|moves| without_loops(self.supply, moves)).collect();
        kept.sort_unstable_by_key(|&&(message, step, _)| (step, message));
        let uses = kept.iter().map(|(_, _, path)| path.len()).sum();
        let mut schedule = Schedule::with_capacity(kept.len(), uses);
        for step in kept.chunk_by(|a, b| a.1 == b.1) {
            schedule.begin_step();
            for (message, _, path) in step {
                schedule.push(*message, path);
            }
        }
        schedule
    }
}

/// Removes the moves of a message between two visits of the same terminal.
fn without_loops<'a, T>(
    supply: &Supply<'_>,
    moves: &'a [(T, u32, Vec<ChannelId>)],
) -> Vec<&'a (T, u32, Vec<ChannelId>)> {
    let mut kept: Vec<&(T, u32, Vec<ChannelId>)> = Vec::with_capacity(moves.len());
    for hop in moves {
        let ends = |path: &[ChannelId]| (supply.topology.tail(path[0]), supply.topology.head(path[path.len() - 1]));
        let (_, to) = ends(&hop.2);
        match kept.iter().position(|earlier| ends(&earlier.2).0 == to) {
            Some(first) => kept.truncate(first),
            None => kept.push(hop),
        }
    }
    kept
}

/// The division of the flow of one step into paths.
struct StepPaths<'a> {
    supply: &'a Supply<'a>,
    timing: Timing,
    is_hop: Vec<bool>,
    /// Number of units on each channel; 0 between calls.
    uses: Vec<u32>,
}

impl<'a> StepPaths<'a> {
    fn new(supply: &'a Supply<'a>, timing: Timing, hops: &[ChannelId]) -> Self {
        let none = vec![false; supply.topology.channel_bound()];
        let uses = vec![0; none.len()];
        let mut is_hop = none;
        for channel in hops {
            is_hop[channel.index()] = true;
        }
        Self { supply, timing, is_hop, uses }
    }

    /// Returns the paths of the units that cross these channels.
    fn paths(&mut self, mut used: Vec<ChannelId>, opposite: &[[ChannelId; 2]]) -> Vec<Vec<ChannelId>> {
        for channel in &used {
            self.uses[channel.index()] += 1;
        }
        for [there, back] in opposite {
            // Units that meet both stay there, or each takes the rest of the other's path.
            let met = self.uses[there.index()].min(self.uses[back.index()]);
            self.uses[there.index()] -= met;
            self.uses[back.index()] -= met;
        }
        used.retain(|channel| {
            let left = &mut self.uses[channel.index()];
            let is_kept = *left > 0;
            *left -= u32::from(is_kept);
            is_kept
        });
        match self.timing {
            Timing::Hops => used.into_iter().map(|channel| vec![channel]).collect(),
            Timing::Wormhole => {
                let (hops, passed): (Vec<_>, Vec<_>) =
                    used.into_iter().partition(|channel| self.is_hop[channel.index()]);
                let mut paths = self.wormholes(&passed);
                paths.extend(hops.into_iter().map(|channel| vec![channel]));
                paths
            }
        }
    }

    /// Joins channels at nodes that route, so that the fewest units stop there.
    fn wormholes(&self, used: &[ChannelId]) -> Vec<Vec<ChannelId>> {
        let topology = self.supply.topology;
        let nodes = topology.node_count();
        let (source, sink) = (2 * nodes, 2 * nodes + 1);
        // A node that does not route sends from a vertex of its own.
        let sender = |node: NodeId| if topology.routes(node) { node.index() } else { nodes + node.index() };
        let mut network = FlowNetwork::new(2 * nodes + 2);
        let mut surplus = vec![0i64; 2 * nodes];
        for &channel in used {
            let (tail, head) = (sender(topology.tail(channel)), topology.head(channel).index());
            network.add_arc(tail, head, 1);
            surplus[tail] -= 1;
            surplus[head] += 1;
        }
        for (vertex, &surplus) in surplus.iter().enumerate() {
            network.add_arc(source, vertex, u32::try_from(-surplus).unwrap_or(0));
            network.add_arc(vertex, sink, u32::try_from(surplus).unwrap_or(0));
        }
        network.max_flow(source, sink);
        let mut paths = Vec::new();
        network.decompose_paths(source, sink, |arcs| {
            let path: Vec<ChannelId> = arcs[1..arcs.len() - 1].iter().map(|arc| used[arc.index()]).collect();
            // A unit that returns to its start can stay there.
            if topology.tail(path[0]) != topology.head(path[path.len() - 1]) {
                paths.push(path);
            }
        });
        paths
    }
}
