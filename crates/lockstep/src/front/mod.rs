//! The front of a collective: for every size, the schedule that takes the least time.

mod algorithms;
mod candidates;
mod coarse;
mod constructions;
mod curves;
mod envelope;
mod front_plan;
mod options;
mod rings;
mod search;
mod stages;
mod turns;

pub use algorithms::{AlgorithmTimes, algorithm_times};
pub use coarse::coarse_networks;
pub use curves::{FrontCurve, FrontCurves, curve_sizes};
pub use front_plan::{Front, FrontBound, FrontPlan, Timing};
pub use options::{FrontError, FrontEvent, FrontOptions};
pub use search::{front, sizes_between, time_bound};
