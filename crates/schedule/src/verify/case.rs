//! What the parts of the verifier read.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::budget::Budget;
use crate::messages::{MessageId, Messages, Receivers};
use crate::parallel::useful_threads;
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::schedule::{Schedule, Step, Transfer};
use crate::violation::{NamedChannel, NamedMessage, NamedNode, Place};

/// The largest number of threads that read the whole schedule: with more, most of their time is reading.
const MAX_READERS: usize = 8;

/// A problem and a schedule, with what all parts of the verifier derive from them.
pub(super) struct ScheduleCase<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) topology: &'a Topology,
    pub(super) messages: Messages<'a>,
    pub(super) schedule: &'a Schedule,
    /// Whether every message has one receiver.
    pub(super) is_scatter: bool,
    /// Whether every message goes to its receiver in one transfer.
    pub(super) is_direct: bool,
    /// The limit of the time.
    budget: Option<&'a Budget>,
    /// Whether some loop has ended early, so that the findings are not complete.
    is_stopped: AtomicBool,
}

/// Number of transfers between two checks of the time.
const CHECK_INTERVAL: usize = 1 << 12;

/// A transfer and its place.
#[derive(Clone, Copy)]
pub(super) struct PlacedTransfer<'a> {
    pub(super) step: usize,
    /// The place of the transfer in its step.
    pub(super) place: usize,
    pub(super) transfer: Transfer<'a>,
}

impl<'a> ScheduleCase<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, schedule: &'a Schedule, budget: Option<&'a Budget>) -> Self {
        let messages = problem.messages();
        let is_scatter = messages.is_scatter();
        Self {
            problem,
            topology: problem.topology(),
            messages,
            schedule,
            is_scatter,
            is_direct: is_scatter && problem.model().is_direct(),
            budget,
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Returns true if some loop has ended early. The findings then mean nothing.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Checks the time. Returns true if the loops shall end early.
    pub(super) fn stops(&self) -> bool {
        if !self.is_stopped() && self.budget.is_some_and(|budget| budget.interruption().is_some()) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.is_stopped()
    }

    /// Returns the steps of the schedule with their numbers. They end early if the time is over.
    pub(super) fn steps(&self) -> impl Iterator<Item = (usize, Step<'a>)> {
        self.steps_of(0..self.schedule.step_count())
    }

    /// Returns some steps of the schedule with their numbers. They end early if the time is over.
    pub(super) fn steps_of(&self, steps: Range<usize>) -> impl Iterator<Item = (usize, Step<'a>)> {
        let (schedule, mut transfers) = (self.schedule, CHECK_INTERVAL);
        steps.map_while(move |step| {
            if transfers >= CHECK_INTERVAL {
                transfers = 0;
                if self.stops() {
                    return None;
                }
            }
            let of_step = schedule.step(step);
            transfers += of_step.len() + 1;
            Some((step, of_step))
        })
    }

    /// Divides a range of messages among threads, each of which reads the whole schedule.
    pub(super) fn message_ranges(&self, messages: Range<u32>) -> Vec<Range<u32>> {
        let shares = self.shares(messages.start as usize..messages.end as usize, MAX_READERS);
        shares.into_iter().map(|share| share.start as u32..share.end as u32).collect()
    }

    /// Divides a range among threads, of which there are `most` at most.
    pub(super) fn shares(&self, range: Range<usize>, most: usize) -> Vec<Range<usize>> {
        let share = range.len().div_ceil(self.useful_threads().min(most)).max(1);
        let end = range.end;
        range.step_by(share).map(|start| start..start.saturating_add(share).min(end)).collect()
    }

    /// Returns the number of threads among which the transfers are worth dividing: 1 or more.
    pub(super) fn useful_threads(&self) -> usize {
        useful_threads(self.schedule.transfer_count())
    }

    /// Returns true if messages travel from receiver to source.
    #[inline]
    pub(super) fn gathers(&self) -> bool {
        self.problem.collective().pattern() == Pattern::Gather
    }

    /// Returns the place of a transfer, for a violation.
    #[cold]
    pub(super) fn place(&self, at: PlacedTransfer<'_>) -> Place {
        Place { step: at.step, transfer: at.place, message: self.message(at.transfer.message) }
    }

    pub(super) fn message(&self, message: MessageId) -> NamedMessage {
        NamedMessage::new(self.topology, &self.messages, self.problem.collective().pattern(), message)
    }

    pub(super) fn node(&self, node: NodeId) -> NamedNode {
        NamedNode::new(self.topology, node)
    }

    pub(super) fn channel(&self, channel: ChannelId) -> NamedChannel {
        NamedChannel::new(self.topology, channel)
    }

    /// Returns the origin and the destination of a message with one receiver. A gather runs from receiver to source.
    #[inline]
    pub(super) fn origin_and_destination(&self, message: MessageId) -> Option<(NodeId, NodeId)> {
        let Receivers::One(receiver) = self.messages.receivers(message) else { return None };
        let source = self.messages.source(message);
        Some(if self.gathers() { (receiver, source) } else { (source, receiver) })
    }

    /// Returns the sender and receiver of a transfer between terminals.
    #[inline]
    pub(super) fn ends(&self, transfer: Transfer<'_>) -> Option<(NodeId, NodeId)> {
        transfer.terminal_ends(self.topology)
    }
}
