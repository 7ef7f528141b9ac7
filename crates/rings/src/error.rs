//! Errors of searches.

use lockstep_files::one_line;
use lockstep_topology::NodeId;

use crate::ring_set::MAX_RINGS;

/// The reason there is no search.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// Fewer than two terminals.
    #[error("{found} terminals are too few for a ring; give two or more")]
    FewTerminals {
        /// The number of terminals.
        found: usize,
    },
    /// A node that is not a terminal.
    #[error("node {node} is not a terminal of the network; name terminals only")]
    NotTerminal {
        /// The node.
        node: NodeId,
    },
    /// A terminal that is listed twice.
    #[error("'{}' is listed twice; list each terminal once", one_line(.name))]
    TerminalTwice {
        /// The name of the terminal.
        name: String,
    },
    /// A number of rings that is zero or too large.
    #[error("the number of rings is {found}, but a set has 1 to {MAX_RINGS}")]
    Count {
        /// The number of rings.
        found: u32,
    },
    /// A hop between terminals without a path.
    #[error(
        "ring {ring}: no path leads from '{}' to '{}' over {relay} terminals or fewer; change the order, or allow more relays",
        one_line(.from),
        one_line(.to)
    )]
    NoPath {
        /// The ring, from 0.
        ring: usize,
        /// The name of the first terminal.
        from: String,
        /// The name of the second terminal.
        to: String,
        /// The maximum number of terminals inside a hop.
        relay: u32,
    },
}
