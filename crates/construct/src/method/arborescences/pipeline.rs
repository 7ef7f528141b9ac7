//! A pipeline of chunks down several trees and over idle channels.

use std::ops::Range;

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::Rng;
use rand::seq::SliceRandom;

use super::packing::Arborescence;
use crate::kit::method_error::MethodError;
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::transfer_log::TransferLog;

/// Channel-disjoint trees, and the chunks that each tree carries.
#[derive(Debug)]
pub(super) struct TreePlan {
    /// The tree that each channel belongs to.
    tree_of: Vec<Option<u32>>,
    /// The chunks of each tree.
    chunks: Vec<Range<u32>>,
    /// The trees that lead to each node, with its depth in each.
    trees_to: Vec<Vec<(u32, u32)>>,
}

impl TreePlan {
    /// Distributes the chunks such that all trees finish at about the same time.
    pub(super) fn new(topology: &Topology, broadcast: &SingleSourceBroadcast, trees: &[Arborescence]) -> Self {
        let is_receiver = broadcast.receiver_flags(topology);
        let (mut tree_of, mut depths) = (vec![None; topology.channel_bound()], Vec::new());
        let mut trees_to: Vec<Vec<(u32, u32)>> = vec![Vec::new(); topology.node_count()];
        for (number, tree) in (0..).zip(trees) {
            let mut is_needed = is_receiver.clone();
            let mut depth = 0;
            for &(channel, depth_of_head) in tree.iter().rev() {
                let [tail, head] = [topology.tail(channel), topology.head(channel)].map(NodeId::index);
                if is_needed[head] {
                    is_needed[tail] = true;
                    tree_of[channel.index()] = Some(number);
                    trees_to[head].push((number, depth_of_head));
                    depth = depth.max(depth_of_head);
                }
            }
            depths.push(depth);
        }
        Self { tree_of, chunks: shares(broadcast.chunks, &depths), trees_to }
    }
}

/// Returns the chunks of each tree, such that the last tree finishes as early as possible.
fn shares(chunks: u32, depths: &[u32]) -> Vec<Range<u32>> {
    let carried = |time: u64| -> u64 { depths.iter().map(|&depth| time.saturating_sub(u64::from(depth))).sum() };
    let (mut low, mut high) = (0, u64::from(chunks) + u64::from(depths.iter().copied().max().unwrap_or(0)));
    while low < high {
        let middle = u64::midpoint(low, high);
        if carried(middle) >= u64::from(chunks) { high = middle } else { low = middle + 1 }
    }
    let share = |first: &mut u32, &depth: &u32| {
        let start = *first;
        *first = chunks.min(start.saturating_add(low.saturating_sub(u64::from(depth)) as u32));
        Some(start..*first)
    };
    depths.iter().scan(0, share).collect()
}

/// One attempt at a schedule.
///
/// Invariant: a chunk that a node neither holds nor lacks arrives in the current step.
pub(super) struct ChunkPipeline<'a> {
    topology: &'a Topology,
    ports: Ports,
    plan: &'a TreePlan,
    /// Number of words per row of chunks.
    words: usize,
    /// The chunks that each node holds at the start of the step.
    held: Vec<u64>,
    /// The chunks that each node needs and does not receive in this step.
    lacked: Vec<u64>,
    /// By node and tree: the words of `lacked` from the first to the last chunk of the tree that the node lacks.
    lacked_words: Vec<Range<u32>>,
    /// By node and tree: the words of `held` from the first to the last chunk of the tree that the node holds.
    held_words: Vec<Range<u32>>,
    /// Number of deliveries still to be made.
    left: u64,
    /// Whether each resource is used in the step.
    is_busy: Vec<bool>,
    /// Number of transfers that each node sends in the step.
    sends: Vec<usize>,
    /// Number of transfers that each node receives in the step.
    receives: Vec<usize>,
    log: TransferLog,
}

impl<'a> ChunkPipeline<'a> {
    pub(super) fn new(
        topology: &'a Topology,
        ports: Ports,
        broadcast: &SingleSourceBroadcast,
        plan: &'a TreePlan,
    ) -> Self {
        let (nodes, words) = (topology.node_count(), (broadcast.chunks as usize).div_ceil(64));
        let (mut held, mut lacked) = (vec![0; nodes * words], vec![0; nodes * words]);
        let trees = plan.chunks.len();
        let (mut lacked_words, mut held_words) = (vec![0..0; nodes * trees], vec![0..0; nodes * trees]);
        let mut left = 0;
        for chunk in 0..broadcast.chunks as usize {
            held[broadcast.source.index() * words + chunk / 64] |= 1 << (chunk % 64);
        }
        for (tree, chunks) in plan.chunks.iter().enumerate() {
            held_words[broadcast.source.index() * trees + tree] = words_of(chunks);
        }
        for (node, trees_to) in plan.trees_to.iter().enumerate() {
            for &(tree, _) in trees_to {
                lacked_words[node * trees + tree as usize] = words_of(&plan.chunks[tree as usize]);
            }
            for chunk in trees_to.iter().flat_map(|&(tree, _)| plan.chunks[tree as usize].clone()) {
                lacked[node * words + chunk as usize / 64] |= 1 << (chunk % 64);
                left += 1;
            }
        }
        Self {
            topology,
            ports,
            plan,
            words,
            held,
            lacked,
            lacked_words,
            held_words,
            left,
            is_busy: vec![false; topology.resource_count()],
            sends: vec![0; nodes],
            receives: vec![0; nodes],
            log: TransferLog::default(),
        }
    }

    /// Builds a schedule of fewer than `below` steps. In each step, every channel carries the next available chunk of
    /// its tree. Idle channels then carry chunks of other trees, latest chunks first. Takes `O(M c / 64)` time per step
    /// for `c` chunks at most, and much less if each node holds and lacks about the same chunks of a tree.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if the schedule needs more steps.
    pub(super) fn run(mut self, below: u32, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let mut channels: Vec<ChannelId> = self
            .topology
            .channels()
            .filter(|&channel| !self.plan.trees_to[self.topology.head(channel).index()].is_empty())
            .collect();
        channels.shuffle(rng);
        for step in 0.. {
            if self.left == 0 {
                return Ok(self.log);
            }
            if step + 1 >= below {
                break;
            }
            let first = self.log.len();
            for &channel in &channels {
                if self.is_free(channel)
                    && let Some(chunk) = self.next_of_tree(channel)
                {
                    self.send(channel, chunk, step)?;
                }
            }
            for &channel in &channels {
                if self.is_free(channel)
                    && let Some(chunk) = self.latest(channel)
                {
                    self.send(channel, chunk, step)?;
                }
            }
            self.arrive(first);
        }
        Err(MethodError::NoShorter)
    }

    /// Returns true if the resource of the channel and both ports are free in this step.
    fn is_free(&self, channel: ChannelId) -> bool {
        let Self { topology, ports, .. } = *self;
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        !self.is_busy[topology.resource(channel).index()]
            && self.sends[tail.index()] < ports.of_degree(topology.out_channels(tail).len())
            && self.receives[head.index()] < ports.of_degree(topology.in_channels(head).len())
    }

    /// Returns the first useful chunk of the channel's tree.
    fn next_of_tree(&self, channel: ChannelId) -> Option<u32> {
        let (start, word) = self.useful(channel, self.plan.tree_of[channel.index()]?).next()?;
        Some(start + word.trailing_zeros())
    }

    /// Returns the useful chunk that would reach the head of the channel last on its own tree.
    fn latest(&self, channel: ChannelId) -> Option<u32> {
        let trees = self.plan.trees_to[self.topology.head(channel).index()].iter();
        let last = trees.filter_map(|&(tree, depth)| {
            let (start, word) = self.useful(channel, tree).next_back()?;
            let chunk = start + word.ilog2();
            Some((chunk - self.plan.chunks[tree as usize].start + depth, chunk))
        });
        last.max().map(|(_, chunk)| chunk)
    }

    /// Returns the chunks of a tree that the tail of a channel holds and its head lacks, as non-zero words of 64 chunks
    /// with the number of their first chunk.
    fn useful(&self, channel: ChannelId, tree: u32) -> impl DoubleEndedIterator<Item = (u32, u64)> {
        let row = |node: NodeId| node.index() * self.words;
        let (held, lacked) = (row(self.topology.tail(channel)), row(self.topology.head(channel)));
        let Range { start, end } = self.plan.chunks[tree as usize];
        let held_words = &self.held_words[self.cell(self.topology.tail(channel), tree)];
        let lacked_words = &self.lacked_words[self.cell(self.topology.head(channel), tree)];
        let both = held_words.start.max(lacked_words.start)..held_words.end.min(lacked_words.end);
        let words = both.map(move |word| {
            let (first, past) = (64 * word, 64 * (word + 1));
            let both = self.held[held + word as usize] & self.lacked[lacked + word as usize];
            (first, both & u64::MAX << start.saturating_sub(first) & u64::MAX >> past.saturating_sub(end))
        });
        words.filter(|&(_, word)| word != 0)
    }

    /// Returns the place of a node and a tree in `lacked_words` and `held_words`.
    fn cell(&self, node: NodeId, tree: u32) -> usize {
        node.index() * self.plan.chunks.len() + tree as usize
    }

    /// Returns the tree that carries a chunk.
    fn tree_with(&self, chunk: u32) -> u32 {
        self.plan.chunks.partition_point(|chunks| chunks.end <= chunk) as u32
    }

    /// Sends a chunk over a channel.
    fn send(&mut self, channel: ChannelId, chunk: u32, step: u32) -> Result<(), MethodError> {
        let (tail, head) = (self.topology.tail(channel), self.topology.head(channel));
        self.is_busy[self.topology.resource(channel).index()] = true;
        self.sends[tail.index()] += 1;
        self.receives[head.index()] += 1;
        let row = head.index() * self.words;
        self.lacked[row + chunk as usize / 64] &= !(1 << (chunk % 64));
        let cell = self.cell(head, self.tree_with(chunk));
        let words = &mut self.lacked_words[cell];
        while words.start < words.end && self.lacked[row + words.start as usize] == 0 {
            words.start += 1;
        }
        while words.start < words.end && self.lacked[row + words.end as usize - 1] == 0 {
            words.end -= 1;
        }
        self.left -= 1;
        self.log.push(MessageId::new(chunk), step, &[channel])
    }

    /// Ends the step: the transfers from number `first` on have arrived.
    fn arrive(&mut self, first: usize) {
        for (_, message, path) in self.log.transfers(first) {
            let head = self.topology.head(path[0]);
            let (chunk, word) = (message.number(), message.number() / 64);
            self.held[head.index() * self.words + word as usize] |= 1 << (chunk % 64);
            let cell = self.cell(head, self.tree_with(chunk));
            let words = &mut self.held_words[cell];
            let is_first = words.start == words.end;
            *words = if is_first { word..word + 1 } else { words.start.min(word)..words.end.max(word + 1) };
        }
        self.is_busy.fill(false);
        self.sends.fill(0);
        self.receives.fill(0);
    }
}

/// Returns the words with the bits of these chunks.
fn words_of(chunks: &Range<u32>) -> Range<u32> {
    chunks.start / 64..chunks.end.div_ceil(64)
}
