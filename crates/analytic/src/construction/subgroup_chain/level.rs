//! One level of a chain of subgroups: its rounds and their paths.

use super::subgroup_flag::SubgroupFlag;

/// Steps along one axis, backwards if negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PathLeg {
    pub(super) axis: usize,
    pub(super) steps: i64,
}

/// The legs of a path, in order.
pub(super) type LegPath = Vec<PathLeg>;

/// A chain of subgroups, and for each of its rounds the paths of every holder.
#[derive(Clone, Debug)]
pub(super) struct ChainLevel {
    pub(super) flag: SubgroupFlag,
    pub(super) rounds: Vec<Vec<LegPath>>,
}

/// A channel at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AxisPort {
    pub(super) axis: usize,
    pub(super) sign: i64,
}
