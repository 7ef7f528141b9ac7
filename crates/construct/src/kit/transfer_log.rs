//! The transfers of an unfinished schedule.

use lockstep_schedule::{MessageId, Schedule};
use lockstep_topology::ChannelId;

use super::method_error::MethodError;

/// Transfers in the order in which they were decided, which need not be the order of their steps.
///
/// Memory: 12 bytes per transfer and 4 bytes per channel of its path; 12 bytes per transfer in total if every path is one
/// channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransferLog {
    message: Vec<MessageId>,
    step: Vec<u32>,
    /// The end of each transfer's path in `channels`; empty if every path is one channel.
    path_end: Vec<u32>,
    channels: Vec<ChannelId>,
    step_count: u32,
}

impl TransferLog {
    /// Returns the log without transfers, with memory for a number of transfers over one channel each.
    pub(crate) fn with_hop_capacity(transfers: usize) -> Self {
        Self {
            message: Vec::with_capacity(transfers),
            step: Vec::with_capacity(transfers),
            channels: Vec::with_capacity(transfers),
            ..Self::default()
        }
    }

    /// Appends a transfer.
    ///
    /// # Errors
    ///
    /// [`MethodError::TooLarge`], if a [`Schedule`] cannot hold one more.
    pub(crate) fn push(&mut self, message: MessageId, step: u32, path: &[ChannelId]) -> Result<(), MethodError> {
        let end = u32::try_from(self.channels.len() + path.len()).map_err(|_| MethodError::TooLarge)?;
        if path.len() != 1 || !self.has_only_hops() {
            if self.has_only_hops() {
                self.path_end.extend(1..=self.message.len() as u32);
            }
            self.path_end.push(end);
        }
        self.message.push(message);
        self.step.push(step);
        self.channels.extend_from_slice(path);
        self.step_count = self.step_count.max(step + 1);
        Ok(())
    }

    /// Appends transfers of one step over one channel each. The log must have no longer path.
    pub(crate) fn push_hops(&mut self, messages: &[MessageId], step: u32, channels: &[ChannelId]) {
        debug_assert!(messages.len() == channels.len() && self.has_only_hops());
        self.message.extend_from_slice(messages);
        self.step.resize(self.message.len(), step);
        self.channels.extend_from_slice(channels);
        self.step_count = self.step_count.max(step + 1);
    }

    /// Returns true if every path is one channel.
    fn has_only_hops(&self) -> bool {
        self.path_end.is_empty()
    }

    /// Returns the number of steps.
    pub(crate) fn step_count(&self) -> u32 {
        self.step_count
    }

    /// Returns the number of transfers.
    pub(crate) fn len(&self) -> usize {
        self.message.len()
    }

    /// Returns the step, message and path of each transfer from number `first` on.
    pub(crate) fn transfers(
        &self,
        first: usize,
    ) -> impl ExactSizeIterator<Item = (u32, MessageId, &[ChannelId])> + DoubleEndedIterator {
        (first..self.len()).map(|transfer| (self.step[transfer], self.message[transfer], self.path(transfer)))
    }

    /// Returns the number of the first transfer from a step on. The log must be in the order of steps.
    pub(crate) fn start_of_step(&self, step: u32) -> usize {
        self.step.partition_point(|&before| before < step)
    }

    /// Removes the transfers from number `first` on. The log must be in the order of steps.
    pub(crate) fn truncate(&mut self, first: usize) {
        let channels = if self.has_only_hops() { first } else { self.start_of_path(first) };
        self.message.truncate(first);
        self.step.truncate(first);
        self.path_end.truncate(first);
        self.channels.truncate(channels);
        self.step_count = self.step.last().map_or(0, |&step| step + 1);
    }

    fn path(&self, transfer: usize) -> &[ChannelId] {
        if self.has_only_hops() {
            return std::slice::from_ref(&self.channels[transfer]);
        }
        &self.channels[self.start_of_path(transfer)..self.path_end[transfer] as usize]
    }

    /// Returns the start of a path in `channels`, if the ends of all paths are stored.
    fn start_of_path(&self, transfer: usize) -> usize {
        transfer.checked_sub(1).map_or(0, |before| self.path_end[before] as usize)
    }

    /// Returns the numbers of the transfers by ascending step, and within a step in the order of the log.
    fn by_step(&self) -> Vec<u32> {
        let mut next = vec![0u32; self.step_count as usize + 1];
        for &step in &self.step {
            next[step as usize + 1] += 1;
        }
        for step in 0..self.step_count as usize {
            next[step + 1] += next[step];
        }
        let mut order = vec![0; self.step.len()];
        for (transfer, &step) in self.step.iter().enumerate() {
            let position = &mut next[step as usize];
            order[*position as usize] = transfer as u32;
            *position += 1;
        }
        order
    }

    /// Returns the schedule. Takes `O(T + C)` time for `T` transfers and `C` channel uses, and copies no transfer if every path
    /// is one channel and the log is in the order of steps.
    pub(crate) fn into_schedule(self) -> Schedule {
        let is_sorted = self.step.is_sorted();
        if is_sorted && self.has_only_hops() {
            let sizes: Vec<usize> = self.step.chunk_by(|one, next| one == next).map(<[u32]>::len).collect();
            return Schedule::from_hops(sizes, self.message, self.channels);
        }
        let mut schedule = Schedule::with_capacity(self.len(), self.channels.len());
        let mut last = None;
        let add = |transfer: usize| {
            let step = Some(self.step[transfer]);
            if std::mem::replace(&mut last, step) != step {
                schedule.begin_step();
            }
            schedule.push(self.message[transfer], self.path(transfer));
        };
        if is_sorted {
            (0..self.len()).for_each(add);
        } else {
            self.by_step().into_iter().map(|transfer| transfer as usize).for_each(add);
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(channels: &[u32]) -> Vec<ChannelId> {
        channels.iter().copied().map(ChannelId::new).collect()
    }

    #[test]
    fn transfers_are_ordered_by_step_and_then_by_decision() {
        let mut log = TransferLog::default();
        let mut expected = Schedule::new();
        for (message, step, channels) in [(0, 1, &[4, 5][..]), (1, 0, &[7]), (2, 1, &[1, 2, 3])] {
            log.push(MessageId::new(message), step, &path(channels)).unwrap();
        }
        expected.begin_step();
        expected.push(MessageId::new(1), &path(&[7]));
        expected.begin_step();
        expected.push(MessageId::new(0), &path(&[4, 5]));
        expected.push(MessageId::new(2), &path(&[1, 2, 3]));
        assert_eq!((log.step_count(), log.len(), log.channels.len()), (2, 3, 6));
        assert_eq!(log.into_schedule(), expected);
        let mut sorted = TransferLog::default();
        for (step, transfers) in expected.steps() {
            for transfer in transfers.iter() {
                sorted.push(transfer.message, 2 * step as u32, transfer.path).unwrap();
            }
        }
        assert_eq!(sorted.into_schedule(), expected);
    }

    /// Their ends are not stored. Steps without a transfer are left out.
    #[test]
    fn paths_of_one_channel_make_the_same_schedule() {
        let mut expected = Schedule::new();
        for messages in [&[5, 3][..], &[4]] {
            expected.begin_step();
            for &message in messages {
                expected.push(MessageId::new(message), &path(&[message + 10]));
            }
        }
        for order in [[(0, 5), (0, 3), (2, 4)], [(2, 4), (0, 5), (0, 3)]] {
            let mut log = TransferLog::with_hop_capacity(3);
            for (step, message) in order {
                log.push_hops(&[MessageId::new(message)], step, &path(&[message + 10]));
            }
            assert_eq!((log.step_count(), log.len()), (3, 3));
            assert_eq!(log.clone().into_schedule(), expected);
            log.truncate(1);
            let (step, message) = order[0];
            assert!(log.transfers(0).eq([(step, MessageId::new(message), &path(&[message + 10])[..])]));
        }
    }

    #[test]
    fn the_last_step_can_be_removed() {
        let mut log = TransferLog::default();
        for (message, step, channels) in [(0, 0, &[4, 5][..]), (1, 1, &[7]), (2, 1, &[1, 2])] {
            log.push(MessageId::new(message), step, &path(channels)).unwrap();
        }
        let last: Vec<_> = log.transfers(log.start_of_step(1)).map(|(step, message, _)| (step, message)).collect();
        assert_eq!(last, [(1, MessageId::new(1)), (1, MessageId::new(2))]);
        for (steps, transfers, channels) in [(1, 1, 2), (0, 0, 0), (0, 0, 0)] {
            log.truncate(log.start_of_step(steps));
            assert_eq!((log.step_count(), log.len(), log.channels.len()), (steps, transfers, channels));
        }
    }
}
