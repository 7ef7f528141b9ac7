//! The flat binary form of lower bounds.
//!
//! All numbers are little-endian. `u8`, `u32`, `i32` and `u64` take 1, 4, 4 and 8 bytes. A list is its length as a `u32`,
//! followed by its elements. A text is the list of its UTF-8 bytes.
//!
//! ```text
//! file        := version: u8 = 1, bound
//! bound       := steps: u32, rule: u8, certificate
//! certificate := kind: u8, fields
//! ```
//!
//! The number of a rule is its place in `RULES`. The kinds and their fields, where a missing number was a deleted kind:
//!
//! ```text
//!  0 Cut              nodes: list of u32, direction: u8 (0 in, 1 out, 2 both), messages: u64, per_step: u64
//!  2 Reception        nodes: list of u32, deliveries: u64, per_step: u64
//!  3 TimedCut         infeasible: u32, holds, sends, receives: lists of u32, messages: u64, crossings: u64
//!  4 Growth           source: u32, messages: u64, receivers: u64, ports: u64, informed: list of u64
//!  5 TreeBroadcast    source: u32, infeasible: u32, states: u64, digest: text
//!  6 TreePackets      source: u32, steps: u32
//!  8 Eccentricity     node: u32, direction: u8, distance: u32, messages: u64, ports: u64
//!  9 DistanceSum      channel_uses: u64, per_step: u64
//! 10 Volume           deliveries: u64, per_step: u64
//! 11 Lengths          resources, sends, receptions: lists of u32, distance: u64, per_step: u64
//! 12 Reversed         certificate
//! 14 TimedLengths     infeasible: u32, resources, sends, receptions: lists of u32, distance: u64, available: u64
//! 15 CommonRoot       root: u32, bound
//! 17 LateCut          nodes: list of u32, receivers: u64, messages: u64, per_step: u64, late: u32, entries: u64
//! 18 GroupVolume      groups: list of list of u32, transfers: u64, members: u64, per_step: u64
//! 19 Satisfiability   infeasible: u32, variables: u32, clauses: u64, proof: list of i32, digest: text
//! ```
//!
//! The reader allocates at most a constant times the number of bytes left, whatever length a list claims, and nests
//! certificates at most `MAX_DEPTH` deep.

mod form;
mod reader;
mod writer;

pub use self::form::DecodeError;
use self::form::VERSION;
use self::reader::Reader;
use self::writer::Writer;
use crate::certificate::LowerBound;

impl LowerBound {
    /// Returns the binary form of the bound: 6 bytes and its certificate, of which a node or a length takes 4 bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockstep_certificate::{Certificate, LowerBound, Rule};
    ///
    /// let certificate = Certificate::Volume { deliveries: 30, per_step: 6 };
    /// let bound = LowerBound { steps: 5, rule: Rule::Volume, certificate };
    /// assert_eq!(bound.to_bytes().len(), 23);
    /// assert_eq!(LowerBound::from_bytes(&bound.to_bytes())?, bound);
    /// # Ok::<(), lockstep_certificate::DecodeError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer { bytes: vec![VERSION] };
        writer.bound(self);
        writer.bytes
    }

    /// Reads a bound from its binary form.
    ///
    /// The bound may be wrong; [`check`](Self::check) verifies it. Takes time and memory linear in the number of bytes.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the version is unknown, or the bytes are not exactly one bound.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let found = reader.u8()?;
        if found != VERSION {
            return Err(DecodeError::Version { found });
        }
        let bound = reader.bound()?;
        match reader.left() {
            0 => Ok(bound),
            count => Err(DecodeError::Trailing { count }),
        }
    }
}
