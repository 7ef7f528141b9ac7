//! Messages of one receiver: one after the other takes the earliest steps that are still free.

mod best_effort;
mod fixed_part;
mod hops;

use lockstep_schedule::{MessageId, Ports, Routing, Schedule, Transfer};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use self::fixed_part::{FixedPart, RelayStop};
use crate::kit::capacities::{Capacities, PortPair, resource_slot};
use crate::kit::distances::{DistanceScratch, SourceDistances, UNREACHED};
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::relay_tree::RelayTree;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::reservation_table::{BLOCK_STEPS, ReservationTable, StepMask};
use crate::kit::shortest_path_dag::ShortestPathDag;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Paths tried in a step before it is given up because they cross a resource twice.
const TRIES: u32 = 8;

/// Messages placed between two looks at the budget.
const STRIDE: usize = 256;

/// Messages are placed one after the other, those with the longest way first: each takes the earliest steps that those
/// before it have left free along any of its shortest paths. Where [any path](Routing::Any) is allowed, detours are taken
/// when no shortest path is left. Ties are broken at random. What is kept stays where it is, and messages go on from where
/// it has brought them; where it may be moved, some random part of it is given up first.
///
/// An attempt takes time in proportion to the channels on all shortest paths of each message, times the 128-step blocks in
/// which these are crowded. Memory: the transfers, a bit for each resource and step, and distances from all sources, up to
/// 1 GiB. When the budget is over and there is no schedule yet, each
/// message that is left takes one shortest path only.
///
/// **Source**: first-fit colouring of paths, the longest first, on all shortest paths and 128 colours at once (list
/// scheduling: Graham, *Bounds on multiprocessing timing anomalies*, 1969).
pub(crate) const FIRST_FIT: Method = Method {
    name: "first-fit",
    about: "scatter of any kind: each message in the earliest steps that are free, the longest way first",
    find,
    evaluations_per_delivery: 1,
    is_random: true,
};

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    if !request.problem.messages().is_scatter() {
        return Err(MethodError::Unsupported);
    }
    let task = SchedulingTask::new(request.problem)?;
    let scatter = FirstFit::new(&task);
    request.best_attempt(|rng, context| scatter.build(request.fixed, rng, context)).map(|log| log.schedule())
}

/// What all schedules of a scatter share.
#[derive(Debug)]
pub(crate) struct FirstFit<'a> {
    task: &'a SchedulingTask<'a>,
    capacities: Capacities,
    distances: SourceDistances<'a>,
    /// Whether a message may also be passed on from neighbour to neighbour where that is no later.
    mixes: bool,
}

impl<'a> FirstFit<'a> {
    pub(crate) fn new(task: &'a SchedulingTask<'a>) -> Self {
        let (topology, model) = (task.topology(), task.model());
        // What is passed on takes ports at every terminal, which pays only where they are no limit.
        let mixes = !model.is_direct()
            && model.ports == Ports::All
            && topology.nodes().all(|node| topology.is_terminal(node) && topology.routes(node));
        Self { task, capacities: Capacities::new(task), distances: SourceDistances::new(task), mixes }
    }

    /// One schedule: messages that are far from their receivers first, ties at random.
    pub(crate) fn build(
        &self,
        kept: Option<FixedTransfers<'_>>,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<TransferLog, MethodError> {
        let start = FixedPart::new(self.task, kept, context.goal(), rng);
        let order = self.order(&start, rng, context)?;
        let mut placer = FirstFitPlacer::new(self, &start, context.goal(), rng);
        placer.keep()?;
        for messages in order.chunks(STRIDE) {
            context.check(placer.log.step_count())?;
            let place = if context.is_best_effort() { FirstFitPlacer::place_quickly } else { FirstFitPlacer::place };
            messages.iter().try_for_each(|&message| place(&mut placer, MessageId::new(message)))?;
        }
        Ok(placer.log)
    }

    fn order(
        &self,
        start: &FixedPart<'_>,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<Vec<u32>, MethodError> {
        let mut row = DistanceScratch::default();
        let mut channel_uses = 0;
        let salt: u32 = rng.random();
        let mut ranked = Vec::with_capacity(self.task.messages().len());
        for message in self.task.messages().ids().filter(|&message| !start.has_arrived(message)) {
            if message.index() % STRIDE == 0 {
                context.check(0)?;
            }
            let (source, receiver) = self.ends(message);
            let distance = self.distances.from(source, &mut row)[receiver.index()];
            // What is reached only by being passed on counts as farthest, and the ways from its source serve all from there.
            let tie = if distance == UNREACHED { source.number() ^ salt } else { rng.random() };
            ranked.push((!distance, tie, message.number()));
            channel_uses += if distance == UNREACHED { 1 } else { u64::from(distance) };
            if channel_uses > u64::from(u32::MAX) {
                return Err(MethodError::TooLarge);
            }
        }
        ranked.sort_unstable();
        Ok(ranked.into_iter().map(|(_, _, message)| message).collect())
    }

    fn ends(&self, message: MessageId) -> (NodeId, NodeId) {
        let messages = self.task.messages();
        let receiver = messages.receivers_iter(message).next().expect("a message has a receiver");
        (messages.source(message), receiver)
    }
}

/// One schedule in the making.
struct FirstFitPlacer<'a, R> {
    scatter: &'a FirstFit<'a>,
    start: &'a FixedPart<'a>,
    slots: ReservationTable<'a>,
    log: TransferLog,
    rng: &'a mut R,
    row: DistanceScratch,
    shortest: ShortestPathDag,
    /// What is known of each node on the way of the message at hand, in the order of `shortest`.
    marks: Vec<NodeMark>,
    /// The path of the transfer at hand.
    path: Vec<ChannelId>,
    /// The source of the last message that had to be relayed, and the ways from there.
    relays: Option<(NodeId, RelayTree<'a>)>,
    /// The steps that detours may save a message from passing, as long as they can.
    detour_below: Option<u32>,
}

/// The way of a message to one node.
#[derive(Clone, Copy, Debug, Default)]
struct NodeMark {
    /// Steps of the block at hand in which a path to the node is free.
    steps: StepMask,
    /// The first step in which the message can be sent on from there.
    ready: u32,
    /// Breaks ties between arcs that arrive together.
    tie: u64,
    /// The arc by which it arrives.
    via: u32,
}

impl<'a, R: Rng> FirstFitPlacer<'a, R> {
    fn new(scatter: &'a FirstFit<'a>, start: &'a FixedPart<'a>, aim: u32, rng: &'a mut R) -> Self {
        let task = scatter.task;
        let node_count = task.topology().node_count();
        let detours = task.model().routing == Routing::Any && !task.stores_and_forwards() && aim < u32::MAX;
        Self {
            scatter,
            start,
            slots: ReservationTable::new(&scatter.capacities),
            log: TransferLog::default(),
            rng,
            row: DistanceScratch::default(),
            shortest: ShortestPathDag::new(node_count),
            marks: vec![NodeMark::default(); node_count],
            path: Vec::new(),
            relays: None,
            detour_below: detours.then_some(aim),
        }
    }

    /// Makes the transfers that are there at the start.
    fn keep(&mut self) -> Result<(), MethodError> {
        let FirstFit { task, capacities, .. } = self.scatter;
        for (step, Transfer { message, path }) in self.start.transfers() {
            let ports = PortPair::of(task, capacities, path);
            let wires = path.iter().map(|&channel| resource_slot(task, channel));
            wires.chain(ports.iter()).for_each(|slot| self.slots.reserve(step, slot));
            self.log.push(message, step, path)?;
        }
        Ok(())
    }

    /// Sends a message on its way, from the terminal that holds it from which it arrives first; of equals the last one.
    fn place(&mut self, message: MessageId) -> Result<(), MethodError> {
        let (start, (source, target)) = (self.start, self.scatter.ends(message));
        let mut best = RelayStop { terminal: source, ready: 0 };
        if start.stops(message).len() > 0 {
            let mut least = None;
            for stop in start.stops(message).rev().chain([best]) {
                let arrival = self.arrival(stop, target);
                if least.is_none_or(|least| arrival < least) {
                    (least, best) = (Some(arrival), stop);
                }
            }
        }
        self.place_from(message, best, target)
    }

    /// The step after the one in which a message arrives that goes all the way without a rest; `u32::MAX` if it cannot.
    fn arrival(&mut self, from: RelayStop, target: NodeId) -> u32 {
        let FirstFit { task, mixes, .. } = *self.scatter;
        if !self.restrict_to(from.terminal, target) {
            return u32::MAX;
        }
        if task.stores_and_forwards() {
            return self.find_hops(from.ready);
        }
        let arrival = self.find_leg(from.ready).map_or(u32::MAX, |step| step + 1);
        if mixes { arrival.min(self.find_hops(from.ready)) } else { arrival }
    }

    fn place_from(&mut self, message: MessageId, from: RelayStop, target: NodeId) -> Result<(), MethodError> {
        let FirstFit { task, mixes, .. } = *self.scatter;
        let RelayStop { terminal: mut holder, mut ready } = from;
        if self.restrict_to(holder, target) {
            if task.stores_and_forwards() {
                self.find_hops(ready);
                return self.take_hops(message);
            }
            let step = self.find_leg(ready)?;
            return if mixes && self.find_hops(ready) <= step + 1 {
                self.take_hops(message)
            } else {
                self.take_leg(message, step)
            };
        }
        for next in self.stops(holder, target) {
            self.restrict_to(holder, next);
            let step = self.find_leg(ready)?;
            self.take_leg(message, step)?;
            (holder, ready) = (next, step + 1);
        }
        Ok(())
    }

    /// Where a message rests that cannot go all the way at once, and its end.
    fn stops(&mut self, source: NodeId, target: NodeId) -> Vec<NodeId> {
        let relays = self.relays.take().filter(|(root, _)| *root == source);
        let (_, tree) =
            self.relays.insert(relays.unwrap_or_else(|| (source, RelayTree::new(self.scatter.task, source))));
        tree.route(target)
    }

    fn restrict_to(&mut self, source: NodeId, target: NodeId) -> bool {
        let FirstFit { task, distances, .. } = self.scatter;
        self.shortest.collect(task, distances, (source, target), &mut self.row)
    }

    /// Source and target of the paths at hand.
    fn ends(&self) -> (NodeId, NodeId) {
        let nodes = self.shortest.nodes();
        (nodes[self.shortest.source()], nodes[ShortestPathDag::TARGET])
    }

    fn ports(&self) -> PortPair {
        let (source, target) = self.ends();
        PortPair::new(self.scatter.task, &self.scatter.capacities, source, target)
    }

    /// The earliest step from `ready` on in which one transfer can go all the way; its path is left in `path`.
    fn find_leg(&mut self, ready: u32) -> Result<u32, MethodError> {
        let step = self.find_shortest(ready)?;
        let Some(aim) = self.detour_below.filter(|&aim| aim <= step) else {
            return Ok(step);
        };
        if let Some(step) = (ready..aim).find(|&step| self.detour(step)) {
            return Ok(step);
        }
        self.detour_below = None;
        self.find_shortest(ready)
    }

    /// As [`find_leg`](Self::find_leg), along a shortest path.
    fn find_shortest(&mut self, ready: u32) -> Result<u32, MethodError> {
        let ports = self.ports();
        let mut block = self.first_block().max(ready / BLOCK_STEPS);
        loop {
            let open = ReservationTable::steps_from(block, ready) & self.slots.free_port_steps(block, ports);
            let mut steps = if open == 0 { 0 } else { self.free_steps(block, open) };
            while steps != 0 {
                let step = block * BLOCK_STEPS + steps.trailing_zeros();
                steps &= steps - 1;
                if (0..TRIES).any(|_| self.trace(step)) {
                    return Ok(step);
                }
            }
            // In a block where nothing is taken only a resource crossed twice stands in the way.
            if block >= self.slots.block_count() {
                return Err(MethodError::NoLegalPath);
            }
            block += 1;
        }
    }

    /// A block before which no step is free along any one path.
    fn first_block(&mut self) -> u32 {
        let Self { slots, shortest, marks, .. } = self;
        for mark in &mut marks[..shortest.source()] {
            mark.ready = u32::MAX;
        }
        marks[shortest.source()].ready = 0;
        for arc in shortest.arcs().iter().rev() {
            let through = marks[arc.tail as usize].ready.max(slots.first_open_block(arc.wire));
            let head = &mut marks[arc.head as usize];
            head.ready = head.ready.min(through);
        }
        marks[ShortestPathDag::TARGET].ready
    }

    /// The steps of a block, among the open ones, in which some path is free.
    fn free_steps(&mut self, block: u32, open: StepMask) -> StepMask {
        let Self { slots, shortest, marks, .. } = self;
        for mark in &mut marks[..shortest.source()] {
            mark.steps = 0;
        }
        marks[shortest.source()].steps = open;
        for arc in shortest.arcs().iter().rev() {
            let through = marks[arc.tail as usize].steps & slots.free_steps(block, arc.wire);
            marks[arc.head as usize].steps |= through;
        }
        marks[ShortestPathDag::TARGET].steps
    }

    /// Walks back over channels that are free in a step, the least used ones first; `false` if a resource is crossed
    /// twice.
    fn trace(&mut self, step: u32) -> bool {
        let Self { scatter, slots, shortest, marks, path, rng, .. } = self;
        path.clear();
        let mut place = ShortestPathDag::TARGET;
        while place != shortest.source() {
            let arc = shortest
                .ending_at(place)
                .iter()
                .filter(|arc| {
                    let steps = slots.free_steps(step / BLOCK_STEPS, arc.wire) & marks[arc.tail as usize].steps;
                    steps >> (step % BLOCK_STEPS) & 1 == 1
                })
                .min_by_key(|arc| (slots.load(arc.wire), rng.random::<u32>()))
                .expect("the step is free along some path");
            path.push(arc.channel);
            place = arc.tail as usize;
        }
        path.reverse();
        !scatter.task.repeats_a_resource(path)
    }

    /// Leaves a shortest one of the paths that are free in a step in `path`; `false` if there is none.
    fn detour(&mut self, step: u32) -> bool {
        let ((source, target), ports) = (self.ends(), self.ports());
        let (block, bit) = (step / BLOCK_STEPS, step % BLOCK_STEPS);
        if self.slots.free_port_steps(block, ports) >> bit & 1 == 0 {
            return false;
        }
        let Self { scatter, slots, marks, path, .. } = self;
        let topology = scatter.task.topology();
        // Here the marks are those of all nodes of the network, in their order.
        let mut queue = vec![source];
        for mark in &mut *marks {
            mark.steps = 0;
        }
        marks[source.index()].steps = 1;
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            if node == target {
                break;
            }
            if node != source && !topology.routes(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = &mut marks[topology.head(channel).index()];
                if head.steps == 0 && slots.free_steps(block, resource_slot(scatter.task, channel)) >> bit & 1 == 1 {
                    *head = NodeMark { steps: 1, via: channel.number(), ..*head };
                    queue.push(topology.head(channel));
                }
            }
        }
        if marks[target.index()].steps == 0 {
            return false;
        }
        path.clear();
        let mut node = target;
        while node != source {
            let channel = ChannelId::new(marks[node.index()].via);
            path.push(channel);
            node = topology.tail(channel);
        }
        path.reverse();
        !scatter.task.repeats_a_resource(path)
    }

    /// Makes a transfer along `path`.
    fn take_leg(&mut self, message: MessageId, step: u32) -> Result<(), MethodError> {
        for slot in self.ports().iter() {
            self.slots.reserve(step, slot);
        }
        for &channel in &self.path {
            self.slots.reserve(step, resource_slot(self.scatter.task, channel));
        }
        self.log.push(message, step, &self.path)
    }
}
