//! The collectives of a library, and their algorithms.

use lockstep_schedule::CollectiveName;

use crate::algorithm::Algorithm;

/// A collective of a library.
#[derive(Debug)]
#[non_exhaustive]
pub struct LibraryCollective {
    /// The collective.
    pub collective: CollectiveName,
    /// The name in the table of the library.
    pub name: &'static str,
    /// The number in the table of the library, if it has numbers.
    pub number: u32,
    /// The algorithms, in the order of their numbers. Empty for NCCL, whose algorithms its own model describes.
    pub algorithms: &'static [LibraryAlgorithm],
}

impl LibraryCollective {
    /// Returns a collective with its number and name in the table of the library.
    pub(super) const fn new(
        collective: CollectiveName,
        number: u32,
        name: &'static str,
        algorithms: &'static [LibraryAlgorithm],
    ) -> Self {
        Self { collective, name, number, algorithms }
    }
}

/// An algorithm of a library.
#[derive(Debug)]
#[non_exhaustive]
pub struct LibraryAlgorithm {
    /// The name in the library.
    pub name: &'static str,
    /// The number in the library, if it has numbers.
    pub number: u32,
    /// The messages.
    pub algorithm: &'static Algorithm,
    /// The radix or fan-out: the only one, or those that the table can choose from.
    pub fans: &'static [u32],
    /// True if the table can choose a segment size.
    pub has_segments: bool,
}

impl LibraryAlgorithm {
    /// Returns an algorithm without radix and segments.
    pub(super) const fn plain(number: u32, name: &'static str, algorithm: &'static Algorithm) -> Self {
        Self::radix(number, name, algorithm, &[0])
    }

    /// Returns an algorithm with a radix or fan-out.
    pub(super) const fn radix(
        number: u32,
        name: &'static str,
        algorithm: &'static Algorithm,
        fans: &'static [u32],
    ) -> Self {
        Self { name, number, algorithm, fans, has_segments: false }
    }

    /// Returns the algorithm with segments.
    pub(super) const fn in_segments(self) -> Self {
        Self { has_segments: true, ..self }
    }
}
