//! Measured machines: readers of benchmark outputs, and the bandwidths, latencies and slow links that they show.
//!
//! The crate runs no benchmarks. It reads what others print.
//!
//! # Concepts
//!
//! - A *run* is one test of a benchmark: what was transferred between which devices, and its times or rates.
//! - A *sample* is one measured value of a run.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | read the output of a benchmark | [`read`](format::read) |
//! | convert a time to a rate | [`Sample::rate`] |

pub mod format;
mod run;

pub use run::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};
