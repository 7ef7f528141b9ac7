//! The interface of a combining algorithm.

use super::pattern::Pattern;
use super::ranks::{Grid, Ranks};

/// An algorithm that sends many blocks in one message.
///
/// ```
/// use lockstep_analytic::combining;
///
/// for algorithm in combining::algorithms() {
///     println!("{:20} {}", algorithm.name, algorithm.about);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CombiningAlgorithm {
    /// Short name.
    pub name: &'static str,
    /// The partners of a rank and the number of steps, in one line.
    pub about: &'static str,
    pub(super) plan: Plan,
}

/// The pairs of ranks of an algorithm, and the networks that it supports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// On every network.
    Everywhere(fn(&Ranks) -> Pattern<'_>),
    /// On ranks with coordinates, if their numbers fit.
    OnGrids(fn(&Grid) -> Option<Pattern<'_>>),
}

impl Plan {
    /// Returns the pattern on some ranks, or `None` if there is none.
    pub(super) fn pattern(self, ranks: &Ranks) -> Option<Pattern<'_>> {
        match self {
            Self::Everywhere(pattern) => Some(pattern(ranks)),
            Self::OnGrids(pattern) => pattern(ranks.grid.as_ref()?),
        }
    }
}
