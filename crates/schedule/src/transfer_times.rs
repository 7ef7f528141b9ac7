//! When each transfer of a schedule begins and ends.

use crate::cost::Picoseconds;

/// The times of a transfer, from the begin of the schedule on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferTimes {
    /// When the sender begins. The transfer occupies all channels of its path from then on.
    pub begin: Picoseconds,
    /// When the sender has finished, and the channels are free again.
    pub sent: Picoseconds,
    /// When the receiver can use the chunk.
    pub arrival: Picoseconds,
}

impl TransferTimes {
    pub(crate) fn new(begin: u128, sent: u128, arrival: u128) -> Self {
        let [begin, sent, arrival] = [begin, sent, arrival].map(Picoseconds::new);
        Self { begin, sent, arrival }
    }
}
