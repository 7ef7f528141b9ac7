//! The interface of a combining algorithm.

use lockstep_schedule::Part;

use super::grid::Grid;
use super::pattern::{Pattern, Pipeline};
use super::ranks::Ranks;

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

impl CombiningAlgorithm {
    /// Returns the algorithm as a part that a budget can [leave out](lockstep_schedule::Budget::without).
    pub const fn part(&self) -> Part {
        Part { owner: "combining", name: self.name, about: self.about }
    }
}

/// The pairs of ranks of an algorithm, and the networks that it supports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// On every network.
    Everywhere(fn(&Ranks) -> Pattern<'_>),
    /// On ranks with coordinates, if their numbers fit.
    OnGrids(fn(&Grid) -> Option<Pattern<'_>>),
    /// On every network, for a number of ranks and a number of blocks with one root.
    FromRoot(fn(usize, usize) -> Pipeline),
}
