//! All-gather: the broadcast of one source of each orbit, step by step, and all its translates.

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

/// The most pairs of a source and a node: 16 MiB of owners.
const MAX_PLACES: usize = 1 << 22;

/// Nobody.
const NONE: u32 = u32::MAX;

/// A schedule that a group keeps: in each step as many nodes as can be hear of a message, each by an orbit of channels
/// of its own.
///
/// **Source**: for all nodes in one orbit, Bertsekas and others, *Optimal communication algorithms for hypercubes*
/// (1991).
pub(super) fn gather(
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
    if messages.len() * topology.node_count() > MAX_PLACES {
        return Err(MethodError::Unsupported);
    }
    let mut spread = OrbitBroadcast::new(&quotient, &messages);
    let mut log = TransferLog::default();
    let mut missing = messages.len() * (topology.terminal_count() - 1);
    for step in 0.. {
        if missing == 0 {
            break;
        }
        context.check(step)?;
        let sent = spread.step(rng);
        if sent.is_empty() {
            return Err(MethodError::NoShorter);
        }
        missing -= sent.len();
        for (message, channel) in sent {
            let (source, chunk) = messages[message as usize];
            quotient.write(&mut log, step, &[channel], |image| {
                MessageId::new(task.rank(image(source)) as u32 * chunks + chunk)
            })?;
        }
    }
    Ok(log)
}

/// A message and a channel by which somebody may hear of it.
type ChannelOffer = (u32, ChannelId);

/// Who holds the messages.
struct OrbitBroadcast<'a> {
    quotient: &'a QuotientNetwork<'a>,
    /// Whether each node holds each message, a row a message.
    is_held: Vec<bool>,
    /// The channels of each slot that lead from holders to others, some of which may have heard by now.
    offers: Vec<Vec<ChannelOffer>>,
    /// The slot by which each node is to hear of each message in this step.
    owner: Vec<u32>,
    /// The offer that each slot takes in this step.
    taken: Vec<Option<ChannelOffer>>,
    /// The slot that last looked at each node and message.
    seen: Vec<u32>,
}

impl<'a> OrbitBroadcast<'a> {
    fn new(quotient: &'a QuotientNetwork<'a>, messages: &[(NodeId, u32)]) -> Self {
        let (slots, places) = (quotient.wire_count(), messages.len() * quotient.task.topology().node_count());
        let mut spread = Self {
            quotient,
            is_held: vec![false; places],
            offers: vec![Vec::new(); slots],
            owner: vec![NONE; places],
            taken: vec![None; slots],
            seen: vec![NONE; places],
        };
        for (message, &(source, _)) in (0..).zip(messages) {
            spread.learn(message, source);
        }
        spread
    }

    fn place(&self, message: u32, node: NodeId) -> usize {
        message as usize * self.quotient.task.topology().node_count() + node.index()
    }

    /// A node holds a message from now on, and may pass it on.
    fn learn(&mut self, message: u32, node: NodeId) {
        let topology = self.quotient.task.topology();
        let place = self.place(message, node);
        self.is_held[place] = true;
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            if topology.is_terminal(head) && !self.is_held[self.place(message, head)] {
                self.offers[self.quotient.wire(channel) as usize].push((message, channel));
            }
        }
    }

    /// The offers taken in one step: a maximum matching of slots with what nodes miss.
    fn step(&mut self, rng: &mut impl Rng) -> Vec<ChannelOffer> {
        let topology = self.quotient.task.topology();
        let mut slots: Vec<u32> = (0..self.offers.len() as u32).collect();
        slots.shuffle(rng);
        for &slot in &slots {
            let (nodes, is_held) = (topology.node_count(), &self.is_held);
            let offers = &mut self.offers[slot as usize];
            offers.retain(|&(message, channel)| !is_held[message as usize * nodes + topology.head(channel).index()]);
            offers.shuffle(rng);
        }
        for &slot in &slots {
            self.augment(slot);
        }
        let sent: Vec<ChannelOffer> = self.taken.iter_mut().filter_map(Option::take).collect();
        for &(message, channel) in &sent {
            let place = self.place(message, topology.head(channel));
            self.owner[place] = NONE;
            self.learn(message, topology.head(channel));
        }
        self.seen.fill(NONE);
        sent
    }

    /// Lets a slot take an offer, others going over to other ones if need be.
    fn augment(&mut self, first: u32) {
        let topology = self.quotient.task.topology();
        // The slot that looked at each slot's present place, and the offer it looked at.
        let mut queue = VecDeque::from([first]);
        let mut reached_by: Vec<(u32, u32, ChannelOffer)> = Vec::new();
        while let Some(slot) = queue.pop_front() {
            for &offer in &self.offers[slot as usize] {
                let place = self.place(offer.0, topology.head(offer.1));
                if std::mem::replace(&mut self.seen[place], first) == first {
                    continue;
                }
                let owner = self.owner[place];
                if owner != NONE {
                    reached_by.push((owner, slot, offer));
                    queue.push_back(owner);
                    continue;
                }
                let (mut slot, mut offer) = (slot, offer);
                loop {
                    let place = self.place(offer.0, topology.head(offer.1));
                    self.owner[place] = slot;
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
