//! A graph file that was read, and the options of its reader.

use super::error::ReadError;
use super::notes::ReadNote;
use crate::{Topology, TopologyBuilder};

/// How a graph file is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Bandwidth of one unit of capacity in bytes per second. `None` takes the unit of the file, or the greatest common
    /// divisor of all bandwidths. Bandwidths are rounded down to multiples of the unit.
    pub unit_bytes_per_second: Option<u64>,
}

impl ReadOptions {
    /// Returns the options with another unit of capacity, in bytes per second.
    #[must_use]
    pub fn with_unit(self, bytes_per_second: u64) -> Self {
        Self { unit_bytes_per_second: Some(bytes_per_second) }
    }
}

/// A graph file that was read.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct GraphFile {
    /// The network.
    pub topology: Topology,
    /// What its reader has ignored, and hints.
    pub notes: Vec<ReadNote>,
}

impl From<Topology> for GraphFile {
    fn from(topology: Topology) -> Self {
        Self { topology, notes: Vec::new() }
    }
}

impl GraphFile {
    /// Builds the network of a file.
    pub(super) fn build(
        mut builder: TopologyBuilder,
        options: &ReadOptions,
        notes: impl IntoIterator<Item = ReadNote>,
    ) -> Result<Self, ReadError> {
        if let Some(unit) = options.unit_bytes_per_second {
            builder.set_unit(unit);
        }
        let topology = builder.build()?;
        let notes = notes.into_iter().chain(ReadNote::no_switch(&topology)).collect();
        Ok(Self { topology, notes })
    }
}
