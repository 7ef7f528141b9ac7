//! Transfers that a schedule begins with.

use lockstep_schedule::{Schedule, Transfer};

/// The transfers of an existing schedule with their steps. They do not conflict, and no terminal receives a message
/// twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedTransfers<'a> {
    pub(crate) schedule: &'a Schedule,
    /// Whether a method may drop some of them to save steps.
    pub(crate) may_move: bool,
}

impl<'a> FixedTransfers<'a> {
    /// Returns each transfer with its step, in time order.
    pub(crate) fn transfers(self) -> impl Iterator<Item = (u32, Transfer<'a>)> {
        (0..)
            .zip(self.schedule.steps())
            .flat_map(|(step, (_, transfers))| transfers.iter().map(move |transfer| (step, transfer)))
    }
}
