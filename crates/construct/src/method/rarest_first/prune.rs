//! The removal of transfers that serve no receiver.

use crate::kit::method_error::MethodError;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Returns the transfers to receivers, and to terminals that relay the message in a needed transfer. Empty steps are
/// removed.
///
/// No terminal may receive a message twice. Takes `O(T)` time for `T` transfers. Memory: one bit per terminal and
/// message, and one per transfer.
pub(super) fn needed(task: &SchedulingTask<'_>, log: &TransferLog) -> Result<TransferLog, MethodError> {
    let messages = task.messages();
    let words = messages.len().div_ceil(64);
    let position = |terminal: usize, message: u32| (terminal * words + message as usize / 64, 1u64 << (message % 64));
    let mut is_needed = vec![0u64; words * task.topology().terminal_count()];
    for message in messages.ids() {
        for receiver in messages.receivers_iter(message) {
            let (word, bit) = position(task.rank(receiver), message.number());
            is_needed[word] |= bit;
        }
    }
    let mut is_kept = vec![0u64; log.len().div_ceil(64)];
    for (number, (_, message, path)) in (0..log.len()).zip(log.transfers(0)).rev() {
        let (word, bit) = position(task.receiver(path), message.number());
        if is_needed[word] & bit != 0 {
            is_kept[number / 64] |= 1 << (number % 64);
            let (word, bit) = position(task.sender(path), message.number());
            is_needed[word] |= bit;
        }
    }
    let (mut kept, mut last, mut step) = (TransferLog::default(), None, 0);
    for (number, (old_step, message, path)) in log.transfers(0).enumerate() {
        if is_kept[number / 64] >> (number % 64) & 1 == 1 {
            step += u32::from(last.replace(old_step).is_some_and(|last| last != old_step));
            kept.push(message, step, path)?;
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Message, MessageId, Problem};
    use lockstep_topology::{ChannelId, NodeId, Topology};

    use super::*;

    /// On a ring of six, both directions reach the receivers. The longer path and the transfers beyond the receivers
    /// are removed, with the step that has nothing else.
    #[test]
    fn only_paths_that_end_at_receivers_are_kept() {
        let ring: Topology = "ring:6".parse().unwrap();
        let over = |tail: u32, head: u32| -> ChannelId {
            let mut channels = ring.channels();
            channels.find(|&on| (ring.tail(on).number(), ring.head(on).number()) == (tail, head)).unwrap()
        };
        let message = Message { source: NodeId::new(0), receivers: vec![NodeId::new(2)] };
        let other = Message { source: NodeId::new(5), receivers: vec![NodeId::new(4)] };
        let collective = Collective::custom(vec![message, other]);
        let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let all = [(0, 0, (0, 1)), (0, 0, (0, 5)), (1, 1, (5, 0)), (2, 0, (1, 2)), (2, 1, (5, 4)), (3, 0, (2, 3))];
        let log = |transfers: &[(u32, u32, (u32, u32))]| {
            let mut log = TransferLog::default();
            for &(step, message, (tail, head)) in transfers {
                log.push(MessageId::new(message), step, &[over(tail, head)]).unwrap();
            }
            log.into_schedule()
        };
        let mut full = TransferLog::default();
        for (step, message, (tail, head)) in all {
            full.push(MessageId::new(message), step, &[over(tail, head)]).unwrap();
        }
        let kept = needed(&task, &full).unwrap();
        assert_eq!(kept.step_count(), 2);
        assert_eq!(kept.into_schedule(), log(&[(0, 0, (0, 1)), (1, 0, (1, 2)), (1, 1, (5, 4))]));
    }
}
