//! What a table says for a communicator.

use lockstep_files::one_line;

use crate::curve::MAX_BYTES;
use crate::library::{Library, LibraryCollective};

/// The ranks for which a table is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Communicator {
    /// Number of ranks, at least 1.
    pub ranks: u32,
    /// Number of hosts of the ranks, at least 1.
    pub hosts: u32,
}

/// A table of choices for one communicator.
#[derive(Clone, Debug)]
pub struct TableReading {
    /// The library.
    pub library: Library,
    /// The collectives with rules, in the order of [`Library::collectives`].
    pub collectives: Vec<ReadCollective>,
    /// What the library does with the file without a message, and what was left out.
    pub notes: Vec<String>,
}

/// The rules of a collective that fire.
#[derive(Clone, Debug)]
pub struct ReadCollective {
    /// The collective in the library.
    pub of: &'static LibraryCollective,
    /// The ranges by ascending size. Together they are all sizes up to 2^60 bytes.
    pub ranges: Vec<ReadRange>,
}

/// The sizes for which a rule fires.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadRange {
    /// The smallest size in bytes, as nccl-tests counts it.
    pub from: u64,
    /// The largest size in bytes.
    pub to: u64,
    /// The rule; `None` if none fires.
    pub rule: Option<Rule>,
}

/// A rule of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Where it is in the file, such as `line 7`.
    pub place: String,
    /// The name of the algorithm in the library; `None` for the decision of the library itself.
    pub algorithm: Option<String>,
    /// The fan-out, if the rule has one.
    pub fan_out: Option<u32>,
    /// Bytes of a segment, if messages are cut.
    pub segment_bytes: Option<u64>,
    /// The protocol of NCCL.
    pub protocol: Option<String>,
    /// The number of channels of NCCL.
    pub channels: Option<u32>,
}

/// Why a library refuses a table, or drops it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {what}")]
pub struct TableError {
    /// Where the fault is, such as `line 7`.
    pub place: String,
    /// What is wrong, and the effect.
    pub what: String,
}

impl TableError {
    pub(super) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }

    pub(super) fn at_line(line: usize, what: impl Into<String>) -> Self {
        Self::new(format!("line {line}"), what)
    }
}

impl TableReading {
    /// Adds a collective. `starts` are the sizes at which another rule may fire, and `rule` returns that of a size.
    pub(super) fn add(
        &mut self,
        of: &'static LibraryCollective,
        mut starts: Vec<u64>,
        rule: impl Fn(u64) -> Option<Rule>,
    ) {
        starts.push(0);
        starts.retain(|&start| start <= MAX_BYTES);
        starts.sort_unstable();
        starts.dedup();
        let mut ranges: Vec<ReadRange> = Vec::new();
        for from in starts {
            let rule = rule(from);
            match ranges.last_mut() {
                Some(last) if last.rule == rule => {}
                last => {
                    if let Some(last) = last {
                        last.to = from - 1;
                    }
                    ranges.push(ReadRange { from, to: MAX_BYTES, rule });
                }
            }
        }
        self.collectives.push(ReadCollective { of, ranges });
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        /// More notes do not help.
        const MAX_NOTES: usize = 100;
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note.into());
        }
    }
}

impl ReadCollective {
    /// Returns the rule that fires for a size.
    pub fn rule(&self, bytes: u64) -> Option<&Rule> {
        let after = self.ranges.partition_point(|range| range.from <= bytes);
        self.ranges.get(after.checked_sub(1)?)?.rule.as_ref()
    }
}

impl Rule {
    /// Returns a rule with an algorithm alone.
    pub(super) fn new(place: impl Into<String>, algorithm: Option<&str>) -> Self {
        Self {
            place: place.into(),
            algorithm: algorithm.map(one_line),
            fan_out: None,
            segment_bytes: None,
            protocol: None,
            channels: None,
        }
    }
}
