//! Schedules of every method through the public interface.

#![expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

mod all_gather;
mod capacities;
mod search;
mod valid;
