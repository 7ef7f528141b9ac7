//! Which terminal holds which message, unless messages are reduced: senders at the start of a step, receivers after the
//! last one.

use std::ops::Range;

use lockstep_topology::NodeId;

use super::case::{PlacedTransfer, ScheduleCase};
use super::findings::Findings;
use crate::bit_set::BitSet;
use crate::messages::{MessageId, Receivers};
use crate::parallel::map_parts;
use crate::schedule::Step;
use crate::violation::Violation;

/// The most bits in memory at a time: 256 MiB.
const BLOCK_BITS: u64 = 1 << 31;

/// Adds the violations of rules 2 and 5, and returns the number of redundant deliveries.
pub(super) fn verify(case: &ScheduleCase<'_>, findings: &mut Findings) -> u64 {
    verify_in_blocks(case, findings, BLOCK_BITS)
}

/// Verifies the messages in blocks of at most `block_bits`, up to the limit of findings. Each thread reads the whole schedule
/// for its part of a block.
pub(super) fn verify_in_blocks(case: &ScheduleCase<'_>, findings: &mut Findings, block_bits: u64) -> u64 {
    let width = if case.is_direct { 1 } else { case.topology.terminal_count() as u64 };
    let block_messages = (block_bits / width).clamp(1, u64::from(u32::MAX)) as u32;
    let count = case.messages.len() as u32;
    let mut redundant = 0;
    let mut verify = |blocks: Vec<(Range<u32>, Option<&[u32]>)>| {
        let limit = findings.limit;
        let verify_block = |(messages, moved)| {
            let mut found = Findings::new(limit);
            (MessageBlock::new(case, messages, moved, width).verify(&mut found), found)
        };
        for (count, found) in map_parts(blocks, verify_block) {
            redundant += count;
            findings.merge(found);
        }
        findings.is_full() || findings.misses_enough()
    };
    if case.schedule.transfer_count() >= count as usize {
        let mut starts = (0..count).step_by(block_messages as usize);
        starts.any(|start| {
            let block = start..start.saturating_add(block_messages).min(count);
            verify(case.message_ranges(block).into_iter().map(|messages| (messages, None)).collect())
        });
        return redundant;
    }
    // Some message never moves. Only those that move need bits, so that a small schedule of many messages takes no longer.
    let all = case.steps().flat_map(|(_, step)| step.messages());
    let mut moved: Vec<u32> = all.map(|message| message.number()).filter(|&number| number < count).collect();
    moved.sort_unstable();
    moved.dedup();
    let (mut start, mut left) = (0, &moved[..]);
    while start < count {
        let (block, rest) = left.split_at(left.len().min(block_messages as usize));
        let end = rest.first().copied().unwrap_or(count);
        if verify(vec![(start..end, Some(block))]) {
            break;
        }
        (start, left) = (end, rest);
    }
    redundant
}

/// Number of transfers whose bits are found together.
const BATCH: usize = 256;

/// The rule that a transfer breaks. In one transfer, the first one is reported first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    UnknownMessage,
    NotDirect,
    NotHeld,
}

/// The ends of all channels, for the fast path. It takes steps whose paths are one channel each and that break no rule.
struct HopTable {
    /// The ranks of the two terminals of each channel.
    ends: Vec<[u32; 2]>,
    /// The bits of the arrivals of the current step.
    arrivals: Vec<u64>,
}

impl HopTable {
    /// `None` if some path is not one channel, or if some channel does not join terminals.
    fn new(case: &ScheduleCase<'_>) -> Option<Self> {
        let topology = case.topology;
        let rank = |node| topology.terminal_rank(node).map(|rank| rank as u32);
        let ends = |channel| Some([rank(topology.tail(channel))?, rank(topology.head(channel))?]);
        case.schedule.has_only_hops().then_some(())?;
        Some(Self { ends: topology.channel_numbers().map(ends).collect::<Option<_>>()?, arrivals: Vec::new() })
    }
}

/// A range of messages.
struct MessageBlock<'a> {
    case: &'a ScheduleCase<'a>,
    messages: Range<u32>,
    /// The messages of the range that have bits, ascending; `None` if that is all of them.
    moved: Option<&'a [u32]>,
    /// Bits per message.
    width: u64,
    /// One bit per message, or per message and terminal.
    /// Direct scatter: the message is delivered. Other distribution: a terminal that is not the origin holds it.
    /// If there is a table of `hops`, the origin has a bit too.
    bits: BitSet,
    hops: Option<HopTable>,
    /// The faults of the current step, by the place of the transfer.
    faults: Vec<(usize, Fault)>,
}

impl<'a> MessageBlock<'a> {
    fn new(case: &'a ScheduleCase<'a>, messages: Range<u32>, moved: Option<&'a [u32]>, width: u64) -> Self {
        let rows = moved.map_or(u64::from(messages.end - messages.start), |moved| moved.len() as u64);
        let hops = if moved.is_some() || case.is_direct { None } else { HopTable::new(case) };
        let mut block =
            Self { case, messages, moved, width, bits: BitSet::new(rows * width), hops, faults: Vec::new() };
        if block.hops.is_some() {
            for message in block.messages.clone().map(MessageId::new) {
                let bit = block.bit(message, block.origin(message));
                block.bits.insert(bit);
            }
        }
        block
    }

    /// Returns the number of redundant deliveries.
    fn verify(mut self, findings: &mut Findings) -> u64 {
        let mut redundant = 0;
        let mut arrivals: Vec<u64> = Vec::new();
        for (step, transfers) in self.case.steps() {
            if let Some(count) = self.pass_on(transfers) {
                redundant += count;
                continue;
            }
            for at in transfers.iter().enumerate().map(|(place, transfer)| PlacedTransfer { step, place, transfer }) {
                if let Some((from, to)) = self.ends(at) {
                    if self.case.is_direct {
                        redundant += u64::from(self.deliver(at, from, to));
                    } else if let Some(arrival) = self.hold(at, from, to) {
                        arrivals.push(arrival);
                    } else {
                        redundant += 1;
                    }
                }
            }
            // Arrivals count only now, so that no message is passed on in the step in which it arrives.
            for bit in arrivals.drain(..) {
                redundant += u64::from(!self.bits.insert(bit));
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

    /// Makes the transfers of a step with [`hops`](HopTable), and returns the number of redundant ones. `None` if one of them
    /// breaks a rule; then nothing is changed.
    fn pass_on(&mut self, step: Step<'_>) -> Option<u64> {
        let (hops, channels) = (self.hops.as_mut()?, step.hops()?);
        let (start, rows, count) = (self.messages.start, self.messages.len() as u32, self.case.messages.len());
        hops.arrivals.clear();
        // The places of all bits of a batch are computed before the bits are read, so that several are loaded at the same time.
        let mut batch = [[0; 2]; BATCH];
        for (messages, channels) in step.messages().chunks(BATCH).zip(channels.chunks(BATCH)) {
            let mut length = 0;
            for (message, channel) in messages.iter().zip(channels) {
                let row = message.number().wrapping_sub(start);
                if row >= rows && message.index() >= count {
                    return None;
                }
                let first = u64::from(row) * self.width;
                batch[length] = hops.ends.get(channel.index())?.map(|rank| first + u64::from(rank));
                length += usize::from(row < rows);
            }
            let batch = &batch[..length];
            if !batch.iter().fold(true, |are_held, &[sender, _]| are_held & self.bits.contains(sender)) {
                return None;
            }
            hops.arrivals.extend(batch.iter().map(|&[_, receiver]| receiver));
        }
        // Arrivals count only now, so that no message is passed on in the step in which it arrives.
        Some(hops.arrivals.iter().map(|&bit| u64::from(!self.bits.insert(bit))).sum())
    }

    /// Returns the sender and receiver, if the transfer belongs to this block and joins terminals. The first block
    /// reports unknown messages.
    #[inline]
    fn ends(&mut self, at: PlacedTransfer<'_>) -> Option<(NodeId, NodeId)> {
        if !self.messages.contains(&at.transfer.message.number()) {
            if self.messages.start == 0 && at.transfer.message.index() >= self.case.messages.len() {
                self.faults.push((at.place, Fault::UnknownMessage));
            }
            return None;
        }
        self.case.ends(at.transfer)
    }

    /// Returns the terminal that holds a message at the start.
    #[inline]
    fn origin(&self, message: MessageId) -> NodeId {
        if self.case.gathers()
            && let Receivers::One(receiver) = self.case.messages.receivers(message)
        {
            return receiver;
        }
        self.case.messages.source(message)
    }

    /// Returns the terminals that must hold a message at the end.
    fn goals(&self, message: MessageId) -> impl Iterator<Item = NodeId> + use<'a> {
        let messages = self.case.messages;
        let (source, receivers_of) =
            if self.case.gathers() { (Some(messages.source(message)), None) } else { (None, Some(message)) };
        source.into_iter().chain(receivers_of.into_iter().flat_map(move |message| messages.receivers_iter(message)))
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
        if self.case.origin_and_destination(message) == Some((from, to)) {
            let bit = self.bit(message, to);
            return !self.bits.insert(bit);
        }
        self.faults.push((at.place, Fault::NotDirect));
        false
    }

    /// Passes a message on; returns its bit at the receiver, `None` if it returns to its origin.
    #[inline]
    fn hold(&mut self, at: PlacedTransfer<'_>, from: NodeId, to: NodeId) -> Option<u64> {
        let message = at.transfer.message;
        let origin = self.origin(message);
        if from != origin && !self.bits.contains(self.bit(message, from)) {
            self.faults.push((at.place, Fault::NotHeld));
        }
        (to != origin).then(|| self.bit(message, to))
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
                // The other faults concern transfers between terminals.
                (_, None) => continue,
                (fault, Some((from, to))) => {
                    let (sender, receiver) = (case.node(from), case.node(to));
                    match fault {
                        Fault::NotDirect => Violation::NotDirect { at, from: sender, to: receiver },
                        _ => Violation::NotHeld { at, sender },
                    }
                }
            };
            findings.add(violation);
        }
    }

    /// Verifies that every goal has its bit after the last step.
    fn verify_complete(&self, findings: &mut Findings) {
        // All bits are set: every terminal holds every message.
        if self.hops.is_some() && self.bits.len() == self.messages.len() as u64 * self.width {
            return;
        }
        for message in self.messages.clone().map(MessageId::new) {
            let is_moved = self.moved.is_none_or(|moved| moved.binary_search(&message.number()).is_ok());
            let lacks = |&node: &NodeId| !is_moved || !self.bits.contains(self.bit(message, node));
            for node in self.goals(message).filter(lacks) {
                let (message, receiver) = (self.case.message(message), self.case.node(node));
                findings.add(Violation::Undelivered { message, receiver });
                if findings.misses_enough() {
                    return;
                }
            }
        }
    }
}
