//! Plans for networks with faults.

mod book;
mod degradation;
mod repair;
mod replan;
mod sweep_log;

pub use book::{BookError, Recovery, RecoveryBook};
pub use degradation::{Consequence, ConsequenceError, Degradation, Loss, Outcome, Planned, sweep};
pub use replan::{Changes, Repaired, Replan, ReplanError, replan};
pub use sweep_log::{Interrupted, SweepIdentity, SweepLog};
