//! The paths of transfers, and the free channels and ports of every step.

use lockstep_model::{Routes, Slots, Timetable};
use lockstep_schedule::{Routing, Switching};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use crate::kit::distances::fill_distances;
use crate::kit::task::SchedulingTask;

/// Maximum number of nodes: the table of distances takes 16 MiB.
const MAX_NODES: usize = 1 << 11;

/// Channels visited per evaluation.
const VISITS_PER_EVALUATION: u64 = 32;

/// The transfers so far and a search for more.
///
/// Memory: 4 bytes per pair of nodes, and that of a [`Timetable`].
pub(super) struct StepPaths<'a> {
    task: &'a SchedulingTask<'a>,
    slots: &'a Slots,
    /// The length of the shortest legal path from each node to each node.
    distance: Vec<u32>,
    table: Timetable<'a, u64>,
    steps: u32,
    /// The turn and the path of each transfer.
    turns: Vec<Turn>,
    routes: Routes,
    turn: Turn,
    /// The search in which each node was visited last.
    visited: Vec<u32>,
    search: u32,
    /// The next channel of the path from each visited node.
    next: Vec<ChannelId>,
    queue: Vec<NodeId>,
    path: Vec<ChannelId>,
    visits: u64,
}

/// What a group of transfers does.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) block: u32,
    pub(super) step: u32,
    /// Whether the result replaces what the receivers hold. Otherwise they add what they receive.
    pub(super) is_result: bool,
}

impl<'a> StepPaths<'a> {
    /// Returns an empty table; `None` if the network is too large.
    pub(super) fn new(task: &'a SchedulingTask<'a>, slots: &'a Slots) -> Option<Self> {
        let nodes = task.topology().node_count();
        if nodes > MAX_NODES {
            return None;
        }
        let (mut distance, mut queue) = (vec![0; nodes * nodes], Vec::new());
        for (source, row) in task.topology().nodes().zip(distance.chunks_exact_mut(nodes)) {
            fill_distances(task, [source], row, &mut queue);
        }
        Some(Self {
            task,
            slots,
            distance,
            table: Timetable::new(slots),
            steps: 0,
            turns: Vec::new(),
            routes: Routes::new(),
            turn: Turn { block: 0, step: 0, is_result: false },
            visited: vec![0; nodes],
            search: 0,
            next: vec![ChannelId::new(0); nodes],
            queue,
            path: Vec::new(),
            visits: 0,
        })
    }

    /// Returns the work so far, in evaluations.
    pub(super) fn evaluations(&self) -> u64 {
        self.visits / VISITS_PER_EVALUATION
    }

    /// Counts this number of visits more.
    pub(super) fn count(&mut self, visits: usize) {
        self.visits += visits as u64;
    }

    /// Removes all transfers, and begins again with this number of steps.
    pub(super) fn clear(&mut self, steps: u32) {
        self.steps = steps;
        self.table.clear();
        self.turns.clear();
        self.routes.truncate(0);
    }

    /// Begins the next group of transfers.
    pub(super) fn begin_turn(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// Returns the number of transfers.
    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }

    /// Returns the length of the shortest path between two terminals, given by rank.
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        let [from, to] = [from, to].map(|rank| self.task.topology().terminals()[rank as usize]);
        self.length(from, to)
    }

    fn length(&self, from: NodeId, to: NodeId) -> u32 {
        self.distance[from.index() * self.task.topology().node_count() + to.index()]
    }

    fn is_free(&self, slot: u32) -> bool {
        self.table.is_free(slot, self.turn.step)
    }

    /// Adds a transfer to a terminal in the current step, by a shortest free path from one of the senders. Terminals are
    /// given by rank. Returns false, without a transfer, if there is none. Takes `O(N + M)` time at most.
    pub(super) fn receive(&mut self, receiver: u32, is_sender: impl Fn(u32) -> bool, rng: &mut impl Rng) -> bool {
        let (task, topology) = (self.task, self.task.topology());
        let is_open = |port: Option<u32>| port.is_none_or(|port| self.is_free(port));
        if !is_open(self.slots.receive_port(receiver as usize)) {
            return false;
        }
        let is_minimal = task.model().routing == Routing::Minimal;
        let crosses_terminals = task.model().switching == Switching::Wormhole;
        let target = topology.terminals()[receiver as usize];
        self.search += 1;
        self.visited[target.index()] = self.search;
        self.queue.clear();
        self.queue.push(target);
        let (mut place, mut level_end, mut length) = (0, 1, 1);
        while let Some(&head) = self.queue.get(place) {
            if place == level_end {
                (level_end, length) = (self.queue.len(), length + 1);
            }
            place += 1;
            if head != target && (!task.crosses(head) || !crosses_terminals && topology.is_terminal(head)) {
                continue;
            }
            let channels = topology.in_channels(head);
            if channels.is_empty() {
                continue;
            }
            self.visits += channels.len() as u64;
            // From a random channel on.
            let (before, after) = channels.split_at(rng.random_range(0..channels.len()));
            for &channel in after.iter().chain(before) {
                let tail = topology.tail(channel);
                let is_seen = self.visited[tail.index()] == self.search;
                let is_shortest = !is_minimal || self.length(tail, target) == length;
                if is_seen || !is_shortest || !self.is_free(self.slots.resource(channel)) {
                    continue;
                }
                self.visited[tail.index()] = self.search;
                self.next[tail.index()] = channel;
                self.queue.push(tail);
                let is_found = topology.terminal_rank(tail).is_some_and(|rank| {
                    is_sender(rank as u32) && self.slots.send_port(rank).is_none_or(|port| self.is_free(port))
                });
                if is_found && self.add(tail, target) {
                    return true;
                }
            }
        }
        false
    }

    /// Adds the transfer along the path found. Returns false if it uses a resource twice.
    fn add(&mut self, mut node: NodeId, target: NodeId) -> bool {
        let topology = self.task.topology();
        self.path.clear();
        while node != target {
            let channel = self.next[node.index()];
            self.path.push(channel);
            node = topology.head(channel);
        }
        let resources = || self.path.iter().map(|&channel| topology.resource(channel));
        if topology.has_buses()
            && resources().enumerate().any(|(place, one)| resources().skip(place + 1).any(|two| one == two))
        {
            return false;
        }
        let route = self.routes.push(self.slots, &self.path);
        self.routes.slots(route).iter().for_each(|&slot| self.table.occupy(slot, self.turn.step));
        self.turns.push(self.turn);
        true
    }

    /// Removes all transfers from this place of the list on.
    pub(super) fn take_back(&mut self, start: usize) {
        for (route, turn) in (0..).zip(&self.turns).skip(start) {
            self.routes.slots(route).iter().for_each(|&slot| self.table.release(slot, turn.step));
        }
        self.turns.truncate(start);
        self.routes.truncate(start);
    }

    /// Returns the block and the path of every transfer, by step, without transfers whose receivers neither send on what they
    /// receive nor keep it.
    pub(super) fn steps(&self) -> Vec<Vec<(u32, &[ChannelId])>> {
        let terminals = self.task.topology().terminal_count();
        let turn = |route: u32| self.turns[route as usize];
        let mut by_step: Vec<Vec<u32>> = vec![Vec::new(); self.steps as usize];
        for route in 0..self.turns.len() as u32 {
            by_step[turn(route).step as usize].push(route);
        }
        // By block and terminal: whether what it holds after the step matters. At last, everything does.
        let mut matters: Vec<bool> = Vec::new();
        for routes in by_step.iter_mut().rev() {
            let ends = |route: u32| {
                let row = turn(route).block as usize * terminals;
                self.routes.ends(route).map(|rank| row + rank as usize)
            };
            let blocks = routes.iter().map(|&route| turn(route).block as usize + 1).max().unwrap_or(0);
            matters.resize(matters.len().max(blocks * terminals), true);
            routes.retain(|&route| matters[ends(route)[1]]);
            for &route in routes.iter().filter(|&&route| turn(route).is_result) {
                matters[ends(route)[1]] = false;
            }
            for &route in routes.iter() {
                matters[ends(route)[0]] = true;
            }
        }
        let transfer = |route: u32| (turn(route).block, self.routes.path(route));
        by_step.into_iter().map(|routes| routes.into_iter().map(transfer).collect()).collect()
    }
}
