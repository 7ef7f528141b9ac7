//! Store-and-forward as a flow over time.

use lockstep_paths::FlowNetwork;
use lockstep_schedule::{Budget, Ports, Schedule};
use lockstep_topology::{ChannelId, NodeId};

use super::message_to;
use super::supply::Supply;

/// The most arcs: some 100 MB.
const MAX_ARCS: usize = 1 << 21;

/// A schedule of at least `from` and fewer than `below` steps, as few as can be; `None` if there is none, or the
/// network over time is too large, or the budget is cancelled. Takes a maximum flow of `O(M T)` arcs for `M` channels
/// and `T` steps, and goes on from it for every step more.
pub(super) fn schedule(
    supply: &Supply<'_>,
    opposite: &[[ChannelId; 2]],
    from: u32,
    below: u32,
    budget: &Budget,
) -> Option<Schedule> {
    let mut timed = Timed::new(supply, opposite, below.checked_sub(1)?)?;
    let mut sent = 0;
    for steps in 1..below {
        timed.add_step();
        if steps >= from {
            if budget.stop_after(0).is_some() {
                return None;
            }
            sent += timed.network.maximise(timed.copy(supply.root, 0), timed.sink());
            if sent == supply.receivers() as u64 {
                return Some(timed.into_schedule());
            }
        }
    }
    None
}

/// A copy of every node for every time, and for every step arcs that wait and arcs that cross a channel.
///
/// The nodes of one time: the copies; with limited ports, what each node sends and what it receives in the step that
/// begins; two for every pair of channels that share a wire. Behind all of them one for every node, where the unit for
/// it ends, and the sink.
struct Timed<'a> {
    supply: &'a Supply<'a>,
    /// Distance from the root, before which nothing is at a node.
    distance: Vec<u32>,
    /// The pair that a channel belongs to.
    pair: Vec<Option<u32>>,
    pair_count: usize,
    network: FlowNetwork,
    /// Number of steps that have been added, and that there is room for.
    steps: usize,
    room: usize,
    /// The channel that each arc completes, if any, and the step.
    crossing: Vec<Option<(ChannelId, u32)>>,
}

impl<'a> Timed<'a> {
    /// A network over so many steps, without arcs for them.
    fn new(supply: &'a Supply<'a>, opposite: &[[ChannelId; 2]], room: u32) -> Option<Self> {
        let topology = supply.topology;
        let (nodes, channels, room) = (topology.node_count(), topology.channel_count(), room as usize);
        let ports = if supply.ports == Ports::All { 0 } else { 2 * nodes };
        let arcs = 2 * nodes + ports + channels + 3 * opposite.len();
        if arcs.checked_mul(room)? > MAX_ARCS {
            return None;
        }
        let mut pair = vec![None; channels];
        for (number, ends) in opposite.iter().enumerate() {
            for channel in ends {
                pair[channel.index()] = Some(number as u32);
            }
        }
        let mut timed = Self {
            supply,
            distance: supply.distances(),
            pair,
            pair_count: opposite.len(),
            network: FlowNetwork::new(0),
            steps: 0,
            room,
            crossing: Vec::new(),
        };
        timed.network = FlowNetwork::new(timed.sink() + 1);
        for &terminal in topology.terminals().iter().filter(|&&terminal| terminal != supply.root) {
            timed.arc(timed.end(terminal), timed.sink(), 1);
        }
        Some(timed)
    }

    /// Number of nodes of one time.
    fn stride(&self) -> usize {
        3 * self.supply.topology.node_count() + 2 * self.pair_count
    }

    fn copy(&self, node: NodeId, time: usize) -> usize {
        time * self.stride() + node.index()
    }

    fn sending(&self, node: NodeId, time: usize) -> usize {
        self.copy(node, time) + self.supply.topology.node_count()
    }

    fn receiving(&self, node: NodeId, time: usize) -> usize {
        self.copy(node, time) + 2 * self.supply.topology.node_count()
    }

    /// Where a wire is entered; it is left at the next node.
    fn wire(&self, pair: u32, time: usize) -> usize {
        time * self.stride() + 3 * self.supply.topology.node_count() + 2 * pair as usize
    }

    fn end(&self, node: NodeId) -> usize {
        (self.room + 1) * self.stride() + node.index()
    }

    fn sink(&self) -> usize {
        (self.room + 1) * self.stride() + self.supply.topology.node_count()
    }

    fn arc(&mut self, tail: usize, head: usize, capacity: u32) {
        self.network.arc(tail, head, capacity);
        self.crossing.push(None);
    }

    fn add_step(&mut self) {
        let Supply { topology, root, ports, .. } = *self.supply;
        let time = self.steps;
        self.steps += 1;
        let is_reached = |timed: &Self, node: NodeId, time: usize| timed.distance[node.index()] as usize <= time;
        for &node in topology.terminals() {
            if is_reached(self, node, time) {
                self.arc(self.copy(node, time), self.copy(node, time + 1), self.supply.receivers() as u32);
            }
            if node != root && is_reached(self, node, time + 1) {
                self.arc(self.copy(node, time + 1), self.end(node), 1);
            }
            if let Ports::Limit(limit) = ports {
                self.arc(self.copy(node, time), self.sending(node, time), limit.get());
                self.arc(self.receiving(node, time), self.copy(node, time + 1), limit.get());
            }
        }
        for pair in 0..self.pair_count as u32 {
            self.arc(self.wire(pair, time), self.wire(pair, time) + 1, 1);
        }
        for channel in topology.channels() {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            if !self.supply.is_open(channel) || !is_reached(self, tail, time) {
                continue;
            }
            let (mut from, to) = match ports {
                Ports::All => (self.copy(tail, time), self.copy(head, time + 1)),
                Ports::Limit(_) => (self.sending(tail, time), self.receiving(head, time)),
            };
            if let Some(pair) = self.pair[channel.index()] {
                // Who leaves a wire where he entered it has waited.
                let wire = self.wire(pair, time);
                self.arc(from, wire, 1);
                from = wire + 1;
            }
            self.network.arc(from, to, 1);
            self.crossing.push(Some((channel, time as u32)));
        }
    }

    /// The schedule of the flow.
    fn into_schedule(mut self) -> Schedule {
        let Supply { topology, root, .. } = *self.supply;
        let (source, sink) = (self.copy(root, 0), self.sink());
        let mut transfers = Vec::new();
        let mut route = Vec::new();
        self.network.unravel(source, sink, |arcs| {
            route.clear();
            let mut node = root;
            for (channel, step) in arcs.iter().filter_map(|arc| self.crossing[arc.index()]) {
                if topology.head(channel) != node {
                    node = topology.head(channel);
                    route.push((step, channel));
                }
            }
            let message = message_to(topology, root, node);
            transfers.extend(route.iter().map(|&(step, channel)| (step, message, channel)));
        });
        transfers.sort_unstable();
        let mut schedule = Schedule::with_capacity(transfers.len(), transfers.len());
        let mut rest = transfers.as_slice();
        for step in 0..self.steps as u32 {
            schedule.begin_step();
            let (now, later) = rest.split_at(rest.partition_point(|transfer| transfer.0 == step));
            for &(_, message, channel) in now {
                schedule.push(message, &[channel]);
            }
            rest = later;
        }
        schedule
    }
}
