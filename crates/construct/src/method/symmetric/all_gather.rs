//! One attempt at an all-gather: the broadcast of one source per orbit, step by step, and all its images.

use std::collections::VecDeque;

use lockstep_schedule::MessageId;
use lockstep_topology::{ChannelId, NodeId};
use rand::Rng;
use rand::seq::SliceRandom;

use super::free_action_group::FreeActionGroup;
use super::quotient::QuotientNetwork;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The maximum number of pairs of a message and a node: 16 MiB per table.
const MAX_CELLS: usize = 1 << 22;

/// Marks a cell without a slot.
const NONE: u32 = u32::MAX;

/// Returns a schedule that is invariant under a group. In each step, a maximum number of nodes receive a message, each
/// over its own orbit of channels. Takes `O(S P)` time per step for `S` slots and `P` pairs of a message and a channel.
///
/// # Source
///
/// For all nodes in one orbit: Bertsekas and others, *Optimal communication algorithms for hypercubes*
/// (1991).
pub(super) fn attempt(
    task: &SchedulingTask<'_>,
    group: &FreeActionGroup<'_>,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let topology = task.topology();
    let quotient = QuotientNetwork::new(task, group);
    let chunks = task.messages().chunks();
    let sources = quotient.terminals();
    let messages: Vec<(NodeId, u32)> =
        sources.iter().flat_map(|&source| (0..chunks).map(move |chunk| (source, chunk))).collect();
    if messages.len() * topology.node_count() > MAX_CELLS {
        return Err(MethodError::Unsupported);
    }
    let mut broadcast = OrbitBroadcast::new(&quotient, &messages);
    let mut log = TransferLog::default();
    let mut undelivered = messages.len() * (topology.terminal_count() - 1);
    for step in 0.. {
        if undelivered == 0 {
            break;
        }
        context.check(step)?;
        let sent = broadcast.step(rng);
        context.count(std::mem::take(&mut broadcast.work));
        if sent.is_empty() {
            return Err(MethodError::NoShorter);
        }
        undelivered -= sent.len();
        for (message, channel) in sent {
            let (source, chunk) = messages[message as usize];
            quotient.write(&mut log, step, &[channel], |image| {
                MessageId::new(task.rank(image(source)) as u32 * chunks + chunk)
            })?;
        }
    }
    Ok(log)
}

/// Units of work per offer.
const OFFER_WORK: u64 = 2;

/// A message and a channel over which a node can receive it.
type ChannelOffer = (u32, ChannelId);

/// The holders of each message, and the possible transfers per slot.
///
/// Invariant between steps: `owner`, `taken` and `visited_by` are empty.
struct OrbitBroadcast<'a> {
    quotient: &'a QuotientNetwork<'a>,
    /// Whether each node holds each message, as one row per message.
    is_held: Vec<bool>,
    /// The channels of each slot that lead from holders to other nodes. Some of these may hold the message by now.
    offers: Vec<Vec<ChannelOffer>>,
    /// The slot over which each node receives each message in this step.
    owner: Vec<u32>,
    /// The transfer of each slot in this step.
    taken: Vec<Option<ChannelOffer>>,
    /// The slot whose search last visited each node and message.
    visited_by: Vec<u32>,
    /// Units of work, see [`AttemptContext::count`].
    work: u64,
}

impl<'a> OrbitBroadcast<'a> {
    fn new(quotient: &'a QuotientNetwork<'a>, messages: &[(NodeId, u32)]) -> Self {
        let (slots, cells) = (quotient.resource_slot_count(), messages.len() * quotient.task.topology().node_count());
        let mut broadcast = Self {
            quotient,
            is_held: vec![false; cells],
            offers: vec![Vec::new(); slots],
            owner: vec![NONE; cells],
            taken: vec![None; slots],
            visited_by: vec![NONE; cells],
            work: 0,
        };
        for (message, &(source, _)) in (0..).zip(messages) {
            broadcast.receive(message, source);
        }
        broadcast
    }

    /// Returns the index of a message and node.
    fn cell(&self, message: u32, node: NodeId) -> usize {
        message as usize * self.quotient.task.topology().node_count() + node.index()
    }

    /// Records that a node holds a message and can send it.
    fn receive(&mut self, message: u32, node: NodeId) {
        let topology = self.quotient.task.topology();
        let cell = self.cell(message, node);
        self.is_held[cell] = true;
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if topology.is_terminal(head) && !self.is_held[self.cell(message, head)] {
                self.offers[self.quotient.resource_slot(channel) as usize].push((message, channel));
            }
        }
    }

    /// Returns the transfers of one step: a maximum matching of slots with lacking nodes and messages.
    fn step(&mut self, rng: &mut impl Rng) -> Vec<ChannelOffer> {
        let topology = self.quotient.task.topology();
        let mut slots: Vec<u32> = (0..self.offers.len() as u32).collect();
        slots.shuffle(rng);
        for &slot in &slots {
            let (nodes, is_held) = (topology.node_count(), &self.is_held);
            let offers = &mut self.offers[slot as usize];
            self.work += OFFER_WORK * offers.len() as u64;
            offers.retain(|&(message, channel)| !is_held[message as usize * nodes + topology.head(channel).index()]);
            offers.shuffle(rng);
        }
        for &slot in &slots {
            self.augment(slot);
        }
        let sent: Vec<ChannelOffer> = self.taken.iter_mut().filter_map(Option::take).collect();
        for &(message, channel) in &sent {
            let cell = self.cell(message, topology.head(channel));
            self.owner[cell] = NONE;
            self.receive(message, topology.head(channel));
        }
        self.visited_by.fill(NONE);
        sent
    }

    /// Finds a transfer for one more slot by an augmenting path, if there is one.
    fn augment(&mut self, first: u32) {
        let topology = self.quotient.task.topology();
        // For each visited slot: the slot that reached its current transfer, and over which offer.
        let mut queue = VecDeque::from([first]);
        let mut reached_by: Vec<(u32, u32, ChannelOffer)> = Vec::new();
        while let Some(slot) = queue.pop_front() {
            self.work += OFFER_WORK * self.offers[slot as usize].len() as u64;
            for &offer in &self.offers[slot as usize] {
                let cell = self.cell(offer.0, topology.head(offer.1));
                if std::mem::replace(&mut self.visited_by[cell], first) == first {
                    continue;
                }
                let owner = self.owner[cell];
                if owner != NONE {
                    reached_by.push((owner, slot, offer));
                    queue.push_back(owner);
                    continue;
                }
                let (mut slot, mut offer) = (slot, offer);
                loop {
                    let cell = self.cell(offer.0, topology.head(offer.1));
                    self.owner[cell] = slot;
                    self.taken[slot as usize] = Some(offer);
                    let Some(&(_, before, theirs)) = reached_by.iter().find(|(owner, ..)| *owner == slot) else {
                        return;
                    };
                    (slot, offer) = (before, theirs);
                }
            }
        }
    }
}
