//! Plans for networks with faults: repair, degradation tables and recovery books.

mod book;
mod book_error;
mod book_format;
mod consequence;
mod degradation;
mod page_check;
mod repair;
mod replan;
mod sweep;
mod sweep_log;
mod sweep_task;

pub use book::RecoveryBook;
pub use book_error::BookError;
pub use book_format::BOOK_KIND;
pub use consequence::{Consequence, ConsequenceError};
pub use degradation::{Degradation, FaultOutcome, Loss, PlanFigures};
pub use replan::{Replan, ReplanError, replan};
pub use sweep::sweep;
pub use sweep_log::{InterruptedSweep, SweepIdentity, SweepLog, SweepPage};
pub(crate) use sweep_task::{KIND as SWEEP_TASK_KIND, SweepTask};
pub use sweep_task::{SharedSweepError, sweep_with};
