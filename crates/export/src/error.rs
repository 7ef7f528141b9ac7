//! Errors of lowering and of formats.

use lockstep_schedule::Violation;

/// Why a schedule has no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The schedule is invalid.
    #[error("the schedule is invalid: {0}")]
    Invalid(Box<Violation>),
    /// A collective without a name has separate inputs and outputs.
    #[error("a list of messages has no layout in place; export it out of place")]
    NoInPlaceLayout,
    /// The buffers are too large.
    #[error("{ranks} ranks with {chunks} chunks each have buffers of more than 2^32 - 1 chunks; use fewer chunks")]
    TooManyChunks {
        /// Number of ranks.
        ranks: u32,
        /// Number of chunks of a message.
        chunks: u32,
    },
    /// Transfers pass through a terminal, and the target connects only neighbours.
    #[error(
        "{transfers} of {all} transfers pass through other terminals, but the runtime sends only over direct connections; \
         plan with --switching sf, or export with --routed if the network routes"
    )]
    ThroughTerminals {
        /// Number of transfers that pass through other terminals.
        transfers: usize,
        /// Number of all transfers.
        all: usize,
    },
}

/// Why a schedule cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The schedule has no program.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The collective is not one of the runtime.
    #[error("{format} has no {collective}; its collectives are {supported}")]
    Collective {
        /// Name of the format.
        format: &'static str,
        /// Name of the collective.
        collective: String,
        /// The collectives of the runtime.
        supported: &'static str,
    },
    /// The program exceeds a limit of the runtime.
    #[error("{place} needs {count} {what}, but {runtime} has at most {limit}; {remedy}{}", others(.exports))]
    Limit {
        /// Where the limit is exceeded: a rank, for example.
        place: String,
        /// The number that is needed.
        count: u64,
        /// What is counted.
        what: &'static str,
        /// The runtime or format.
        runtime: &'static str,
        /// The greatest number.
        limit: u64,
        /// What to do.
        remedy: &'static str,
        /// The other exports for GPUs that support the schedule, such as `--to nccl-c`.
        exports: Vec<&'static str>,
    },
}

/// Returns the end of a sentence on other exports.
fn others(exports: &[&str]) -> String {
    if exports.is_empty() { String::new() } else { format!("; or export with {}", exports.join(" or ")) }
}
