//! The reasons why a method returns no schedule.

use lockstep_schedule::StopReason;

/// The reason why a method returns no schedule for a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MethodError {
    /// The method does not support such problems.
    Unsupported,
    /// No attempt ended in few enough steps.
    NoShorter,
    /// The budget ended.
    Stopped(StopReason),
    /// The schedule has more transfers or channel uses than can be written, or takes too much memory.
    TooLarge,
}
