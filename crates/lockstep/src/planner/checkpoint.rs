//! Checkpoints of a planner: stop anywhere, go on as if nothing had happened.

use lockstep_envelope::{EnvelopeError, decode, encode, open, seal};
use lockstep_schedule::{CollectiveKind, Problem};
use lockstep_topology::NodeId;
use serde::{Deserialize, Serialize};

use super::plan_state::PlanState;
use super::planner::PlanOptions;

const MAGIC: [u8; 8] = *b"lockckpt";
const VERSION: u32 = 3;

/// Why a checkpoint cannot be gone on from.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Truncated, altered, or no checkpoint at all.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// It belongs to another problem or other options.
    #[error("the checkpoint is of another {what}")]
    Mismatch {
        /// What differs.
        what: &'static str,
    },
    /// Its contents cannot come from a planner.
    #[error("the checkpoint contradicts itself: {what}")]
    Inconsistent {
        /// The contradiction.
        what: String,
    },
}

/// Everything that decides which plan is found.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    topology: [u8; 32],
    collective: String,
    root: Option<NodeId>,
    chunks: u32,
    /// Source and receivers, of a custom collective only.
    messages: Vec<(NodeId, Vec<NodeId>)>,
    /// In words; its JSON form is not for the binary codec.
    model: String,
    options: PlanOptions,
    evaluations: u64,
}

impl Identity {
    /// The identity of a plan that may take this many evaluations.
    pub(crate) fn new(problem: &Problem<'_>, options: PlanOptions, evaluations: u64) -> Self {
        let collective = problem.collective();
        let messages = match &collective.kind {
            CollectiveKind::Custom(messages) => {
                messages.iter().map(|message| (message.source, message.receivers.clone())).collect()
            }
            _ => Vec::new(),
        };
        Self {
            topology: problem.topology().digest(),
            collective: collective.abbreviation().to_owned(),
            root: collective.root(),
            chunks: collective.chunks.get(),
            messages,
            model: problem.model().to_string(),
            options,
            evaluations,
        }
    }

    /// Checks that another identity is the same.
    fn expect(&self, other: &Self) -> Result<(), CheckpointError> {
        let differences = [
            (self.topology != other.topology, "network"),
            (self.collective != other.collective, "collective"),
            (self.root != other.root, "root"),
            (self.chunks != other.chunks, "number of chunks"),
            (self.messages != other.messages, "set of messages"),
            (self.model != other.model, "model"),
            (self.options.engine != other.options.engine, "engine"),
            (self.options.steps != other.options.steps, "number of steps"),
            (self.options.seed != other.options.seed, "seed"),
            (self.evaluations != other.evaluations, "budget"),
        ];
        match differences.into_iter().find(|(differs, _)| *differs) {
            Some((_, what)) => Err(CheckpointError::Mismatch { what }),
            None => Ok(()),
        }
    }
}

/// A checkpoint as bytes: how far the planner is, and the state of its search.
pub(crate) fn write(identity: &Identity, state: &PlanState, search: &[u8]) -> Vec<u8> {
    seal(MAGIC, VERSION, &encode(&(identity, state, search)))
}

/// How far a planner of this identity was, and the state of its search.
pub(crate) fn read(identity: &Identity, bytes: &[u8]) -> Result<(PlanState, Vec<u8>), CheckpointError> {
    let (found, state, search): (Identity, PlanState, Vec<u8>) = decode(open(MAGIC, VERSION, bytes)?)?;
    identity.expect(&found)?;
    Ok((state, search))
}
