//! The fixed transfers that one attempt uses.

use lockstep_schedule::Transfer;

use crate::kit::fixed_transfers::FixedTransfers;

/// The steps of the fixed transfers that one attempt uses, and the receptions that are still to come from them.
///
/// Invariant: `pending` counts the transfers that are [promised](Self::promise) and not [released](Self::release), per
/// receiver.
#[derive(Debug)]
pub(super) struct FixedSteps<'a> {
    transfers: Option<FixedTransfers<'a>>,
    /// The number of steps used; later fixed transfers are dropped.
    steps: u32,
    /// The number of fixed transfers still to come, by receiver.
    pending: Vec<u32>,
}

impl<'a> FixedSteps<'a> {
    /// Uses the first `steps` steps of the fixed transfers.
    pub(super) fn new(transfers: Option<FixedTransfers<'a>>, steps: u32, terminals: usize) -> Self {
        Self { transfers, steps, pending: vec![0; terminals] }
    }

    /// Returns the number of steps used.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns true if the attempt may cancel fixed transfers.
    pub(super) fn may_move(&self) -> bool {
        self.transfers.is_some_and(|fixed| fixed.may_move)
    }

    /// Returns the fixed transfers of a step.
    pub(super) fn in_step(&self, step: u32) -> impl Iterator<Item = Transfer<'a>> + use<'a> {
        let fixed = self.transfers.filter(|_| step < self.steps);
        fixed.into_iter().flat_map(move |fixed| fixed.schedule.step(step as usize).iter())
    }

    /// Returns the number of fixed transfers still to come to a terminal.
    #[inline]
    pub(super) fn pending(&self, terminal: usize) -> u32 {
        self.pending[terminal]
    }

    /// Counts one more fixed transfer that is still to come.
    pub(super) fn promise(&mut self, terminal: usize) {
        self.pending[terminal] += 1;
    }

    /// Counts one fixed transfer less, because its step is planned now.
    pub(super) fn release(&mut self, terminal: usize) {
        self.pending[terminal] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{MessageId, Schedule};

    use super::*;

    #[test]
    fn transfers_after_the_used_steps_are_dropped() {
        let channel = lockstep_topology::ChannelId::new(0);
        let mut schedule = Schedule::new();
        for message in 0..3 {
            schedule.begin_step();
            schedule.push(MessageId::new(message), &[channel]);
        }
        let fixed = FixedSteps::new(Some(FixedTransfers { schedule: &schedule, may_move: true }), 2, 1);
        let counts = [0, 1, 2, 3].map(|step| fixed.in_step(step).count());
        assert_eq!((counts, fixed.may_move()), ([1, 1, 0, 0], true));
        assert_eq!(FixedSteps::new(None, 0, 1).in_step(0).count(), 0);
    }
}
