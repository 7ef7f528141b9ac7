//! Broadcasts on square tori, judged round by round without being written down.

use std::time::{Duration, Instant};

use anyhow::Result;

/// A broadcast that the judge accepted.
pub(super) struct Broadcast {
    pub(super) side: u32,
    pub(super) rounds: u32,
    /// Nodes multiply by 5 a round at most.
    pub(super) bound: u32,
    pub(super) transmissions: u64,
    pub(super) time: Duration,
}

impl Broadcast {
    /// Whether every node got the message once, in at most so many rounds above the bound.
    pub(super) fn holds(&self, above: u32) -> bool {
        let others = u64::from(self.side) * u64::from(self.side) - 1;
        self.transmissions == others && (self.bound..=self.bound + above).contains(&self.rounds)
    }
}
