//! Where messages go on from.

use lockstep_schedule::MessageId;
use lockstep_topology::NodeId;

use crate::method::Kept;
use crate::task::Task;

/// A terminal that holds a message from a step on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) holder: NodeId,
    pub(super) ready: u32,
}

/// What kept transfers make of each message. Memory: a bit a message, and 12 bytes a transfer of those that are under way.
#[derive(Debug)]
pub(super) struct Starts {
    /// A bit for each message that has reached its receiver; nothing if there is none.
    is_there: Vec<u64>,
    /// The others by message, in the order of their steps.
    under_way: Vec<(MessageId, Start)>,
}

impl Starts {
    pub(super) fn new(task: &Task<'_>, kept: Option<Kept<'_>>) -> Self {
        let mut starts = Self { is_there: Vec::new(), under_way: Vec::new() };
        let Some(kept) = kept else { return starts };
        starts.is_there.resize(task.messages().len().div_ceil(64), 0);
        for (step, made) in kept.transfers() {
            let holder = task.topology().terminals()[task.receiver(made.path)];
            if task.messages().receivers_iter(made.message).next() == Some(holder) {
                starts.is_there[made.message.index() / 64] |= 1 << (made.message.index() % 64);
            } else {
                starts.under_way.push((made.message, Start { holder, ready: step + 1 }));
            }
        }
        let mut under_way = std::mem::take(&mut starts.under_way);
        under_way.retain(|&(message, _)| !starts.is_there(message));
        starts.under_way = under_way;
        starts.under_way.sort_by_key(|&(message, _)| message);
        starts
    }

    /// Whether the message has reached its receiver.
    #[inline]
    pub(super) fn is_there(&self, message: MessageId) -> bool {
        self.is_there.get(message.index() / 64).is_some_and(|word| word >> (message.index() % 64) & 1 == 1)
    }

    /// The terminals that a message has been brought to, in the order of time.
    pub(super) fn of(&self, message: MessageId) -> impl DoubleEndedIterator<Item = Start> + ExactSizeIterator {
        let first = self.under_way.partition_point(|(other, _)| *other < message);
        let count = self.under_way[first..].partition_point(|(other, _)| *other == message);
        self.under_way[first..first + count].iter().map(|&(_, start)| start)
    }
}
