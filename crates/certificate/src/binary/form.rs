//! The numbers of rules and directions, and the errors of the reader.

use crate::certificate::Direction;
use crate::rule::Rule;

/// The version of the form. A reader refuses all others.
pub(super) const VERSION: u8 = 1;

/// The rules by number. New rules go to the end. The number of a deleted rule is not used again.
pub(super) const RULES: [Option<Rule>; 22] = [
    Some(Rule::Ports),
    Some(Rule::Growth),
    Some(Rule::TreeBroadcast),
    Some(Rule::TreePackets),
    None,
    Some(Rule::Eccentricity),
    Some(Rule::Cut),
    None,
    Some(Rule::Reception),
    Some(Rule::TimedCut),
    Some(Rule::DistanceSum),
    Some(Rule::Volume),
    Some(Rule::ArcForwarding),
    None,
    Some(Rule::TreePacking),
    None,
    Some(Rule::CommonRoot),
    Some(Rule::Gossip),
    None,
    None,
    Some(Rule::Satisfiability),
    Some(Rule::TimedEntries),
];

/// The directions by number.
pub(super) const DIRECTIONS: [Option<Direction>; 3] =
    [Some(Direction::In), Some(Direction::Out), Some(Direction::Both)];

/// Certificates nest one in another: those of all-reduces hold reversed certificates, which hold others.
pub(super) const MAX_DEPTH: u32 = 4;

/// The reason why bytes are not a lower bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The version is unknown.
    #[error("the lower bound has version {found}, but this program reads version {VERSION}")]
    Version {
        /// The version in the bytes.
        found: u8,
    },
    /// The bytes end too early.
    #[error("the lower bound ends after {length} bytes, in the middle of its contents")]
    Truncated {
        /// Number of bytes.
        length: usize,
    },
    /// Bytes follow the end.
    #[error("{count} bytes follow the end of the lower bound")]
    Trailing {
        /// Number of extra bytes.
        count: usize,
    },
    /// A number or text has no meaning.
    #[error("byte {offset} of the lower bound: expected {expected}")]
    Invalid {
        /// Position of the last byte of the invalid value, from 0.
        offset: usize,
        /// The expected value.
        expected: &'static str,
    },
}
