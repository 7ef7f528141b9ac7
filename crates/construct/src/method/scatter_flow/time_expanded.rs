//! Scatter where units rest on their way, as a flow over time.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::{MessageId, Ports, Schedule};
use lockstep_topology::{ChannelId, NodeId};

use super::supply::Supply;
use crate::kit::request::MethodRequest;

/// The most arcs: some 150 MB, and for a moment as much again.
const MAX_ARCS: usize = 1 << 22;

/// How far a unit goes in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timing {
    /// Over one channel, from terminal to terminal.
    Hops,
    /// Over any number of channels, through nodes that route.
    Wormhole,
}

/// A schedule of at least `from` and fewer than `below` steps, as few as can be; `None` if there is none, or the
/// network over time is too large, or the budget is over. Takes a maximum flow of `O((N + M) T)` arcs for `N` nodes, `M`
/// channels and `T` steps, and goes on from it for every step more.
///
/// Opposite channels that share a wire are two arcs all the same: two units that would meet can as well stay where they
/// are, for all units are alike. That holds for hops; under wormhole switching there must be no such channels.
pub(super) fn schedule(
    supply: &Supply<'_>,
    timing: Timing,
    opposite: &[[ChannelId; 2]],
    from: u32,
    below: u32,
    request: &MethodRequest<'_>,
) -> Option<Schedule> {
    let mut room = below.checked_sub(1)?;
    // Without a known number of steps that suffices there is none to make room for.
    if below == u32::MAX {
        room = from.checked_mul(2)?.checked_add(8)?;
    }
    loop {
        let mut timed = TimeExpandedFlow::new(supply, timing, from, room)?;
        let mut sent = 0;
        for steps in 1..=room {
            timed.add_step();
            if steps >= from {
                if request.stop_reason().is_some() {
                    return None;
                }
                sent += timed.network.max_flow(timed.holder(supply.root, 0), timed.sink());
                if sent == supply.scatter.len() as u64 {
                    return Some(timed.into_schedule(opposite));
                }
            }
        }
        if below != u32::MAX {
            return None;
        }
        room = room.checked_mul(2)?;
    }
}

/// A copy of every node for every time, and for every step arcs that wait and arcs that cross a channel.
///
/// The nodes of one time: those who hold units; unless ports are no limit and units go hop by hop, what each node sends
/// and what it receives in the step that begins. Behind all of them one for every node, where the units for it end, and
/// the sink.
struct TimeExpandedFlow<'a> {
    supply: &'a Supply<'a>,
    timing: Timing,
    /// Distance from the root, before which nothing is at a node.
    distance: Vec<u32>,
    network: FlowNetwork,
    /// The steps before the first one at whose end everything may have arrived.
    from: usize,
    /// Number of steps that have been added, and that there is room for.
    steps: usize,
    room: usize,
    /// The arcs that are channels, by step.
    crossings: Vec<(ArcId, ChannelId)>,
    /// Where the crossings of each step end.
    step_end: Vec<usize>,
}

impl<'a> TimeExpandedFlow<'a> {
    /// A network over so many steps, without arcs for them.
    fn new(supply: &'a Supply<'a>, timing: Timing, from: u32, room: u32) -> Option<Self> {
        let topology = supply.topology;
        let (nodes, room) = (topology.node_count(), room as usize);
        let mut timed = Self {
            supply,
            timing,
            distance: if timing == Timing::Hops { supply.distances() } else { vec![0; nodes] },
            network: FlowNetwork::new(0),
            from: from as usize,
            steps: 0,
            room,
            crossings: Vec::new(),
            step_end: Vec::new(),
        };
        let arcs = timed.stride() + nodes + topology.channel_count();
        if arcs.checked_mul(room)? > MAX_ARCS {
            return None;
        }
        timed.network = FlowNetwork::new(timed.sink() + 1);
        for receiver in supply.receivers() {
            timed.network.add_arc(timed.end(receiver), timed.sink(), supply.demand(receiver));
        }
        Some(timed)
    }

    /// Whether what nodes send and receive goes through nodes of its own.
    fn has_gates(&self) -> bool {
        self.timing == Timing::Wormhole || self.supply.ports != Ports::All
    }

    /// Number of nodes of one time.
    fn stride(&self) -> usize {
        if self.has_gates() { 3 * self.supply.topology.node_count() } else { self.supply.topology.node_count() }
    }

    fn holder(&self, node: NodeId, time: usize) -> usize {
        time * self.stride() + node.index()
    }

    /// Where a node sends in the step that begins at this time.
    fn sender(&self, node: NodeId, time: usize) -> usize {
        if self.has_gates() {
            self.holder(node, time) + self.supply.topology.node_count()
        } else {
            self.holder(node, time)
        }
    }

    /// Where a node receives in the step that begins at this time.
    fn receiver(&self, node: NodeId, time: usize) -> usize {
        if self.has_gates() {
            self.holder(node, time) + 2 * self.supply.topology.node_count()
        } else {
            self.holder(node, time + 1)
        }
    }

    fn end(&self, node: NodeId) -> usize {
        (self.room + 1) * self.stride() + node.index()
    }

    fn sink(&self) -> usize {
        (self.room + 1) * self.stride() + self.supply.topology.node_count()
    }

    fn add_step(&mut self) {
        let Supply { topology, scatter, root, ports, .. } = *self.supply;
        let time = self.steps;
        self.steps += 1;
        let is_reached = |timed: &Self, node: NodeId, time: usize| timed.distance[node.index()] as usize <= time;
        let units = scatter.len() as u32;
        for &node in topology.terminals() {
            let (now, then) = (self.holder(node, time), self.holder(node, time + 1));
            if is_reached(self, node, time) {
                self.network.add_arc(now, then, units);
            }
            if self.steps >= self.from && self.supply.demand(node) > 0 && is_reached(self, node, self.steps) {
                self.network.add_arc(then, self.end(node), self.supply.demand(node));
            }
            if self.has_gates() {
                let limit = |channels: &[ChannelId]| ports.of_degree(channels.len()) as u32;
                self.network.add_arc(now, self.sender(node, time), limit(topology.out_channels(node)));
                self.network.add_arc(self.receiver(node, time), then, limit(topology.in_channels(node)));
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
                let arc = self.network.add_arc(self.sender(tail, time), self.receiver(head, time), 1);
                self.crossings.push((arc, channel));
            }
        }
        self.step_end.push(self.crossings.len());
    }

    /// The schedule of the flow. Units are alike, so which of them cross is decided from the last step to the first:
    /// some that are at the end of a path then.
    fn into_schedule(self, opposite: &[[ChannelId; 2]]) -> Schedule {
        let Supply { topology, scatter, root, .. } = *self.supply;
        let mut deal = scatter.deal();
        let mut held: Vec<Vec<MessageId>> = vec![Vec::new(); topology.node_count()];
        for receiver in self.supply.receivers() {
            held[receiver.index()].extend((0..self.supply.demand(receiver)).map(|_| deal.take(receiver)));
        }
        let mut moves: Vec<(MessageId, u32, Vec<ChannelId>)> = Vec::new();
        let mut step_flow = StepPaths::new(self.supply, self.timing);
        for step in (0..self.steps).rev() {
            let start = step.checked_sub(1).map_or(0, |before| self.step_end[before]);
            let crossings = self.crossings[start..self.step_end[step]].iter();
            let used = crossings.filter(|(arc, _)| self.network.flow(*arc) == 1).map(|&(_, channel)| channel);
            let first = moves.len();
            for path in step_flow.paths(used.collect(), opposite) {
                let arrived = path.last().and_then(|&channel| held[topology.head(channel).index()].pop());
                moves.extend(arrived.map(|message| (message, step as u32, path)));
            }
            for (message, _, path) in &moves[first..] {
                held[topology.tail(path[0]).index()].push(*message);
            }
        }
        debug_assert_eq!(held[root.index()].len(), scatter.len(), "everything comes from the root");
        moves.sort_unstable_by_key(|&(message, step, _)| (message, step));
        let journeys = moves.chunk_by(|a, b| a.0 == b.0).map(|journey| without_loops(self.supply, journey));
        let mut kept: Vec<&(MessageId, u32, Vec<ChannelId>)> = journeys.flatten().collect();
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

/// The moves of a unit without those between two visits of one terminal.
fn without_loops<'a, T>(
    supply: &Supply<'_>,
    journey: &'a [(T, u32, Vec<ChannelId>)],
) -> Vec<&'a (T, u32, Vec<ChannelId>)> {
    let mut kept: Vec<&(T, u32, Vec<ChannelId>)> = Vec::with_capacity(journey.len());
    for hop in journey {
        let ends = |path: &[ChannelId]| (supply.topology.tail(path[0]), supply.topology.head(path[path.len() - 1]));
        let (_, to) = ends(&hop.2);
        match kept.iter().position(|earlier| ends(&earlier.2).0 == to) {
            Some(place) => kept.truncate(place),
            None => kept.push(hop),
        }
    }
    kept
}

/// The flow of one step, cut into the paths of transfers.
struct StepPaths<'a> {
    supply: &'a Supply<'a>,
    timing: Timing,
    is_used: Vec<bool>,
}

impl<'a> StepPaths<'a> {
    fn new(supply: &'a Supply<'a>, timing: Timing) -> Self {
        Self { supply, timing, is_used: vec![false; supply.topology.channel_bound()] }
    }

    /// The paths that the units take which cross these channels.
    fn paths(&mut self, mut used: Vec<ChannelId>, opposite: &[[ChannelId; 2]]) -> Vec<Vec<ChannelId>> {
        for channel in &used {
            self.is_used[channel.index()] = true;
        }
        for pair in opposite {
            if pair.iter().all(|channel| self.is_used[channel.index()]) {
                // Both units stay where they are.
                for channel in pair {
                    self.is_used[channel.index()] = false;
                }
            }
        }
        used.retain(|channel| std::mem::take(&mut self.is_used[channel.index()]));
        match self.timing {
            Timing::Hops => used.into_iter().map(|channel| vec![channel]).collect(),
            Timing::Wormhole => self.wormholes(&used),
        }
    }

    /// Units go on at a node that routes as long as there is a channel, so that as few as possible rest there.
    fn wormholes(&self, used: &[ChannelId]) -> Vec<Vec<ChannelId>> {
        let topology = self.supply.topology;
        let nodes = topology.node_count();
        let (source, sink) = (2 * nodes, 2 * nodes + 1);
        // A node that does not route sends from a place of its own.
        let sender = |node: NodeId| if topology.routes(node) { node.index() } else { nodes + node.index() };
        let mut network = FlowNetwork::new(2 * nodes + 2);
        let mut surplus = vec![0i64; 2 * nodes];
        for &channel in used {
            let (tail, head) = (sender(topology.tail(channel)), topology.head(channel).index());
            network.add_arc(tail, head, 1);
            surplus[tail] -= 1;
            surplus[head] += 1;
        }
        for (place, &surplus) in surplus.iter().enumerate() {
            network.add_arc(source, place, u32::try_from(-surplus).unwrap_or(0));
            network.add_arc(place, sink, u32::try_from(surplus).unwrap_or(0));
        }
        network.max_flow(source, sink);
        let mut paths = Vec::new();
        network.decompose_paths(source, sink, |arcs| {
            let path: Vec<ChannelId> = arcs[1..arcs.len() - 1].iter().map(|arc| used[arc.index()]).collect();
            // Who comes back to where he started from may as well stay there.
            if topology.tail(path[0]) != topology.head(path[path.len() - 1]) {
                paths.push(path);
            }
        });
        paths
    }
}
