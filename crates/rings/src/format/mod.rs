//! Files of NCCL and RCCL with rings and trees: what these libraries load without changes, and what they print.
//!
//! The types of the formats have the numbers of devices and ranks of the file, and know no network. [`Devices`] says which terminal
//! has which number.

mod conversion;
mod devices;
pub mod environment;
mod error;
pub mod nccl_graph;
pub mod nccl_log;
pub mod nccl_rings;
mod order;
pub mod rccl_trees;
mod tree_load;

use std::fmt;

pub use self::conversion::{ConversionError, GraphFacts, check_one_host, nccl_graphs, orders_of, worst_path};
pub use self::devices::Devices;
pub use self::error::{FormatError, FormatFault};
pub use self::order::{Order, Tree};
pub use self::tree_load::tree_cost;
pub use crate::chains::chains_of;

/// A format of files of NCCL and RCCL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `NCCL_GRAPH_FILE` and `NCCL_GRAPH_DUMP_FILE`.
    NcclGraph,
    /// Assignments of `NCCL_RINGS`, `NCCL_RINGS_REMAP` and `RCCL_TREES`.
    RcclEnvironment,
    /// Output of programs with `NCCL_DEBUG=INFO`.
    NcclLog,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::NcclGraph, Self::RcclEnvironment, Self::NcclLog];

    /// Returns the name of the format on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::NcclGraph => "nccl-graph",
            Self::RcclEnvironment => "rccl-environment",
            Self::NcclLog => "nccl-log",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the format of a text. Takes linear time.
///
/// ```
/// use lockstep_rings::format::{Format, detect};
///
/// assert_eq!(detect("<graphs version=\"1\"/>"), Some(Format::NcclGraph));
/// assert_eq!(detect("export NCCL_RINGS=\"0 1|1 0\""), Some(Format::RcclEnvironment));
/// assert_eq!(detect("<algo name=\"ring\"/>"), None);
/// ```
pub fn detect(text: &str) -> Option<Format> {
    let is_graph = text.trim_start().starts_with('<') && text.contains("<graphs");
    if is_graph {
        Some(Format::NcclGraph)
    } else if nccl_log::looks_like(text) {
        Some(Format::NcclLog)
    } else if environment::looks_like(text) {
        Some(Format::RcclEnvironment)
    } else {
        None
    }
}
