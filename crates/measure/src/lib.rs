//! Measured machines: readers of benchmark outputs, and the bandwidths, latencies and slow links that they show.
//!
//! The crate runs no benchmarks. It reads what others print.
//!
//! # Concepts
//!
//! - A *run* is one test of a benchmark: what was transferred between which devices, and its times or rates.
//! - A *sample* is one measured value of a run.
//! - A *prediction* is the time that a bound, a schedule or the algorithm of a library has for one size. A *verdict* compares a measured
//!   time with predictions.

mod expectation;
pub mod format;
mod observed;
mod run;

pub use expectation::{
    Comparison, Prediction, SmallSize, SweepPoint, SweepVerdict, TOLERANCE_PERCENT, Verdict,
};
pub use observed::{Observed, ObservedError, ObservedRequest};
pub use run::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};
