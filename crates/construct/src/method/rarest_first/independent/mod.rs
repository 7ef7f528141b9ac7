//! Attempts whose terminals choose independently of each other: no transfer takes a channel or port from another terminal.
//!
//! | file | role |
//! |---|---|
//! | `message_blocks` | which terminal holds which message, and how rare each one is |
//! | `matcher` | the messages that one terminal receives in a step |

mod matcher;
mod message_blocks;
#[cfg(test)]
mod tests;

use lockstep_schedule::{MessageId, Ports};
use lockstep_topology::ChannelId;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use self::matcher::{MAX_CHANNELS, Matcher, NONE, Receiver, StepStart};
use self::message_blocks::{MessageBlocks, RarityClasses};
use super::attempt_steps::AttemptSteps;
use super::broadcast_context::BroadcastContext;
use super::deadline::Deadline;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

/// Number of terminals that one thread serves at a time.
const PART: usize = 64;

/// Units of work per channel and step.
const CHANNEL_WORK: u64 = 8;

/// The fewest messages: with fewer, every choice counts, and terminals choose one after the other.
const MIN_MESSAGES: usize = 512;

/// The most transfers for which memory is reserved at the start: 0.8 GB, of which the system provides what is used.
const MAX_RESERVED: u64 = 1 << 26;

/// Returns true if terminals can choose independently: every channel joins two terminals and shares nothing, ports are no
/// limit, every message goes to all, and messages are many.
pub(super) fn fits(shared: &BroadcastContext<'_>) -> bool {
    let (task, topology) = (shared.task(), shared.task().topology());
    task.messages().len() > MIN_MESSAGES
        && shared.is_to_all()
        && shared.fixed().is_none()
        && task.stores_and_forwards()
        && task.model().ports == Ports::All
        && topology.is_direct()
        && topology.resource_count() == topology.channel_count()
        && !topology.has_capacities()
        && (0..topology.terminal_count()).all(|terminal| shared.incoming(terminal).len() <= MAX_CHANNELS)
}

/// One attempt: in each step, every terminal receives a maximum matching of its channels and of rare messages that its
/// neighbours hold.
///
/// The classes of rare messages are those of the start of the step, so all terminals choose in parallel.
///
/// Invariant between steps: `log` has the transfers of the first `step` steps, and `held` has their messages.
pub(super) struct IndependentSteps<'a> {
    shared: &'a BroadcastContext<'a>,
    rng: &'a mut ChaCha8Rng,
    held: MessageBlocks,
    classes: RarityClasses,
    /// Number of terminals that hold each message.
    holders: Vec<u32>,
    /// Number of messages that each terminal lacks.
    need: Vec<u32>,
    /// Number of deliveries that are still to be made.
    left: u64,
    log: TransferLog,
    /// Number of steps made.
    step: u32,
    deadline: Deadline,
    /// Whether any number of steps will do.
    is_quick: bool,
    /// Scratch space: a random number per terminal.
    salts: Vec<u64>,
}

/// What some terminals receive in a step.
#[derive(Debug)]
struct Reception {
    messages: Vec<MessageId>,
    channels: Vec<ChannelId>,
    /// Number of messages of each of the terminals.
    counts: Vec<u32>,
}

impl Reception {
    fn with_capacity(transfers: usize) -> Self {
        Self {
            messages: Vec::with_capacity(transfers),
            channels: Vec::with_capacity(transfers),
            counts: Vec::with_capacity(PART),
        }
    }
}

impl<'a> IndependentSteps<'a> {
    pub(super) fn new(shared: &'a BroadcastContext<'a>, target: u32, rng: &'a mut ChaCha8Rng) -> Self {
        let (task, messages) = (shared.task(), shared.task().messages());
        let terminals = task.topology().terminal_count();
        let mut held = MessageBlocks::new(terminals, messages.len());
        let mut need = vec![messages.len() as u32; terminals];
        for message in messages.ids() {
            let source = task.rank(messages.source(message));
            held.insert(source, message.number());
            need[source] -= 1;
        }
        let left = messages.delivery_count();
        let mut steps = Self {
            shared,
            rng,
            held,
            classes: RarityClasses::new(terminals, messages.len()),
            holders: vec![1; messages.len()],
            need,
            left,
            log: TransferLog::with_hop_capacity(left.min(MAX_RESERVED) as usize),
            step: 0,
            deadline: Deadline::new(target, terminals),
            is_quick: false,
            salts: vec![0; terminals],
        };
        steps.deadline.postpone(steps.least_steps());
        steps
    }

    /// Makes the attempt quick: any number of steps will do.
    pub(super) fn quickly(self) -> Self {
        Self { is_quick: true, ..self }
    }

    /// Returns what a number of terminals receive in the current step.
    fn reception(&self, matcher: &mut Matcher, part: usize) -> Reception {
        let start = StepStart {
            held: &self.held,
            classes: &self.classes,
            first_block: self.step as usize % self.held.block_count(),
        };
        let terminals = part * PART..((part + 1) * PART).min(self.need.len());
        let mut reception =
            Reception::with_capacity(terminals.clone().map(|terminal| self.shared.incoming(terminal).len()).sum());
        for terminal in terminals {
            let (incoming, need) = (self.shared.incoming(terminal), self.need[terminal]);
            let before = reception.messages.len();
            if need > 0 {
                let receiver = Receiver { terminal, incoming, need, salt: self.salts[terminal] };
                let brought = incoming.iter().zip(matcher.matching(start, receiver));
                for (incoming, &message) in brought.filter(|&(_, &message)| message != NONE) {
                    reception.messages.push(MessageId::new(message));
                    reception.channels.push(incoming.channel);
                }
            }
            reception.counts.push((reception.messages.len() - before) as u32);
        }
        reception
    }

    /// Delivers what the terminals of one part receive.
    fn deliver(&mut self, part: usize, reception: &Reception) {
        let mut messages = reception.messages.iter();
        for (terminal, &count) in (part * PART..).zip(&reception.counts) {
            self.need[terminal] -= count;
            for message in messages.by_ref().take(count as usize) {
                self.held.insert(terminal, message.number());
                self.holders[message.index()] += 1;
            }
        }
        self.left -= reception.messages.len() as u64;
        self.log.push_hops(&reception.messages, self.step, &reception.channels);
    }

    fn undo_step(&mut self) {
        self.step -= 1;
        let first = self.log.start_of_step(self.step);
        for (_, message, path) in self.log.transfers(first) {
            let terminal = self.shared.task().receiver(path);
            self.held.remove(terminal, message.number());
            self.holders[message.index()] -= 1;
            self.need[terminal] += 1;
            self.left += 1;
        }
        self.log.truncate(first);
    }
}

impl AttemptSteps for IndependentSteps<'_> {
    fn is_done(&self) -> bool {
        self.left == 0
    }

    fn make_step(&mut self, context: &AttemptContext<'_>) -> Result<(), MethodError> {
        context.check(self.step + 1)?;
        context.count(CHANNEL_WORK * self.shared.task().topology().channel_count() as u64);
        self.classes.update(&self.holders);
        for salt in &mut self.salts {
            *salt = self.rng.next_u64();
        }
        let parts = 0..self.need.len().div_ceil(PART);
        let receptions: Vec<Reception> =
            parts.into_par_iter().map_init(Matcher::new, |matcher, part| self.reception(matcher, part)).collect();
        let before = self.left;
        receptions.iter().enumerate().for_each(|(part, reception)| self.deliver(part, reception));
        self.step += 1;
        if self.left < before { Ok(()) } else { Err(MethodError::NoShorter) }
    }

    fn step(&self) -> u32 {
        self.step
    }

    fn deadline(&mut self) -> &mut Deadline {
        &mut self.deadline
    }

    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn backtrack(&mut self) -> u32 {
        let steps = self.deadline.retry(self.step, |_| false);
        (0..steps).for_each(|_| self.undo_step());
        steps
    }

    fn least_steps(&self) -> u32 {
        let rates = (0..self.need.len()).map(|terminal| self.shared.reception_rate(terminal));
        let more = self.need.iter().zip(rates).map(|(need, rate)| need.div_ceil(rate)).max();
        self.step + more.unwrap_or(0)
    }

    /// Always fails. Terminals that choose one after the other do better if no reception may be lost.
    fn postpone_deadline(&mut self) -> Result<(), MethodError> {
        Err(MethodError::NoShorter)
    }

    fn into_log(self) -> TransferLog {
        self.log
    }
}
