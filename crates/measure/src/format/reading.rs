//! The result of a reader, and its options.

use crate::Run;

/// What a file says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reading {
    /// The runs, in the order of the file.
    pub runs: Vec<Run>,
    /// What the user should know: assumed units, values that were left out, and why.
    pub notes: Vec<String>,
}

/// What a file may not say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadOptions {
    /// The number of ranks, for outputs that do not state it. The OSU micro-benchmarks do not.
    pub ranks: Option<u32>,
    /// Bytes per second in a unit of the rates, such as 2^20 for MiB/s. It replaces the unit of the tool.
    pub rate_unit: Option<u64>,
}
