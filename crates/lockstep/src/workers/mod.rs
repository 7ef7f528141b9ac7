//! Processes that share the work of one.

mod generation;
mod worker;
mod workers;

pub use generation::{GenerationError, advance_generation};
pub use worker::Worker;
pub use workers::{NoWorkers, WorkerError, Workers};
