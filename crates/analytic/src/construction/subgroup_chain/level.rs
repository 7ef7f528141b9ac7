//! One level of a chain of subgroups: its rounds and their paths.

use super::flag::Flag;

/// Some steps along one axis, backwards if negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leg {
    pub(super) axis: usize,
    pub(super) steps: i64,
}

/// The legs of a path, one after the other.
pub(super) type Path = Vec<Leg>;

/// A chain of subgroups, and for each of its rounds the paths of every node that holds the message when it begins.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) flag: Flag,
    pub(super) rounds: Vec<Vec<Path>>,
}

/// A channel that leaves a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Port {
    pub(super) axis: usize,
    pub(super) sign: i64,
}
