//! The paths of transfers, and the free channels and ports of every step.

use std::ops::Range;

use lockstep_model::Slots;
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
/// Memory: 4 bytes per pair of nodes, and per step and slot.
pub(super) struct StepPaths<'a> {
    task: &'a SchedulingTask<'a>,
    slots: &'a Slots,
    /// The length of the shortest legal path from each node to each node.
    distance: Vec<u32>,
    /// The uses of each slot, by step.
    uses: Vec<u32>,
    steps: usize,
    transfers: Vec<StepTransfer>,
    /// The channels of all transfers.
    channels: Vec<ChannelId>,
    turn: Turn,
    /// The search in which each node was visited last.
    visited: Vec<u32>,
    search: u32,
    /// The next channel of the path from each visited node.
    next: Vec<ChannelId>,
    queue: Vec<NodeId>,
    visits: u64,
}

/// What a group of transfers does.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) block: u32,
    pub(super) step: usize,
    /// Whether the result replaces what the receivers hold. Otherwise they add what they receive.
    pub(super) is_result: bool,
}

/// A transfer with the place of its channels.
struct StepTransfer {
    turn: Turn,
    channels: Range<usize>,
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
            uses: Vec::new(),
            steps: 0,
            transfers: Vec::new(),
            channels: Vec::new(),
            turn: Turn { block: 0, step: 0, is_result: false },
            visited: vec![0; nodes],
            search: 0,
            next: vec![ChannelId::new(0); nodes],
            queue,
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
    pub(super) fn clear(&mut self, steps: usize) {
        self.steps = steps;
        self.uses.clear();
        self.uses.resize(steps * self.slots.len(), 0);
        self.transfers.clear();
        self.channels.clear();
    }

    /// Begins the next group of transfers.
    pub(super) fn begin_turn(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// Returns the number of transfers.
    pub(super) fn len(&self) -> usize {
        self.transfers.len()
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
        self.uses[self.turn.step * self.slots.len() + slot as usize] < self.slots.capacity(slot)
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
        let (topology, start) = (self.task.topology(), self.channels.len());
        while node != target {
            let channel = self.next[node.index()];
            self.channels.push(channel);
            node = topology.head(channel);
        }
        let resources = || self.channels[start..].iter().map(|&channel| topology.resource(channel));
        if topology.has_buses()
            && resources().enumerate().any(|(place, one)| resources().skip(place + 1).any(|two| one == two))
        {
            self.channels.truncate(start);
            return false;
        }
        self.transfers.push(StepTransfer { turn: self.turn, channels: start..self.channels.len() });
        self.use_slots(self.transfers.len() - 1, 1);
        true
    }

    /// Removes all transfers from this place of the list on.
    pub(super) fn take_back(&mut self, start: usize) {
        for place in start..self.transfers.len() {
            self.use_slots(place, -1);
        }
        if let Some(first) = self.transfers.get(start) {
            self.channels.truncate(first.channels.start);
        }
        self.transfers.truncate(start);
    }

    /// Adds to the uses of all resources and ports of a transfer.
    fn use_slots(&mut self, place: usize, more: i32) {
        let transfer = &self.transfers[place];
        let row = &mut self.uses[transfer.turn.step * self.slots.len()..][..self.slots.len()];
        let path = &self.channels[transfer.channels.clone()];
        for slot in self.slots.of_path(path) {
            row[slot as usize] = row[slot as usize].wrapping_add_signed(more);
        }
    }

    /// Returns the block and the path of every transfer, by step, without transfers whose receivers neither send on what they
    /// receive nor keep it.
    pub(super) fn steps(&self) -> Vec<Vec<(u32, &[ChannelId])>> {
        let terminals = self.task.topology().terminal_count();
        let mut by_step: Vec<Vec<&StepTransfer>> = vec![Vec::new(); self.steps];
        for transfer in &self.transfers {
            by_step[transfer.turn.step].push(transfer);
        }
        // By block and terminal: whether what it holds after the step matters. At last, everything does.
        let mut matters: Vec<bool> = Vec::new();
        for transfers in by_step.iter_mut().rev() {
            let ends = |transfer: &StepTransfer| {
                let path = &self.channels[transfer.channels.clone()];
                let row = transfer.turn.block as usize * terminals;
                [row + self.task.sender(path), row + self.task.receiver(path)]
            };
            let blocks = transfers.iter().map(|transfer| transfer.turn.block as usize + 1).max().unwrap_or(0);
            matters.resize(matters.len().max(blocks * terminals), true);
            transfers.retain(|transfer| matters[ends(transfer)[1]]);
            for transfer in transfers.iter().filter(|transfer| transfer.turn.is_result) {
                matters[ends(transfer)[1]] = false;
            }
            for transfer in transfers.iter() {
                matters[ends(transfer)[0]] = true;
            }
        }
        let path = |transfer: &StepTransfer| (transfer.turn.block, &self.channels[transfer.channels.clone()]);
        by_step.into_iter().map(|transfers| transfers.into_iter().map(path).collect()).collect()
    }
}
