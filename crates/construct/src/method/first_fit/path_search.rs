//! The earliest step in which a message can cross the network in one transfer.

use lockstep_model::{SlotId, StepSet, Timetable};
use lockstep_paths::{PathId, PathTable};
use lockstep_schedule::Routing;
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use super::partial_schedule::PartialSchedule;
use super::scatter_context::ScatterContext;
use crate::kit::distances::DistanceScratch;
use crate::kit::shortest_path_dag::ShortestPathDag;

/// Units of work of a pair of terminals, and of each channel on its paths.
const PAIR_WORK: u64 = 32;
const COLLECT_WORK: u64 = 4;

/// The search space for the paths between one pair of terminals.
pub(super) struct PathSearch<'a> {
    pub(super) shared: &'a ScatterContext<'a>,
    scratch: DistanceScratch,
    /// All shortest paths of the pair.
    pub(super) dag: ShortestPathDag,
    /// Marks of the nodes on the paths, in the order of `dag`; in a search for detours, of all nodes of the network.
    pub(super) marks: Vec<NodeMark>,
    /// The selected pair in a network with buses.
    bus_pair: Option<(NodeId, NodeId)>,
    /// The path of the last transfer found.
    path: Vec<ChannelId>,
    /// Detours are tried before this step; `None` if they are illegal or no longer help.
    detour_below: Option<u32>,
    /// Units of work, see [`AttemptContext::count`](crate::kit::request::AttemptContext::count).
    pub(super) work: u64,
}

/// The best partial path to a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeMark {
    /// The steps of the current block in which a path to the node is free.
    pub(super) steps: u128,
    /// The first step in which the message can leave the node.
    pub(super) ready: u32,
    /// Breaks ties between arcs that arrive together.
    pub(super) tie: u64,
    /// The arc by which the message arrives.
    pub(super) via: u32,
}

impl<'a> PathSearch<'a> {
    /// Tries detours in steps before `goal`, if they are legal.
    pub(super) fn new(shared: &'a ScatterContext<'a>, goal: u32) -> Self {
        let task = shared.task();
        let node_count = task.topology().node_count();
        let is_wormhole = !task.stores_and_forwards() && task.bus_paths().is_none();
        let detours = task.model().routing == Routing::Any && is_wormhole && goal < u32::MAX;
        Self {
            shared,
            scratch: DistanceScratch::default(),
            dag: ShortestPathDag::new(node_count),
            marks: vec![NodeMark::default(); node_count],
            bus_pair: None,
            path: Vec::new(),
            detour_below: detours.then_some(goal),
            work: 0,
        }
    }

    /// Returns the path of the last transfer found.
    pub(super) fn path(&self) -> &[ChannelId] {
        &self.path
    }

    /// Returns the distances from a terminal.
    pub(super) fn distances_from(&mut self, source: NodeId) -> &[u32] {
        self.shared.distances().from(source, &mut self.scratch)
    }

    /// Selects another pair of terminals; returns false if no transfer connects them.
    pub(super) fn select_pair(&mut self, source: NodeId, target: NodeId) -> bool {
        let Self { shared, scratch, dag, bus_pair, work, .. } = self;
        if let Some(paths) = shared.task().bus_paths() {
            *bus_pair = Some((source, target));
            return !paths.between(source, target).is_empty();
        }
        let is_connected = dag.collect(shared.task(), shared.distances(), (source, target), scratch);
        *work += PAIR_WORK + COLLECT_WORK * dag.arcs().len() as u64;
        is_connected
    }

    /// Returns the source and the target of the selected pair.
    fn ends(&self) -> (NodeId, NodeId) {
        let nodes = self.dag.nodes();
        self.bus_pair.unwrap_or_else(|| (nodes[self.dag.source()], nodes[ShortestPathDag::TARGET]))
    }

    fn ports(&self) -> impl Iterator<Item = SlotId> + Clone + use<> {
        let (source, target) = self.ends();
        self.shared.slots().ports([source, target].map(|terminal| self.shared.task().rank(terminal) as u32))
    }

    /// Returns the earliest step from `ready` on with a free path, and leaves the path in [`path`](Self::path). The
    /// selected pair has a path.
    pub(super) fn earliest_transfer(&mut self, partial: &PartialSchedule<'_>, ready: u32, rng: &mut impl Rng) -> u32 {
        if let Some(paths) = self.shared.task().bus_paths() {
            return self.earliest_over_buses(paths, partial, ready, rng);
        }
        let step = self.earliest_on_shortest_paths(partial, ready, rng);
        let Some(goal) = self.detour_below.filter(|&goal| goal <= step) else {
            return step;
        };
        if let Some(step) = (ready..goal).find(|&step| self.find_detour(partial.table(), step)) {
            return step;
        }
        self.detour_below = None;
        self.earliest_on_shortest_paths(partial, ready, rng)
    }

    /// Tries each path of the pair. Ties are broken at random.
    fn earliest_over_buses(
        &mut self,
        paths: &PathTable,
        partial: &PartialSchedule<'_>,
        ready: u32,
        rng: &mut impl Rng,
    ) -> u32 {
        let ((source, target), slots) = (self.ends(), self.shared.slots());
        self.work += PAIR_WORK + COLLECT_WORK * paths.between(source, target).len() as u64;
        let candidates = paths.between(source, target).map(|path| {
            let channels = paths.channels(PathId::new(path));
            (partial.table().first_free(slots.of_path(channels), ready), rng.random::<u32>(), channels)
        });
        let (step, _, channels) = candidates.min().expect("a selected pair has a path");
        self.path.clear();
        self.path.extend_from_slice(channels);
        step
    }

    fn earliest_on_shortest_paths(&mut self, partial: &PartialSchedule<'_>, ready: u32, rng: &mut impl Rng) -> u32 {
        let (table, ports) = (partial.table(), self.ports());
        let mut block = self.first_open_block(table).max(ready / u128::STEPS);
        loop {
            let open = table.common_free_steps(block, ports.clone(), ready);
            let steps = if open == 0 { 0 } else { self.free_steps(table, block, open) };
            if steps != 0 {
                let step = block * u128::STEPS + steps.trailing_zeros();
                self.trace(partial, step, rng);
                return step;
            }
            block += 1;
        }
    }

    /// Returns a block before which no path has a free step.
    fn first_open_block(&mut self, table: &Timetable<'_, u128>) -> u32 {
        let Self { dag, marks, work, .. } = self;
        *work += dag.arcs().len() as u64;
        for mark in &mut marks[..dag.source()] {
            mark.ready = u32::MAX;
        }
        marks[dag.source()].ready = 0;
        for arc in dag.arcs().iter().rev() {
            let through = marks[arc.tail as usize].ready.max(table.first_open_block(arc.resource));
            let head = &mut marks[arc.head as usize];
            head.ready = head.ready.min(through);
        }
        marks[ShortestPathDag::TARGET].ready
    }

    /// Returns those `open` steps of a block in which some path is free.
    fn free_steps(&mut self, table: &Timetable<'_, u128>, block: u32, open: u128) -> u128 {
        let Self { dag, marks, work, .. } = self;
        *work += dag.arcs().len() as u64;
        for mark in &mut marks[..dag.source()] {
            mark.steps = 0;
        }
        marks[dag.source()].steps = open;
        for arc in dag.arcs().iter().rev() {
            let through = marks[arc.tail as usize].steps & table.free_steps(block, arc.resource);
            marks[arc.head as usize].steps |= through;
        }
        marks[ShortestPathDag::TARGET].steps
    }

    /// Traces a path that is free in a step back from the target, over the least used resources.
    fn trace(&mut self, partial: &PartialSchedule<'_>, step: u32, rng: &mut impl Rng) {
        let Self { dag, marks, path, .. } = self;
        path.clear();
        let mut node = ShortestPathDag::TARGET;
        while node != dag.source() {
            let arc = dag
                .ending_at(node)
                .iter()
                .filter(|arc| {
                    let steps =
                        partial.table().free_steps(step / u128::STEPS, arc.resource) & marks[arc.tail as usize].steps;
                    steps & u128::of(step) != 0
                })
                .min_by_key(|arc| (partial.load(arc.resource), rng.random::<u32>()))
                .expect("the step is free along some path");
            path.push(arc.channel);
            node = arc.tail as usize;
        }
        path.reverse();
    }

    /// Finds a shortest one of the paths that are free in a step. Returns false if there is none.
    fn find_detour(&mut self, table: &Timetable<'_, u128>, step: u32) -> bool {
        let ((source, target), mut ports) = (self.ends(), self.ports());
        if !ports.all(|port| table.is_free(port, step)) {
            return false;
        }
        let Self { shared, marks, path, work, .. } = self;
        *work += marks.len() as u64;
        let topology = shared.task().topology();
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
            *work += topology.out_channels(node).len() as u64;
            for &channel in topology.out_channels(node) {
                let head = &mut marks[topology.head(channel).index()];
                if head.steps == 0 && table.is_free(shared.slots().resource(channel), step) {
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
        true
    }
}
