//! Why there is no plan.

use lockstep_schedule::{NotFound, ProblemError, Violation};

use super::checkpoint::CheckpointError;
use super::registry::EngineError;
use crate::plan::{PlanRefusal, WithdrawnBound};

/// Why there is no plan.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The collective is not possible on the network.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The options name an engine that is not in their registry.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The problem is too large.
    #[error(
        "the schedule needs {amount} {what} and at least {} GiB of memory; the limit is {limit} {what}; choose a smaller network \
         or fewer chunks, or plan one source of a symmetric network with --symmetric",
        amount.saturating_mul(*bytes_each).div_ceil(1 << 30)
    )]
    TooLarge {
        /// The smallest possible number.
        amount: u64,
        /// What is counted.
        what: &'static str,
        /// The least memory of each, in bytes.
        bytes_each: u64,
        /// The largest number that is planned.
        limit: u64,
    },
    /// The maximum number of steps is below the lower bound.
    #[error("no schedule has fewer than {least} steps ({why}); allow more than {steps}")]
    Impossible {
        /// The maximum number of steps.
        steps: u32,
        /// The lower bound.
        least: u32,
        /// The certificate of the bound in words.
        why: String,
    },
    /// No engine found a schedule.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The checkpoint cannot be resumed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A lower bound is false or not proved. The error keeps the schedule.
    #[error(transparent)]
    BoundWithdrawn(#[from] Box<WithdrawnBound>),
    /// The verifier refused the only schedule that was found.
    #[error("the {engine} engine made an invalid schedule: {violation}; this is a bug of the engine")]
    Refused {
        /// Name of the engine.
        engine: String,
        /// The rule that the schedule breaks.
        violation: Box<Violation>,
    },
}

impl PlanError {
    /// Returns the error for a schedule of an engine that forms no plan.
    pub(crate) fn refused(engine: &str, refusal: PlanRefusal) -> Self {
        match refusal {
            PlanRefusal::Schedule(violation) => {
                Self::Refused { engine: engine.to_owned(), violation: Box::new(violation) }
            }
            PlanRefusal::Bound(withdrawn) => withdrawn.into(),
        }
    }
}
