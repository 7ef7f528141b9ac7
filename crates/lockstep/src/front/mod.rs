//! The front of a collective: for every size, the schedule that takes the least time.

mod candidates;
mod envelope;
mod front_plan;
mod search;
mod stages;

pub use front_plan::{Front, FrontBound, FrontPlan};
pub use search::{FrontError, FrontEvent, FrontOptions, front};
