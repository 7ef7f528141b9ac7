//! Which of the shortest paths a flow takes.

use serde::{Deserialize, Serialize};

use crate::name::named;

/// The most paths among which the flows between two terminals are divided.
pub const MAX_PATHS: usize = 64;

/// Which shortest paths the flows between two terminals take. Inner nodes of all paths route.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// That of the tree of shortest paths from the terminal of the lower number, in which every node hangs on the first
    /// one that a breadth-first search meets, lowest neighbours first; the same way back. In a network with one-way
    /// channels, the tree of the source.
    SpTree,
    /// One that is drawn at random, the same for all flows from one terminal to another.
    SpRandom,
    /// All in turn, in the order of the flows; of more than [`MAX_PATHS`] as many, drawn at random.
    EcmpRoundRobin,
    /// One that is drawn at random, for each flow anew.
    EcmpRandom,
    /// All at the same time: a flow is cut into equal parts, and it is done when all of them are. Of more than
    /// [`MAX_PATHS`] as many, drawn at random.
    EcmpSplit,
}

named!(
    Routing,
    "routing",
    SpTree = "sp-tree",
    SpRandom = "sp-random",
    EcmpRoundRobin = "ecmp-round-robin",
    EcmpRandom = "ecmp-random",
    EcmpSplit = "ecmp-split"
);
