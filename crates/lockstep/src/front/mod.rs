//! The front of a collective: for every size, the schedule that takes the least time.

mod algorithms;
mod candidates;
mod envelope;
mod front_plan;
mod search;
mod stages;

pub use algorithms::{AlgorithmTimes, algorithm_times};
pub use front_plan::{Front, FrontBound, FrontPlan};
pub use search::{FrontError, FrontEvent, FrontOptions, front};
