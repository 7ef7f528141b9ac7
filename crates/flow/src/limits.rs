//! Limits of programs and simulations.

/// Largest number of units per flow, and of time units per computation: 2^53, which floats represent exactly.
pub const MAX_AMOUNT: u64 = 1 << 53;

/// Largest number of events of all programs together.
pub const MAX_EVENTS: usize = 1 << 28;

/// Largest number of flows of a workload.
pub const MAX_FLOWS: u64 = 1 << 24;

/// Largest number of paths between two terminals that flows are spread over.
pub const MAX_PATHS: usize = 64;

/// Largest number of channels of all paths together, counting each path as one more.
pub(crate) const MAX_CROSSINGS: u64 = 1 << 28;
