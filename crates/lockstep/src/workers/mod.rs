//! Processes that share the work of one.

mod worker;
mod workers;

pub use worker::Worker;
pub use workers::{NoWorkers, WorkerError, Workers};
