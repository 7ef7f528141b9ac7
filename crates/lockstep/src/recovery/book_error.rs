//! Why a recovery book cannot be read.

use lockstep_faults::FaultError;
use lockstep_files::FileError;
use lockstep_schedule::{ProblemError, ScheduleFileError};

use crate::plan::PlanFileError;

/// Why a recovery book, or a plan in it, cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file is altered, or not a book.
    #[error(transparent)]
    File(#[from] FileError),
    /// The book is truncated, or its sweep is not complete.
    #[error("the book has no end: it is truncated, or still being written; fetch it again, or complete its sweep")]
    Unfinished,
    /// The pages are not in order.
    #[error("the pages are not in order; the file is altered, fetch or write it again")]
    Order,
    /// The file has figures of an old version without plans.
    #[error("the file has figures without plans, which cannot be checked; write it again")]
    NoPlans,
    /// The log belongs to another sweep.
    #[error("it belongs to another sweep")]
    OtherSweep,
    /// A plan file in the book cannot be read.
    #[error("the plan of the network without faults: {0}")]
    Plan(#[from] PlanFileError),
    /// A schedule cannot be read.
    #[error("a schedule of the book: {0}")]
    Schedule(ScheduleFileError),
    /// The network does not have these faults.
    #[error(transparent)]
    Faults(#[from] FaultError),
    /// The collective is none on this network.
    #[error("the book contradicts itself: {0}")]
    Problem(#[from] ProblemError),
    /// A claim of a page is wrong.
    #[error("the plan for {faults} is refused: {why}; the file is altered, fetch or write it again")]
    Page {
        /// The faults of the page.
        faults: String,
        /// The wrong claim.
        why: String,
    },
}

impl BookError {
    /// Returns true if the file is the beginning of the first piece of a book: its writer was interrupted.
    pub fn is_torn(&self) -> bool {
        matches!(self, Self::File(error) if error.is_torn())
    }
}
