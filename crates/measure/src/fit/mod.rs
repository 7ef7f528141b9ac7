//! The fit of a network to measurements.

mod bandwidth;
mod devices;
mod error;
mod fitting;
mod kind_fit;
mod latency;
mod limits;
mod measured_file;
mod network;
mod possible;
mod probe;
mod repeats;
mod result;
mod rounding;
mod routes;
mod slow;
mod tested;
mod trials;
mod wires;

pub use self::error::FitError;
pub use self::fitting::{FitOptions, fit};
pub use self::latency::{LatencyFit, LatencyPart, LatencyTerm};
pub use self::measured_file::MeasuredFile;
pub use self::result::{ClassFit, Evidence, Fit, KindFit, MixedClass, Probe, Repeats, SlowLink, SlowTransfer};
pub use self::rounding::rounded_bandwidth;
