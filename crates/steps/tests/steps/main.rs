//! Programs in steps: exported schedules come back, and other programs get the steps that their order allows.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod exported;
mod lines;
mod programs;
mod ranks;

use lockstep_execute::{Format, Runtime, load, trace};
use lockstep_steps::{Conversion, ConvertError, convert};
use lockstep_topology::Topology;

/// Converts a file on the network of the pairs that talk, or on a given one.
fn converted(contents: &[u8], format: Format, network: Option<&Topology>) -> Result<Conversion, ConvertError> {
    let programs = load(contents, format, Runtime::Msccl).unwrap_or_else(|error| panic!("{error}"));
    let trace = trace(&programs[0]).unwrap_or_else(|violation| panic!("{violation}"));
    convert(&programs[0], &trace, network.cloned())
}

/// Returns the sum of the widths.
fn width_sum(conversion: &Conversion) -> u64 {
    conversion.widths.iter().map(|&width| u64::from(width)).sum()
}
