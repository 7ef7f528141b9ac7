//! Why a problem is not searched.

/// More steps take too much time.
pub(crate) const MAX_STEPS: u32 = 64;

/// Why a problem is not searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExhaustionError {
    /// The problem is another one.
    #[error("the search requires an all-reduce")]
    NoAllReduce,
    /// The number of steps is 0, or too large.
    #[error("the number of steps must be 1 to {MAX_STEPS}")]
    Steps,
    /// The states do not fit, or there are too many of them.
    #[error("the all-reduce is too large to enumerate its states")]
    TooLarge,
}
