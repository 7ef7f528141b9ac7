//! What there is before the first message is placed.

use lockstep_schedule::{MessageId, Transfer};
use lockstep_topology::NodeId;
use rand::{Rng, RngExt};

use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::task::SchedulingTask;

/// A terminal that holds a message from a step on.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelayStop {
    pub(super) terminal: NodeId,
    pub(super) ready: u32,
}

/// Transfers that are made, and how far they bring the messages. Memory: some 40 bytes a transfer.
#[derive(Debug, Default)]
pub(super) struct FixedPart<'a> {
    transfers: Vec<(u32, Transfer<'a>)>,
    /// The messages that have reached their receivers, ascending.
    arrived: Vec<MessageId>,
    /// Where the others have been, by message and then by time.
    stops: Vec<(MessageId, RelayStop)>,
}

impl<'a> FixedPart<'a> {
    /// All that is kept; where some of it may be given up, that before the goal of a random part of the messages.
    pub(super) fn new(
        task: &SchedulingTask<'_>,
        kept: Option<FixedTransfers<'a>>,
        goal: u32,
        rng: &mut impl Rng,
    ) -> Self {
        let mut start = Self::default();
        let Some(kept) = kept else { return start };
        start.transfers.extend(kept.transfers());
        if kept.may_move {
            let most: u32 = rng.random();
            let is_given_up: Vec<bool> = task.messages().ids().map(|_| rng.random::<u32>() < most).collect();
            start.transfers.retain(|(step, made)| *step < goal && !is_given_up[made.message.index()]);
        }
        for &(step, Transfer { message, path }) in &start.transfers {
            let terminal = task.topology().terminals()[task.receiver(path)];
            if task.messages().receivers_iter(message).next() == Some(terminal) {
                start.arrived.push(message);
            } else {
                start.stops.push((message, RelayStop { terminal, ready: step + 1 }));
            }
        }
        start.arrived.sort_unstable();
        start.stops.retain(|(message, _)| start.arrived.binary_search(message).is_err());
        start.stops.sort_by_key(|&(message, _)| message);
        start
    }

    /// The transfers with their steps.
    pub(super) fn transfers(&self) -> impl Iterator<Item = (u32, Transfer<'a>)> {
        self.transfers.iter().copied()
    }

    /// Whether the message has reached its receiver.
    pub(super) fn has_arrived(&self, message: MessageId) -> bool {
        self.arrived.binary_search(&message).is_ok()
    }

    /// Where a message has been brought to, in the order of time; nowhere if it has reached its receiver.
    pub(super) fn stops(&self, message: MessageId) -> impl DoubleEndedIterator<Item = RelayStop> + ExactSizeIterator {
        let first = self.stops.partition_point(|(other, _)| *other < message);
        let count = self.stops[first..].partition_point(|(other, _)| *other == message);
        self.stops[first..first + count].iter().map(|&(_, stop)| stop)
    }
}
