//! A pipeline of chunks down several trees and over idle channels.

use std::ops::Range;

use lockstep_model::port_limit;
use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::Rng;
use rand::seq::SliceRandom;

use super::packing::Arborescence;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::summary_bit_sets::SummaryBitSets;
use crate::kit::transfer_log::TransferLog;

/// Disjoint trees, and the chunks that each tree carries.
#[derive(Debug)]
pub(super) struct TreePlan {
    /// The trees that each channel belongs to, no more than its capacity.
    trees_over: Vec<Vec<u32>>,
    /// The chunks of each tree.
    chunks: Vec<Range<u32>>,
    /// The trees that lead to each node, with its depth in each.
    trees_to: Vec<Vec<(u32, u32)>>,
}

impl TreePlan {
    /// Distributes the chunks such that all trees finish at about the same time.
    pub(super) fn new(topology: &Topology, broadcast: &SingleSourceBroadcast, trees: &[Arborescence]) -> Self {
        let is_receiver = broadcast.receiver_flags(topology);
        let (mut trees_over, mut depths) = (vec![Vec::new(); topology.channel_bound()], Vec::new());
        let mut trees_to: Vec<Vec<(u32, u32)>> = vec![Vec::new(); topology.node_count()];
        for (number, tree) in (0..).zip(trees) {
            let mut is_needed = is_receiver.clone();
            let mut depth = 0;
            for &(channel, depth_of_head) in tree.iter().rev() {
                let [tail, head] = [topology.tail(channel), topology.head(channel)].map(NodeId::index);
                if is_needed[head] {
                    is_needed[tail] = true;
                    trees_over[channel.index()].push(number);
                    trees_to[head].push((number, depth_of_head));
                    depth = depth.max(depth_of_head);
                }
            }
            depths.push(depth);
        }
        Self { trees_over, chunks: shares(broadcast.chunks, &depths), trees_to }
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
    plan: &'a TreePlan,
    /// Number of chunks.
    chunks: usize,
    /// The chunks that each node needs and does not receive in this step or before: one bit per node and chunk.
    lacked: Vec<u64>,
    /// The chunks that the tail of each channel holds at the start of the step and its head lacks.
    useful: SummaryBitSets,
    /// Number of deliveries still to be made.
    left: u64,
    /// Number of uses of each resource in the step.
    uses: Vec<u32>,
    /// Number of transfers that each node sends in the step.
    sends: Vec<u32>,
    /// Number of transfers that each node receives in the step.
    receives: Vec<u32>,
    /// The maximum number of transfers that each node sends and receives per step.
    limits: Vec<[u32; 2]>,
    log: TransferLog,
}

impl<'a> ChunkPipeline<'a> {
    pub(super) fn new(
        topology: &'a Topology,
        ports: Ports,
        broadcast: &SingleSourceBroadcast,
        plan: &'a TreePlan,
    ) -> Self {
        let (nodes, chunks) = (topology.node_count(), broadcast.chunks as usize);
        let mut lacked = vec![0; (nodes * chunks).div_ceil(64)];
        let mut left = 0;
        for (node, trees_to) in plan.trees_to.iter().enumerate() {
            for chunk in trees_to.iter().flat_map(|&(tree, _)| plan.chunks[tree as usize].clone()) {
                let bit = node * chunks + chunk as usize;
                lacked[bit / 64] |= 1 << (bit % 64);
                left += 1;
            }
        }
        let limits = |node| {
            [topology.out_channels(node), topology.in_channels(node)]
                .map(|channels| port_limit(topology, ports, channels))
        };
        let useful = SummaryBitSets::new(topology.channel_bound(), broadcast.chunks);
        let mut pipeline = Self {
            topology,
            plan,
            chunks,
            lacked,
            useful,
            left,
            uses: vec![0; topology.resource_count()],
            sends: vec![0; nodes],
            receives: vec![0; nodes],
            limits: topology.nodes().map(limits).collect(),
            log: TransferLog::default(),
        };
        for chunk in 0..broadcast.chunks {
            pipeline.hold(broadcast.source, chunk);
        }
        pipeline
    }

    /// Builds a schedule of fewer than `below` steps. In each step, every channel carries the next available chunk of
    /// each of its trees. Channels with room then carry chunks of other trees, latest chunks first. Takes `O(M k)` time per step for
    /// `k` trees.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if the schedule needs more steps, and as [`AttemptContext::check`].
    pub(super) fn run(
        mut self,
        below: u32,
        context: &AttemptContext<'_>,
        rng: &mut impl Rng,
    ) -> Result<TransferLog, MethodError> {
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
            context.check(step)?;
            let first = self.log.len();
            for &channel in &channels {
                for &tree in &self.plan.trees_over[channel.index()] {
                    if self.is_free(channel)
                        && let Some(chunk) = self.useful.first_in(channel.index(), &self.plan.chunks[tree as usize])
                    {
                        self.send(channel, chunk, step)?;
                    }
                }
            }
            for &channel in &channels {
                while self.is_free(channel)
                    && let Some(chunk) = self.latest(channel)
                {
                    self.send(channel, chunk, step)?;
                }
            }
            self.arrive(first);
        }
        Err(MethodError::NoShorter)
    }

    /// Returns true if the resource of the channel and both ports have room in this step.
    fn is_free(&self, channel: ChannelId) -> bool {
        let topology = self.topology;
        let (tail, head) = (topology.tail(channel).index(), topology.head(channel).index());
        self.uses[topology.resource(channel).index()] < topology.capacity(channel)
            && self.sends[tail] < self.limits[tail][0]
            && self.receives[head] < self.limits[head][1]
    }

    /// Returns the useful chunk that would reach the head of the channel last on its own tree.
    fn latest(&self, channel: ChannelId) -> Option<u32> {
        let trees = self.plan.trees_to[self.topology.head(channel).index()].iter();
        let last = trees.filter_map(|&(tree, depth)| {
            let chunks = &self.plan.chunks[tree as usize];
            let chunk = self.useful.last_in(channel.index(), chunks)?;
            Some((chunk - chunks.start + depth, chunk))
        });
        last.max().map(|(_, chunk)| chunk)
    }

    fn lacks(&self, node: NodeId, chunk: u32) -> bool {
        let bit = node.index() * self.chunks + chunk as usize;
        self.lacked[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Sends a chunk over a channel.
    fn send(&mut self, channel: ChannelId, chunk: u32, step: u32) -> Result<(), MethodError> {
        let (tail, head) = (self.topology.tail(channel), self.topology.head(channel));
        self.uses[self.topology.resource(channel).index()] += 1;
        self.sends[tail.index()] += 1;
        self.receives[head.index()] += 1;
        let bit = head.index() * self.chunks + chunk as usize;
        self.lacked[bit / 64] &= !(1 << (bit % 64));
        for &channel in self.topology.in_channels(head) {
            self.useful.remove(channel.index(), chunk);
        }
        self.left -= 1;
        self.log.push(MessageId::new(chunk), step, &[channel])
    }

    /// Records that a node holds a chunk from the next step on.
    fn hold(&mut self, node: NodeId, chunk: u32) {
        for &channel in self.topology.out_channels(node) {
            if self.lacks(self.topology.head(channel), chunk) {
                self.useful.insert(channel.index(), chunk);
            }
        }
    }

    /// Ends the step: the transfers from number `first` on have arrived.
    fn arrive(&mut self, first: usize) {
        let log = std::mem::take(&mut self.log);
        for (_, message, path) in log.transfers(first) {
            self.hold(self.topology.head(path[0]), message.number());
        }
        self.log = log;
        self.uses.fill(0);
        self.sends.fill(0);
        self.receives.fill(0);
    }
}
