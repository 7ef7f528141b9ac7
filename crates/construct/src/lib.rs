//! x
#![allow(missing_docs)]
mod distance;
mod engine;
mod log;
mod relay;
mod scatter;
mod slots;
mod spread;
mod task;
pub use engine::schedule;
