//! What a front covers, its events and its errors.

use std::num::NonZeroU32;

use lockstep_schedule::Picoseconds;

use super::front_plan::Timing;
use crate::planner::{EngineChoice, PlanError};

/// What a front covers, and how much work it may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontOptions {
    /// The smallest and the largest size in bytes, as nccl-tests counts them.
    pub sizes: [u64; 2],
    /// The maximum number of chunks per message.
    pub chunks: NonZeroU32,
    /// Evaluations per schedule, see [`Budget`](lockstep_schedule::Budget).
    pub evaluations: u64,
    /// The maximum number of deliveries of all schedules together. At least one schedule is planned.
    pub deliveries: u64,
    /// Seed of all random choices.
    pub seed: u64,
    /// The engines of the planner. With a named engine, the front has its schedules only.
    pub engine: EngineChoice,
    /// The kind of time for which schedules are compared.
    pub timing: Timing,
}

impl Default for FrontOptions {
    /// From 1 KiB to 1 GiB, up to 16 chunks, with seed 1.
    fn default() -> Self {
        Self {
            sizes: [1 << 10, 1 << 30],
            chunks: const { NonZeroU32::new(16).unwrap() },
            evaluations: 1 << 15,
            deliveries: 1 << 22,
            seed: 1,
            engine: EngineChoice::Auto,
            timing: Timing::Synchronous,
        }
    }
}

/// Why there is no front.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontError {
    /// The network does not say what one unit of capacity is.
    #[error("{network}: the network has no bandwidths; give that of one unit of capacity")]
    NoUnit {
        /// The name of the network.
        network: String,
    },
    /// The smallest size exceeds the largest one.
    #[error("the smallest size, {} bytes, exceeds the largest one, {} bytes", sizes[0], sizes[1])]
    NoSize {
        /// Both sizes.
        sizes: [u64; 2],
    },
    /// There is no schedule.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// A report about the work on a front: a schedule was planned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FrontEvent {
    /// Number of chunks per message.
    pub chunks: u32,
    /// Its number of steps.
    pub steps: u32,
    /// The sum of their widths.
    pub width_sum: u64,
    /// The least time of the largest size so far; `None` if its computation did not end in time.
    pub time: Option<Picoseconds>,
    /// The lower bound of that time.
    pub time_bound: Picoseconds,
    /// The number of parts of the work that are done: a construction for a number of chunks, or a search for a pair of chunks
    /// and width.
    pub done: usize,
    /// The number of these parts.
    pub total: usize,
}
