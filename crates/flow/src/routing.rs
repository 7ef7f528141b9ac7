//! Routing: the choice among shortest paths.

use serde::{Deserialize, Serialize};

use crate::name::named;

/// The choice of shortest paths for the flows between two terminals. All inner nodes of a path forward.
///
/// ```
/// use lockstep_flow::Routing;
///
/// assert_eq!("ecmp-split".parse(), Ok(Routing::EcmpSplit));
/// assert_eq!(Routing::ALL.len(), 5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// The path in the breadth-first tree of the terminal with the lower number, neighbours in ascending order. The
    /// reverse direction uses the same path. In a network with one-way channels, the tree of the source is used.
    SpTree,
    /// One random path for all flows from one terminal to another.
    SpRandom,
    /// All paths in turn, in the order of the flows. Of more than [`MAX_PATHS`](crate::MAX_PATHS) paths, a random
    /// selection.
    EcmpRoundRobin,
    /// One random path per flow.
    EcmpRandom,
    /// All paths at the same time: a flow is split into equal subflows, and it ends when all of them end. Of more than
    /// [`MAX_PATHS`](crate::MAX_PATHS) paths, a random selection.
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
