//! Which terminal holds which message: senders at the start of a step, receivers after the last one.

use std::ops::Range;

use lockstep_topology::NodeId;

use super::case::{PlacedTransfer, ScheduleCase};
use super::findings::Findings;
use super::phase_steps::{BLOCK_BITS, PhaseSteps};
use crate::bit_set::BitSet;
use crate::messages::{MessageId, Receivers};
use crate::pattern::Phase;
use crate::violation::Violation;

/// Adds the violations of rules 2 and 5, and returns the number of redundant deliveries.
pub(super) fn verify(case: &ScheduleCase<'_>, findings: &mut Findings) -> u64 {
    verify_in_blocks(case, findings, BLOCK_BITS)
}

/// Verifies the messages in blocks of at most `block_bits`, one pass over the schedule each, up to the limit of findings.
pub(super) fn verify_in_blocks(case: &ScheduleCase<'_>, findings: &mut Findings, block_bits: u64) -> u64 {
    let width = if case.is_direct { 1 } else { case.topology.terminal_count() as u64 };
    let block_messages = (block_bits / width).clamp(1, u64::from(u32::MAX)) as u32;
    let count = case.messages.len() as u32;
    let mut redundant = 0;
    let mut verify = |messages: Range<u32>, moved: Option<&[u32]>| {
        let mut found = Findings::new(findings.limit);
        for phase in &case.phases {
            redundant += MessageBlock::new(case, phase, (messages.clone(), moved), width).verify(&mut found);
        }
        findings.merge(found);
        findings.is_full() || findings.misses_enough()
    };
    if case.schedule.transfer_count() >= count as usize {
        let mut starts = (0..count).step_by(block_messages as usize);
        starts.any(|start| verify(start..start.saturating_add(block_messages).min(count), None));
        return redundant;
    }
    // Some message never moves. Only those that move need bits, so that a small schedule of many messages takes no longer.
    let all = case.schedule.steps().flat_map(|(_, step)| step.messages());
    let mut moved: Vec<u32> = all.map(|message| message.number()).filter(|&number| number < count).collect();
    moved.sort_unstable();
    moved.dedup();
    let (mut start, mut left) = (0, &moved[..]);
    while start < count {
        let (block, rest) = left.split_at(left.len().min(block_messages as usize));
        let end = rest.first().copied().unwrap_or(count);
        if verify(start..end, Some(block)) {
            break;
        }
        (start, left) = (end, rest);
    }
    redundant
}

/// The rule that a transfer breaks. In one transfer, the first one is reported first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    UnknownMessage,
    PhasesOverlap,
    NotDirect,
    NotHeld,
    ResultSentAway,
    ContributesTwice,
    ContributionLost,
}

/// A range of messages in one phase.
struct MessageBlock<'a> {
    case: &'a ScheduleCase<'a>,
    phase: &'a PhaseSteps,
    messages: Range<u32>,
    /// The messages of the range that have bits, ascending; `None` if that is all of them.
    moved: Option<&'a [u32]>,
    /// Bits per message.
    width: u64,
    /// One bit per message, or per message and terminal.
    /// Direct scatter: the message is delivered. Other distribution: a terminal that is not the origin holds it.
    /// Reduction: the terminal has sent its part.
    bits: BitSet,
    /// In a reduction to which not all terminals contribute: the terminal has, or had, a part to send.
    parts: Option<BitSet>,
    /// The faults of the current step, by the place of the transfer.
    faults: Vec<(usize, Fault)>,
}

/// The effect of a transfer, which counts from the next step on.
#[derive(Clone, Copy)]
struct Arrival {
    bit: u64,
    /// The place of the transfer in its step.
    place: usize,
}

impl<'a> MessageBlock<'a> {
    fn new(
        case: &'a ScheduleCase<'a>,
        phase: &'a PhaseSteps,
        (messages, moved): (Range<u32>, Option<&'a [u32]>),
        width: u64,
    ) -> Self {
        let rows = moved.map_or(u64::from(messages.end - messages.start), |moved| moved.len() as u64);
        let bits = BitSet::new(rows * width);
        let mut block = Self { case, phase, messages, moved, width, bits, parts: None, faults: Vec::new() };
        if block.reduces() && case.problem.collective().listed().is_some() {
            let mut parts = block.bits.clone();
            let numbers = moved.map_or(block.messages.clone(), |_| 0..0).chain(moved.into_iter().flatten().copied());
            for message in numbers.map(MessageId::new) {
                for contributor in case.messages.receivers_iter(message) {
                    parts.insert(block.bit(message, contributor));
                }
            }
            block.parts = Some(parts);
        }
        block
    }

    /// Returns the number of redundant deliveries.
    fn verify(mut self, findings: &mut Findings) -> u64 {
        let reduces = self.reduces();
        let mut redundant = 0;
        let mut arrivals: Vec<Arrival> = Vec::new();
        for step in self.phase.steps.clone() {
            let transfers = self.case.schedule.step(step);
            for at in transfers.iter().enumerate().map(|(place, transfer)| PlacedTransfer { step, place, transfer }) {
                if let Some((from, to)) = self.ends(at) {
                    if self.case.is_direct {
                        redundant += u64::from(self.deliver(at, from, to));
                    } else if reduces {
                        arrivals.extend(self.contribute(at, from, to));
                    } else if let Some(arrival) = self.hold(at, from, to) {
                        arrivals.push(arrival);
                    } else {
                        redundant += 1;
                    }
                }
            }
            // Arrivals count only now, so that no message is passed on in the step in which it arrives.
            for Arrival { bit, place } in arrivals.drain(..) {
                if !reduces {
                    redundant += u64::from(!self.bits.insert(bit));
                } else if self.bits.contains(bit) {
                    self.faults.push((place, Fault::ContributionLost));
                } else if let Some(parts) = &mut self.parts {
                    parts.insert(bit);
                }
            }
            if !self.faults.is_empty() {
                self.report_faults(step, findings);
            }
            if findings.is_full() {
                return redundant;
            }
        }
        self.verify_complete(findings);
        redundant
    }

    /// Returns true if parts are combined on their paths, so that each must arrive exactly once.
    fn reduces(&self) -> bool {
        self.phase.phase == Phase::Collect && !self.case.is_scatter
    }

    /// Returns the sender and receiver, if the transfer belongs to this block and joins terminals. The first block
    /// reports unknown messages and steps of two phases.
    #[inline]
    fn ends(&mut self, at: PlacedTransfer<'_>) -> Option<(NodeId, NodeId)> {
        let is_first_block = self.messages.start == 0;
        if let Some(overlap) = self.phase.overlap
            && at.step + 1 == self.phase.steps.end
            && at.place >= overlap
        {
            if is_first_block && at.place == overlap {
                self.faults.push((at.place, Fault::PhasesOverlap));
            }
            return None;
        }
        if !self.messages.contains(&at.transfer.message.number()) {
            if is_first_block && at.transfer.message.index() >= self.case.messages.len() {
                self.faults.push((at.place, Fault::UnknownMessage));
            }
            return None;
        }
        self.case.ends(at.transfer)
    }

    /// Returns the terminal that holds a message at the start; in a reduction, the one that holds the result at the
    /// end.
    #[inline]
    fn origin(&self, message: MessageId) -> NodeId {
        if self.gathers()
            && let Receivers::One(receiver) = self.case.messages.receivers(message)
        {
            return receiver;
        }
        self.case.messages.source(message)
    }

    /// Returns the terminals that must hold a message at the end; in a reduction, those that contribute to it.
    fn goals(&self, message: MessageId) -> impl Iterator<Item = NodeId> + use<'a> {
        let messages = self.case.messages;
        let (source, receivers_of) =
            if self.gathers() { (Some(messages.source(message)), None) } else { (None, Some(message)) };
        source.into_iter().chain(receivers_of.into_iter().flat_map(move |message| messages.receivers_iter(message)))
    }

    /// Returns true if messages travel from receiver to source: a gather.
    fn gathers(&self) -> bool {
        self.phase.phase == Phase::Collect && self.case.is_scatter
    }

    #[inline]
    fn bit(&self, message: MessageId, node: NodeId) -> u64 {
        let row = match self.moved {
            None => u64::from(message.number() - self.messages.start),
            Some(moved) => moved.partition_point(|&moved| moved < message.number()) as u64,
        };
        if self.case.is_direct {
            return row;
        }
        row * self.width
            + self.case.topology.terminal_rank(node).expect("ends of transfers and goals are terminals") as u64
    }

    /// Makes a direct transfer; returns whether it is redundant.
    #[inline]
    fn deliver(&mut self, at: PlacedTransfer<'_>, from: NodeId, to: NodeId) -> bool {
        let message = at.transfer.message;
        if self.case.origin_and_destination(self.phase.phase, message) == Some((from, to)) {
            let bit = self.bit(message, to);
            return !self.bits.insert(bit);
        }
        self.faults.push((at.place, Fault::NotDirect));
        false
    }

    /// Passes a message on; returns `None` if it returns to its origin.
    #[inline]
    fn hold(&mut self, at: PlacedTransfer<'_>, from: NodeId, to: NodeId) -> Option<Arrival> {
        let message = at.transfer.message;
        let origin = self.origin(message);
        if from != origin && !self.bits.contains(self.bit(message, from)) {
            self.faults.push((at.place, Fault::NotHeld));
        }
        (to != origin).then(|| Arrival { bit: self.bit(message, to), place: at.place })
    }

    /// Passes a part on; returns `None` if it reaches the terminal of the result.
    #[inline]
    fn contribute(&mut self, at: PlacedTransfer<'_>, from: NodeId, to: NodeId) -> Option<Arrival> {
        let message = at.transfer.message;
        let goal = self.origin(message);
        let bit = self.bit(message, from);
        let sends_first = self.bits.insert(bit);
        if from == goal {
            self.faults.push((at.place, Fault::ResultSentAway));
        } else if !sends_first {
            self.faults.push((at.place, Fault::ContributesTwice));
        } else if self.parts.as_ref().is_some_and(|parts| !parts.contains(bit)) {
            self.faults.push((at.place, Fault::NotHeld));
        }
        (to != goal).then(|| Arrival { bit: self.bit(message, to), place: at.place })
    }

    /// Turns the faults of the step into violations, in the order of the transfers.
    #[cold]
    fn report_faults(&mut self, step: usize, findings: &mut Findings) {
        let case = self.case;
        self.faults.sort_unstable();
        for (place, fault) in self.faults.drain(..) {
            if findings.is_full() {
                continue;
            }
            let transfer = case.schedule.step(step).transfer(place);
            let at = case.place(PlacedTransfer { step, place, transfer });
            let message_count = case.messages.len();
            let violation = match (fault, case.ends(transfer)) {
                (Fault::UnknownMessage, _) => Violation::UnknownMessage { at, message_count },
                (Fault::PhasesOverlap, _) => Violation::PhasesOverlap { at, transfer: place },
                // The other faults concern transfers between terminals.
                (_, None) => continue,
                (fault, Some((from, to))) => {
                    let (sender, receiver) = (case.node(from), case.node(to));
                    match fault {
                        Fault::NotDirect => Violation::NotDirect { at, from: sender, to: receiver },
                        Fault::ResultSentAway => Violation::ResultSentAway { at, sender },
                        Fault::ContributesTwice => Violation::ContributesTwice { at, sender },
                        Fault::ContributionLost => Violation::ContributionLost { at, sender, receiver },
                        _ => Violation::NotHeld { at, sender },
                    }
                }
            };
            findings.add(violation);
        }
    }

    /// Verifies that every goal has its bit after the last step, and that no part stops at a terminal on its path.
    fn verify_complete(&self, findings: &mut Findings) {
        for message in self.messages.clone().map(MessageId::new) {
            let is_moved = self.moved.is_none_or(|moved| moved.binary_search(&message.number()).is_ok());
            let lacks = |&node: &NodeId| !is_moved || !self.bits.contains(self.bit(message, node));
            let goals = self.goals(message).filter(lacks);
            let stops = self.parts.iter().filter(|_| is_moved).flat_map(|parts| {
                let contributors: Vec<NodeId> = self.goals(message).collect();
                let terminals = self.case.topology.terminals().iter().copied();
                let stops = move |bit| parts.contains(bit) && !self.bits.contains(bit);
                terminals.filter(move |&node| stops(self.bit(message, node)) && !contributors.contains(&node))
            });
            for node in goals.chain(stops) {
                let (message, node) = (self.case.message(self.phase.phase, message), self.case.node(node));
                findings.add(if self.reduces() {
                    Violation::NoContribution { message, sender: node }
                } else {
                    Violation::Undelivered { message, receiver: node }
                });
                if findings.misses_enough() {
                    return;
                }
            }
        }
    }
}
