//! Messages of one receiver: one after the other takes the earliest steps that are still free.

use lockstep_schedule::{MessageId, Routing};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use crate::distance::{Distances, Row, UNREACHED, crosses};
use crate::engine::{Halt, Poll};
use crate::log::Log;
use crate::relay::RelayTree;
use crate::slots::{BLOCK, Capacities, PortPair, Slots, wire};
use crate::task::Task;

/// Tracebacks tried in a step before it is given up because paths met a resource twice.
const TRACES: u32 = 8;

/// What all schedules of a scatter share.
#[derive(Debug)]
pub(crate) struct Scatter<'a> {
    task: &'a Task<'a>,
    capacities: Capacities,
    distances: Distances<'a>,
}

impl<'a> Scatter<'a> {
    pub(crate) fn new(task: &'a Task<'a>) -> Self {
        Self { task, capacities: Capacities::new(task), distances: Distances::new(task) }
    }

    /// One schedule: messages that are far from their receivers first, ties at random.
    pub(crate) fn build(&self, rng: &mut impl Rng, poll: &Poll<'_>) -> Result<Log, Halt> {
        let order = self.order(rng);
        let mut placer = Placer::new(self, poll.aim(), rng);
        for (placed, &message) in order.iter().enumerate() {
            if placed % 256 == 0 {
                poll.check(placer.log.step_count())?;
            }
            placer.place(MessageId::new(message))?;
        }
        Ok(placer.log)
    }

    fn order(&self, rng: &mut impl Rng) -> Vec<u32> {
        let mut row = Row::default();
        let mut keyed: Vec<(u32, u32, u32)> = self
            .task
            .messages()
            .ids()
            .map(|message| {
                let (source, receiver) = self.ends(message);
                // What is reached only by being passed on counts as farthest.
                let distance = self.distances.from(source, &mut row)[receiver.index()];
                (!distance, rng.random(), message.number())
            })
            .collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, _, message)| message).collect()
    }

    fn ends(&self, message: MessageId) -> (NodeId, NodeId) {
        let messages = self.task.messages();
        let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
        (messages.source(message), receiver)
    }
}

/// A channel on a shortest path.
#[derive(Clone, Copy, Debug)]
struct Arc {
    tail: NodeId,
    head: NodeId,
    channel: ChannelId,
}

/// One schedule in the making.
struct Placer<'a, R> {
    scatter: &'a Scatter<'a>,
    slots: Slots<'a>,
    log: Log,
    rng: &'a mut R,
    row: Row,
    shortest: ShortestPaths,
    /// What is known of each node on the way of the message at hand.
    marks: Vec<Mark>,
    path: Vec<ChannelId>,
    /// Steps to stay below by detours, if that is allowed.
    detour_below: u32,
}

/// The channels of all shortest paths of a pair.
#[derive(Debug)]
struct ShortestPaths {
    source: NodeId,
    target: NodeId,
    /// From the target backwards, those into one node together.
    arcs: Vec<Arc>,
    /// From the target backwards.
    nodes: Vec<NodeId>,
    /// Where the arcs into each node begin.
    first_arc: Vec<u32>,
    seen: Vec<bool>,
}

/// The way of a message to one node.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Steps of the block at hand in which a path to the node is free.
    steps: u64,
    /// The earliest step in which it can be there, under store-and-forward.
    arrival: u32,
    /// Breaks ties between arcs that arrive together.
    tie: u32,
    /// The arc by which it arrives.
    via: u32,
}

impl<'a, R: Rng> Placer<'a, R> {
    fn new(scatter: &'a Scatter<'a>, aim: u32, rng: &'a mut R) -> Self {
        let task = scatter.task;
        let nodes = task.topology().node_count();
        let detours = task.model().routing == Routing::Any && !task.stores_and_forwards();
        Self {
            scatter,
            slots: Slots::new(&scatter.capacities),
            log: Log::default(),
            rng,
            row: Row::default(),
            shortest: ShortestPaths::new(nodes),
            marks: vec![Mark { steps: 0, arrival: 0, tie: 0, via: 0 }; nodes],
            path: Vec::new(),
            detour_below: if detours { aim } else { u32::MAX },
        }
    }

    /// Sends a message on its way.
    fn place(&mut self, message: MessageId) -> Result<(), Halt> {
        let task = self.scatter.task;
        let (source, target) = self.scatter.ends(message);
        if self.shortest.collect(self.scatter, source, target, &mut self.row) {
            if task.stores_and_forwards() {
                return self.place_hops(message);
            }
            return self.place_leg(message, 0).map(|_| ());
        }
        let (mut holder, mut ready) = (source, 0);
        for next in RelayTree::new(task, source).route(target) {
            self.shortest.collect(self.scatter, holder, next, &mut self.row);
            ready = self.place_leg(message, ready)? + 1;
            holder = next;
        }
        Ok(())
    }

    /// Places one wormhole transfer in the earliest step from `ready` on; that step.
    fn place_leg(&mut self, message: MessageId, ready: u32) -> Result<u32, Halt> {
        let task = self.scatter.task;
        let (source, target) = (self.shortest.source, self.shortest.target);
        let ports = PortPair::new(task, &self.scatter.capacities, source, target);
        let mut block = self.first_block().max(ready / BLOCK);
        loop {
            let open = Slots::from(block, ready) & self.slots.free_ports(block, ports);
            let mut steps = if open == 0 { 0 } else { self.free_steps(block, open) };
            while steps != 0 {
                let step = block * BLOCK + steps.trailing_zeros();
                steps &= steps - 1;
                if (0..TRACES).any(|_| self.trace(step)) {
                    return self.transfer(message, step, ports);
                }
            }
            // In a block where nothing is taken only a resource met twice stands in the way.
            if block >= self.slots.block_count() {
                return Err(Halt::Crossed);
            }
            block += 1;
        }
    }

    /// Makes the transfer along the path at hand.
    fn transfer(&mut self, message: MessageId, step: u32, ports: PortPair) -> Result<u32, Halt> {
        for slot in ports.iter() {
            self.slots.take(step, slot);
        }
        for &channel in &self.path {
            self.slots.take(step, wire(self.scatter.task, channel));
        }
        self.log.push(message, step, &self.path)?;
        Ok(step)
    }

    /// A block before which no step is free along any one path.
    fn first_block(&mut self) -> u32 {
        let Self { scatter, slots, shortest, marks, .. } = self;
        for node in &shortest.nodes {
            marks[node.index()].arrival = u32::MAX;
        }
        marks[shortest.source.index()].arrival = 0;
        for arc in shortest.arcs.iter().rev() {
            let through = marks[arc.tail.index()].arrival.max(slots.open_from(wire(scatter.task, arc.channel)));
            let head = &mut marks[arc.head.index()];
            head.arrival = head.arrival.min(through);
        }
        marks[shortest.target.index()].arrival
    }

    /// The steps of a block, among the open ones, in which some path is free.
    fn free_steps(&mut self, block: u32, open: u64) -> u64 {
        let Self { scatter, slots, shortest, marks, .. } = self;
        for node in &shortest.nodes {
            marks[node.index()].steps = 0;
        }
        marks[shortest.source.index()].steps = open;
        for arc in shortest.arcs.iter().rev() {
            let through = marks[arc.tail.index()].steps & slots.free(block, wire(scatter.task, arc.channel));
            marks[arc.head.index()].steps |= through;
        }
        marks[shortest.target.index()].steps
    }

    /// Walks back over channels that are free in the step, the least used ones first; `false` if a resource is met
    /// twice.
    fn trace(&mut self, step: u32) -> bool {
        let Self { scatter, slots, shortest, marks, path, rng, .. } = self;
        path.clear();
        let mut node = shortest.target;
        while node != shortest.source {
            let free = shortest.ending_at(node).iter().filter(|arc| {
                let steps = slots.free(step / BLOCK, wire(scatter.task, arc.channel)) & marks[arc.tail.index()].steps;
                steps >> (step % BLOCK) & 1 == 1
            });
            let arc = free
                .min_by_key(|arc| (slots.load(wire(scatter.task, arc.channel)), rng.random::<u32>()))
                .expect("the step is free along some path");
            path.push(arc.channel);
            node = arc.tail;
        }
        path.reverse();
        true
    }

    /// Places a message hop by hop, so that it arrives as early as possible.
    fn place_hops(&mut self, message: MessageId) -> Result<(), Halt> {
        let Self { scatter, slots, shortest, marks, rng, .. } = self;
        let Scatter { task, capacities, .. } = scatter;
        for node in &shortest.nodes {
            marks[node.index()].arrival = u32::MAX;
        }
        marks[shortest.source.index()].arrival = 0;
        for (via, arc) in shortest.arcs.iter().enumerate().rev() {
            let wire = wire(task, arc.channel);
            let ports = PortPair::new(task, capacities, arc.tail, arc.head);
            let arrival = slots.next_free(wire, ports, marks[arc.tail.index()].arrival) + 1;
            let tie = slots.load(wire) << 8 | u32::from(rng.random::<u8>());
            let head = &mut marks[arc.head.index()];
            if (arrival, tie) < (head.arrival, head.tie) {
                *head = Mark { arrival, tie, via: via as u32, ..*head };
            }
        }
        let mut node = shortest.target;
        while node != shortest.source {
            let Mark { arrival, via, .. } = marks[node.index()];
            let Arc { tail, head, channel } = shortest.arcs[via as usize];
            let step = arrival - 1;
            for slot in PortPair::new(task, capacities, tail, head).iter() {
                slots.take(step, slot);
            }
            slots.take(step, wire(task, channel));
            self.log.push(message, step, &[channel])?;
            node = tail;
        }
        Ok(())
    }
}

impl ShortestPaths {
    fn new(nodes: usize) -> Self {
        let nowhere = NodeId::new(0);
        Self {
            source: nowhere,
            target: nowhere,
            arcs: Vec::new(),
            nodes: Vec::new(),
            first_arc: vec![0; nodes],
            seen: vec![false; nodes],
        }
    }

    /// Takes on another pair; `false` if no path leads there.
    fn collect(&mut self, scatter: &Scatter<'_>, source: NodeId, target: NodeId, row: &mut Row) -> bool {
        let (task, topology) = (scatter.task, scatter.task.topology());
        let distance = scatter.distances.from(source, row);
        (self.source, self.target) = (source, target);
        self.arcs.clear();
        self.nodes.clear();
        if distance[target.index()] == UNREACHED {
            return false;
        }
        self.nodes.push(target);
        let mut next = 0;
        while let Some(&head) = self.nodes.get(next) {
            next += 1;
            self.first_arc[head.index()] = self.arcs.len() as u32;
            for &channel in topology.in_channels(head) {
                let tail = topology.tail(channel);
                let shortest = distance[tail.index()].checked_add(1) == Some(distance[head.index()]);
                if shortest && (tail == source || crosses(task, tail)) {
                    self.arcs.push(Arc { tail, head, channel });
                    if !self.seen[tail.index()] {
                        self.seen[tail.index()] = true;
                        self.nodes.push(tail);
                    }
                }
            }
        }
        for node in &self.nodes {
            self.seen[node.index()] = false;
        }
        true
    }

    /// The arcs into a node other than the source.
    fn ending_at(&self, node: NodeId) -> &[Arc] {
        let arcs = &self.arcs[self.first_arc[node.index()] as usize..];
        arcs.split(|arc| arc.head != node).next().unwrap_or(arcs)
    }
}
