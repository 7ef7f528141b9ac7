//! The largest problems that are planned.

use super::error::PlanError;

/// The number of evaluations of [`plan`](crate::plan()) callers without a preference: about ten seconds of one core.
pub const DEFAULT_EVALUATIONS: u64 = 10_000_000;

/// The largest number of deliveries that a planner accepts. A schedule with one transfer of one channel per delivery then takes
/// 12 GiB.
pub const MAX_DELIVERIES: u64 = 1 << 30;

/// The largest number of channel uses that the shortest paths of a problem may have: 8 GiB of a schedule.
pub const MAX_CHANNEL_USES: u64 = 1 << 31;

/// What is counted before a schedule is made, with the least memory of each in bytes: a transfer has the numbers of its message,
/// of the end of its path, and of a channel.
pub(crate) const TRANSFERS: (&str, u64) = ("transfers", 12);
pub(crate) const CHANNEL_USES: (&str, u64) = ("channel uses", 4);

/// Refuses a problem whose schedules would not fit into memory.
pub(crate) fn check_size((what, bytes_each): (&'static str, u64), amount: u64, limit: u64) -> Result<(), PlanError> {
    if amount <= limit { Ok(()) } else { Err(PlanError::TooLarge { amount, what, bytes_each, limit }) }
}
