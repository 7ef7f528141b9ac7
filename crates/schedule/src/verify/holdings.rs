//! Who holds what: senders at the start of a step, receivers after the last one.

use std::ops::Range;

use lockstep_topology::NodeId;

use super::{Case, Findings, Spot, Stage};
use crate::bits::Bits;
use crate::messages::{MessageId, Receivers};
use crate::pattern::Phase;
use crate::violation::Violation;

/// The most bits that are held at a time: 256 MiB.
const BLOCK_BITS: u64 = 1 << 31;

/// Number of redundant deliveries.
pub(super) fn judge(case: &Case<'_>, findings: &mut Findings) -> u64 {
    judge_in_blocks(case, findings, BLOCK_BITS)
}

/// Looks at the messages in blocks of so many bits, one pass over the schedule each, until enough is found.
pub(super) fn judge_in_blocks(case: &Case<'_>, findings: &mut Findings, block_bits: u64) -> u64 {
    let width = if case.direct { 1 } else { case.topology.terminal_count() as u64 };
    let count = case.messages.len() as u64;
    let block_messages = (block_bits / width).clamp(1, count);
    let mut redundant = 0;
    let mut start = 0;
    while start < count && !findings.is_full() && !findings.misses_enough() {
        let end = (start + block_messages).min(count);
        let mut found = Findings::new(findings.limit);
        for stage in &case.stages {
            let bits = Bits::new((end - start) * width);
            let block = Block { case, stage, messages: start as u32..end as u32, width, bits, faults: Vec::new() };
            redundant += block.judge(&mut found);
        }
        findings.merge(found);
        start = end;
    }
    redundant
}

/// What is wrong with a transfer, before it is put into words.
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

/// Some messages in one phase.
struct Block<'a> {
    case: &'a Case<'a>,
    stage: &'a Stage,
    messages: Range<u32>,
    /// Bits a message.
    width: u64,
    /// A bit for each message of the block, or for each message and terminal.
    /// Direct scatter: whether a message is delivered. DistributePhase: whether a terminal that is not the origin holds it.
    /// Reduction: whether a terminal has sent its part.
    bits: Bits,
    /// Those of the current step, by the place of the transfer.
    faults: Vec<(usize, Fault)>,
}

/// What a transfer brings.
#[derive(Clone, Copy)]
struct Arrival {
    bit: u64,
    /// The place of the transfer in its step.
    transfer: usize,
}

impl<'a> Block<'a> {
    /// Number of redundant deliveries.
    fn judge(mut self, findings: &mut Findings) -> u64 {
        let reduces = self.reduces();
        let mut redundant = 0;
        let mut arrivals: Vec<Arrival> = Vec::new();
        for step in self.stage.steps.clone() {
            let transfers = self.case.schedule.step(step);
            for spot in transfers.iter().enumerate().map(|(transfer, moved)| Spot { step, transfer, moved }) {
                if let Some((from, to)) = self.ends(spot) {
                    if self.case.direct {
                        redundant += u64::from(self.deliver(spot, from, to));
                    } else if reduces {
                        arrivals.extend(self.contribute(spot, from, to));
                    } else if let Some(arrival) = self.hold(spot, from, to) {
                        arrivals.push(arrival);
                    } else {
                        redundant += 1;
                    }
                }
            }
            // Arrivals count only now, so that nothing is passed on in the step in which it arrives.
            for Arrival { bit, transfer } in arrivals.drain(..) {
                if !reduces {
                    redundant += u64::from(self.bits.set(bit));
                } else if self.bits.get(bit) {
                    self.faults.push((transfer, Fault::ContributionLost));
                }
            }
            if !self.faults.is_empty() {
                self.explain(step, findings);
            }
            if findings.is_full() {
                return redundant;
            }
        }
        self.check_complete(findings);
        redundant
    }

    /// Whether parts are combined on their way, so that each must arrive exactly once.
    fn reduces(&self) -> bool {
        self.stage.phase == Phase::Collect && !self.case.scatter
    }

    /// Sender and receiver, if the transfer is one of this block between terminals. The first block answers for messages
    /// that do not exist and for a step that belongs to two phases.
    #[inline]
    fn ends(&mut self, spot: Spot<'_>) -> Option<(NodeId, NodeId)> {
        let is_first_block = self.messages.start == 0;
        if self.stage.is_past(spot) {
            if is_first_block && self.stage.overlap == Some(spot.transfer) {
                self.faults.push((spot.transfer, Fault::PhasesOverlap));
            }
            return None;
        }
        if !self.messages.contains(&spot.moved.message.number()) {
            if is_first_block && spot.moved.message.index() >= self.case.messages.len() {
                self.faults.push((spot.transfer, Fault::UnknownMessage));
            }
            return None;
        }
        self.case.ends(spot.moved)
    }

    /// Where a message is at the start; of a reduction, where it ends.
    #[inline]
    fn origin(&self, message: MessageId) -> NodeId {
        if self.is_turned()
            && let Receivers::One(receiver) = self.case.messages.receivers(message)
        {
            return receiver;
        }
        self.case.messages.source(message)
    }

    /// Where a message must be at the end; of a reduction, where its parts are at the start.
    fn goals(&self, message: MessageId) -> impl Iterator<Item = NodeId> + use<'a> {
        let messages = self.case.messages;
        let (turned, straight) =
            if self.is_turned() { (Some(messages.source(message)), None) } else { (None, Some(message)) };
        turned.into_iter().chain(straight.into_iter().flat_map(move |message| messages.receivers_iter(message)))
    }

    /// Whether the messages run from receiver to source: a gather.
    fn is_turned(&self) -> bool {
        self.stage.phase == Phase::Collect && self.case.scatter
    }

    #[inline]
    fn bit(&self, message: MessageId, node: NodeId) -> u64 {
        let row = u64::from(message.number() - self.messages.start) * self.width;
        if self.case.direct {
            return row;
        }
        row + self.case.topology.terminal_rank(node).expect("ends of transfers and goals are terminals") as u64
    }

    /// Makes a direct transfer; `true` if it is redundant.
    #[inline]
    fn deliver(&mut self, spot: Spot<'_>, from: NodeId, to: NodeId) -> bool {
        let message = spot.moved.message;
        if self.case.course(self.stage, message) == Some((from, to)) {
            let bit = self.bit(message, to);
            return self.bits.set(bit);
        }
        self.faults.push((spot.transfer, Fault::NotDirect));
        false
    }

    /// Sends a message on; `None` if it goes back to its origin.
    #[inline]
    fn hold(&mut self, spot: Spot<'_>, from: NodeId, to: NodeId) -> Option<Arrival> {
        let message = spot.moved.message;
        let origin = self.origin(message);
        if from != origin && !self.bits.get(self.bit(message, from)) {
            self.faults.push((spot.transfer, Fault::NotHeld));
        }
        (to != origin).then(|| Arrival { bit: self.bit(message, to), transfer: spot.transfer })
    }

    /// Sends a part on; `None` if it goes to where the result belongs.
    #[inline]
    fn contribute(&mut self, spot: Spot<'_>, from: NodeId, to: NodeId) -> Option<Arrival> {
        let message = spot.moved.message;
        let goal = self.origin(message);
        let sent_before = self.bits.set(self.bit(message, from));
        if from == goal {
            self.faults.push((spot.transfer, Fault::ResultSentAway));
        } else if sent_before {
            self.faults.push((spot.transfer, Fault::ContributesTwice));
        }
        (to != goal).then(|| Arrival { bit: self.bit(message, to), transfer: spot.transfer })
    }

    /// Puts the faults of the step into words, in the order of the transfers.
    #[cold]
    fn explain(&mut self, step: usize, findings: &mut Findings) {
        let case = self.case;
        self.faults.sort_unstable();
        for (transfer, fault) in self.faults.drain(..) {
            if findings.is_full() {
                continue;
            }
            let moved = case.schedule.step(step).transfer(transfer);
            let at = case.place(Spot { step, transfer, moved });
            let message_count = case.messages.len();
            let violation = match (fault, case.ends(moved)) {
                (Fault::UnknownMessage, _) => Violation::UnknownMessage { at, message_count },
                (Fault::PhasesOverlap, _) => Violation::PhasesOverlap { at, transfer },
                // The other faults are those of transfers between terminals.
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

    /// After the last step every goal has its bit.
    fn check_complete(&self, findings: &mut Findings) {
        for message in self.messages.clone().map(MessageId::new) {
            for node in self.goals(message) {
                if !self.bits.get(self.bit(message, node)) {
                    let (message, node) = (self.case.message(self.stage.phase, message), self.case.node(node));
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
}
