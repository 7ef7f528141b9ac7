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

mod fit;
pub mod format;
mod run;
mod sweep;

pub use fit::{
    ClassFit, Evidence, Fit, FitError, FitOptions, KindFit, LatencyFit, LatencyPart, LatencyTerm, MeasuredFile, MixedClass, Probe, SlowLink,
    SlowTransfer, fit, rounded_bandwidth,
};
pub use run::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};
pub use sweep::{Constant, SizeLine, TimeModel, Work, size_lines};
