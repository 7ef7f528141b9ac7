//! Measured machines: readers of benchmark outputs, and the bandwidths, latencies and slow links that they show.
//!
//! The crate runs no benchmarks. It reads what others print.
//!
//! ```
//! use lockstep_measure::format::ReadOptions;
//! use lockstep_measure::{Evidence, FitOptions, MeasuredFile, fit};
//! use lockstep_topology::Topology;
//!
//! let text = "from,to,GB/s\n0,1,24.9\n1,0,25.1\n1,2,25\n2,1,15\n0,2,25\n2,0,25\n";
//! let file = MeasuredFile::read("pairs.csv", text, &ReadOptions::default())?;
//! let ring: Topology = "ring:3".parse()?;
//! let fit = fit(&ring, &[file], &FitOptions { kind: None, ranks: Vec::new() })?;
//! let [class] = &fit.kinds[0].classes[..] else { panic!("all channels are of one class") };
//! assert_eq!((class.bandwidth, class.evidence), (25_000_000_000, Evidence::Identified));
//! assert_eq!(fit.kinds[0].slow[0].name, "2->1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *run* is one test of a benchmark: what was transferred between which devices, and its times or rates.
//! - A *sample* is one measured value of a run.
//! - A *class* has the channels of a network with equal ends, such as a terminal and a switch, and an equal nominal bandwidth.
//! - A class is *identified* if it alone limits some transfer. Otherwise, the measurements give a lower limit of its bandwidth.
//! - A *prediction* is the time that a bound, a schedule or the algorithm of a library has for one size. A *verdict* compares a measured
//!   time with predictions.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | read the output of a benchmark | [`read`](format::read) |
//! | convert a time to a rate | [`Sample::rate`] |
//! | fit a network: bandwidths, latencies, slow links | [`fit()`], [`MeasuredFile`] |
//! | compare a measured sweep with predictions | [`Observed`], [`SweepVerdict`] |
//! | fit times of collectives | [`size_lines`], [`TimeModel`] |

mod expectation;
mod fit;
pub mod format;
mod observed;
mod run;
mod sweep;

pub use expectation::{Comparison, Prediction, SmallSize, SweepPoint, SweepVerdict, TOLERANCE_PERCENT, Verdict};
pub use fit::{
    ClassFit, Evidence, Fit, FitError, FitOptions, KindFit, LatencyFit, LatencyPart, LatencyTerm, MeasuredFile,
    MixedClass, Probe, Repeats, SlowLink, SlowTransfer, fit, rounded_bandwidth,
};
pub use observed::{Observed, ObservedError, ObservedRequest};
pub use run::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};
pub use sweep::{Constant, SizeLine, TimeModel, Work, size_lines};
