//! The fixed transfers that one attempt uses.

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

/// The fixed transfers that one attempt uses, and the terminals that hold their messages.
///
/// Memory: about 40 bytes per transfer.
#[derive(Debug, Default)]
pub(super) struct FixedPart<'a> {
    transfers: Vec<(u32, Transfer<'a>)>,
    /// The messages that reached their receivers, ascending.
    arrived: Vec<MessageId>,
    /// The stops of the other messages, by message and then by time.
    stops: Vec<(MessageId, RelayStop)>,
}

impl<'a> FixedPart<'a> {
    /// Uses all fixed transfers. If they may move, drops those from the goal on and those of random messages.
    pub(super) fn new(
        task: &SchedulingTask<'_>,
        fixed: Option<FixedTransfers<'a>>,
        goal: u32,
        rng: &mut impl Rng,
    ) -> Self {
        let mut part = Self::default();
        let Some(fixed) = fixed else { return part };
        part.transfers.extend(fixed.transfers());
        if fixed.may_move {
            let threshold: u32 = rng.random();
            let is_dropped: Vec<bool> = task.messages().ids().map(|_| rng.random::<u32>() < threshold).collect();
            part.transfers.retain(|(step, transfer)| *step < goal && !is_dropped[transfer.message.index()]);
        }
        for &(step, Transfer { message, path }) in &part.transfers {
            let terminal = task.topology().terminals()[task.receiver(path)];
            if task.messages().receivers_iter(message).next() == Some(terminal) {
                part.arrived.push(message);
            } else {
                part.stops.push((message, RelayStop { terminal, ready: step + 1 }));
            }
        }
        part.arrived.sort_unstable();
        part.stops.retain(|(message, _)| part.arrived.binary_search(message).is_err());
        part.stops.sort_by_key(|&(message, _)| message);
        part
    }

    /// Returns the transfers with their steps.
    pub(super) fn transfers(&self) -> impl Iterator<Item = (u32, Transfer<'a>)> {
        self.transfers.iter().copied()
    }

    /// Returns true if the message reached its receiver.
    pub(super) fn has_arrived(&self, message: MessageId) -> bool {
        self.arrived.binary_search(&message).is_ok()
    }

    /// Returns the stops of a message in time order; none if it reached its receiver.
    pub(super) fn stops(&self, message: MessageId) -> impl DoubleEndedIterator<Item = RelayStop> + ExactSizeIterator {
        let first = self.stops.partition_point(|(other, _)| *other < message);
        let count = self.stops[first..].partition_point(|(other, _)| *other == message);
        self.stops[first..first + count].iter().map(|&(_, stop)| stop)
    }
}
