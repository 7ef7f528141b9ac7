//! The deliveries of a problem, numbered by message, then by receiver.

use std::ops::Range;

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use super::candidate_paths::rank;

/// The messages and receivers of all deliveries. Terminals are identified by their rank.
///
/// Memory: 8 bytes per delivery and 8 bytes per message; for broadcasts, 4 bytes per pair of message and terminal.
#[derive(Debug)]
pub(super) struct Deliveries {
    /// First delivery of each message; one entry more than messages.
    message_start: Box<[u32]>,
    message_of: Box<[u32]>,
    /// Rank of the source of each message.
    source: Box<[u32]>,
    /// Rank of the receiver of each delivery.
    receiver: Box<[u32]>,
    /// For broadcast messages, the delivery to each terminal: `message * terminals + rank`.
    delivery_to: Box<[u32]>,
    terminals: usize,
}

impl Deliveries {
    /// Returned by [`to`](Self::to) for the source of a message.
    pub(super) const AT_SOURCE: u32 = u32::MAX;
    /// Returned by [`to`](Self::to) for a terminal that never receives the message.
    pub(super) const NEVER: u32 = u32::MAX - 1;

    /// Numbers the deliveries, and calls `visit` with the source and the receiver of each.
    pub(super) fn new(problem: &Problem<'_>, mut visit: impl FnMut(NodeId, NodeId)) -> Self {
        let (topology, messages) = (problem.topology(), problem.messages());
        let (terminals, is_broadcast) = (topology.terminal_count(), !messages.is_scatter());
        let (mut message_start, mut message_of, mut receiver) = (vec![0], Vec::new(), Vec::new());
        let mut delivery_to = if is_broadcast { vec![Self::NEVER; messages.len() * terminals] } else { Vec::new() };
        for message in messages.ids() {
            let from = messages.source(message);
            let row = message.index() * terminals;
            if is_broadcast {
                delivery_to[row + rank(topology, from) as usize] = Self::AT_SOURCE;
            }
            for to in messages.receivers_iter(message) {
                let to_rank = rank(topology, to);
                if is_broadcast {
                    delivery_to[row + to_rank as usize] = receiver.len() as u32;
                }
                visit(from, to);
                message_of.push(message.number());
                receiver.push(to_rank);
            }
            message_start.push(receiver.len() as u32);
        }
        Self {
            message_start: message_start.into(),
            message_of: message_of.into(),
            source: messages.ids().map(|message| rank(topology, messages.source(message))).collect(),
            receiver: receiver.into(),
            delivery_to: delivery_to.into(),
            terminals,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.receiver.len()
    }

    pub(super) fn message_count(&self) -> usize {
        self.source.len()
    }

    #[inline]
    pub(super) fn of_message(&self, message: u32) -> Range<usize> {
        let message = message as usize;
        self.message_start[message] as usize..self.message_start[message + 1] as usize
    }

    #[inline]
    pub(super) fn message(&self, delivery: usize) -> u32 {
        self.message_of[delivery]
    }

    #[inline]
    pub(super) fn source(&self, message: u32) -> u32 {
        self.source[message as usize]
    }

    #[inline]
    pub(super) fn receiver(&self, delivery: usize) -> u32 {
        self.receiver[delivery]
    }

    /// Returns the delivery of a broadcast message to the terminal of a rank, [`AT_SOURCE`](Self::AT_SOURCE) or
    /// [`NEVER`](Self::NEVER).
    #[inline]
    pub(super) fn to(&self, message: u32, rank: u32) -> u32 {
        self.delivery_to[message as usize * self.terminals + rank as usize]
    }

    /// Returns the numbers that identify the messages and their receivers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        [&self.message_start, &self.source, &self.receiver].into_iter().flatten().copied()
    }
}
