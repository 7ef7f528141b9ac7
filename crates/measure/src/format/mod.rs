//! The formats of benchmark outputs.

pub mod pico;

use crate::Run;

/// What a file says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reading {
    /// The runs, in the order of the file.
    pub runs: Vec<Run>,
    /// What the user should know: assumed units, values that were left out, and why.
    pub notes: Vec<String>,
}
