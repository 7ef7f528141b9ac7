//! Why a program has no steps.

use lockstep_paths::TableError;
use lockstep_schedule::{ProblemError, Violation};
use lockstep_topology::TopologyError;

/// Why a program cannot be converted to steps.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The network has another number of terminals, or another number was given.
    #[error(
        "the program has {ranks} ranks, but there are {terminals} terminals; give the {ranks} terminals of the ranks"
    )]
    Ranks {
        /// Number of ranks.
        ranks: u32,
        /// Number of terminals for them.
        terminals: usize,
    },
    /// A node that cannot be the terminal of a rank.
    #[error("'{name}' {why}; give one working terminal per rank")]
    Terminal {
        /// The name of the node.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No path leads from one rank to another one.
    #[error(
        "rank {from} sends to rank {to}, but the network has no path from '{tail}' to '{head}'; give another network"
    )]
    NoPath {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// The terminal of the sender.
        tail: String,
        /// The terminal of the receiver.
        head: String,
    },
    /// No rank needs data of another one.
    #[error("no output needs data of another rank; so the program has no steps")]
    NoMessages,
    /// The chunks stand for different amounts of data.
    #[error("its chunks have different sizes without a common unit, so they do not fit into steps of equal transfers")]
    UnequalChunks,
    /// Some outputs are sums and others are copies.
    #[error("some outputs are sums and others are copies; split the program into two")]
    Mixed,
    /// The sums belong to no known collective.
    #[error("the sums of the outputs are no reduce, reduce-scatter or all-reduce of all ranks")]
    Sums,
    /// The conversion needs too much memory.
    #[error("the program has {amount} {what}, more than {limit}; use fewer chunks or ranks")]
    TooLarge {
        /// The required number.
        amount: u64,
        /// What is counted.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The network of the file is not valid.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The paths of the network cannot be computed.
    #[error(transparent)]
    Paths(#[from] TableError),
    /// Network and collective do not fit together.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The program follows no step model, although its data is right.
    #[error("the program obeys no step model: {0}")]
    Steps(Box<Violation>),
}

impl ConvertError {
    /// Returns true if the program may be right, but follows no steps that this crate can find. Otherwise, the network or the
    /// program does not fit.
    pub fn is_about_steps(&self) -> bool {
        matches!(self, Self::Steps(_) | Self::Sums | Self::UnequalChunks | Self::TooLarge { .. })
    }
}
