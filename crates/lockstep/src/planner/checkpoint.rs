//! Checkpoints of a planner: an interrupted plan is resumed as if there had been no interruption.

use std::cell::OnceCell;
use std::ops::Deref;

use lockstep_files::{FileError, FileKind};
use lockstep_schedule::{Collective, Problem};
use lockstep_topology::NodeId;
use serde::{Deserialize, Serialize};

use super::checkpoint_v3::StateV3;
use super::options::{PlanOptions, StoredEngine, StoredOptions};
use super::plan_state::PlanState;
use super::rounds::Rounds;

/// The file kind of checkpoints of a planner.
pub const CHECKPOINT_KIND: FileKind = FileKind {
    format: "lockstep-plan-checkpoint",
    noun: "checkpoint of a plan",
    magic: *b"lockckpt",
    version: 4,
    remedies: &[],
};

/// The format of release 0.1.0, which is still read.
const KIND_V3: FileKind = FileKind { version: 3, ..CHECKPOINT_KIND };

/// Why a checkpoint cannot be resumed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file is truncated, altered, or not a checkpoint.
    #[error(transparent)]
    File(#[from] FileError),
    /// The checkpoint belongs to another problem or other options.
    #[error("the checkpoint belongs to another {what}")]
    Mismatch {
        /// What differs.
        what: &'static str,
    },
    /// The contents cannot come from a planner.
    #[error("the checkpoint contradicts itself: {what}")]
    Inconsistent {
        /// The contradiction.
        what: String,
    },
}

impl CheckpointError {
    /// Returns true if the file is the beginning of a checkpoint: its writer was interrupted.
    pub fn is_torn(&self) -> bool {
        matches!(self, Self::File(error) if error.is_torn())
    }
}

/// Everything that decides which plan is found.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Identity {
    topology: [u8; 32],
    collective: String,
    root: Option<NodeId>,
    chunks: u32,
    /// Source and receivers, of a custom collective only.
    messages: Vec<(NodeId, Vec<NodeId>)>,
    /// In words, because its JSON form does not suit the binary codec.
    model: String,
    options: StoredOptions,
    evaluations: u64,
}

/// An identity that is computed with the first checkpoint: the digest of a large network takes seconds.
pub(super) struct LazyIdentity<'a> {
    problem: &'a Problem<'a>,
    options: PlanOptions<'a>,
    evaluations: u64,
    identity: OnceCell<Identity>,
}

impl<'a> LazyIdentity<'a> {
    /// Returns what [`Identity::new`] returns for these arguments.
    pub(super) fn new(problem: &'a Problem<'a>, options: PlanOptions<'a>, evaluations: u64) -> Self {
        Self { problem, options, evaluations, identity: OnceCell::new() }
    }
}

impl Deref for LazyIdentity<'_> {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        self.identity.get_or_init(|| Identity::new(self.problem, self.options, self.evaluations))
    }
}

impl Identity {
    /// Returns the identity of a plan with this limit of evaluations.
    pub(super) fn new(problem: &Problem<'_>, options: PlanOptions<'_>, evaluations: u64) -> Self {
        let collective = problem.collective();
        let messages = collective.listed().unwrap_or_default().iter();
        let messages = messages.map(|message| (message.source, message.receivers.clone())).collect();
        Self {
            topology: problem.topology().digest(),
            collective: collective_name(collective),
            root: collective.root(),
            chunks: collective.chunks().get(),
            messages,
            model: problem.model().to_string(),
            options: options.into(),
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

/// Returns the name of a collective in files. The name of a custom one includes a pattern that its messages do not
/// imply.
fn collective_name(collective: &Collective) -> String {
    match collective.listed() {
        Some(messages) if Collective::custom(messages.to_vec()).pattern() != collective.pattern() => {
            format!("{} {:?}", collective.abbreviation(), collective.pattern())
        }
        _ => collective.abbreviation().to_owned(),
    }
}

/// An interrupted search.
#[derive(Deserialize)]
pub(super) struct SavedSearch {
    /// Name of the engine.
    pub(super) engine: String,
    /// The state of the engine's search.
    pub(super) state: Vec<u8>,
    /// The rounds up to this search; `None` in a checkpoint of version 3, which had no rounds.
    pub(super) rounds: Option<Rounds>,
}

/// Writes a checkpoint: the fields of a [`SavedSearch`] after those of the planner.
pub(super) fn write(
    identity: &Identity,
    state: &PlanState,
    engine: &str,
    search: &[u8],
    rounds: Option<&Rounds>,
) -> Vec<u8> {
    CHECKPOINT_KIND.seal(&(identity, state, (engine, search, rounds)))
}

/// Reads a checkpoint of a planner with this identity.
pub(super) fn read(identity: &Identity, bytes: &[u8]) -> Result<(PlanState, SavedSearch), CheckpointError> {
    if let Ok((found, state, evolution)) = KIND_V3.open::<(Identity, StateV3, Vec<u8>)>(bytes) {
        identity.expect(&found)?;
        let engine = match &found.options.engine {
            StoredEngine::Auto => StoredEngine::Umda.name(),
            engine => engine.name(),
        };
        let (state, search) =
            state.into_current(evolution).map_err(|error| CheckpointError::Inconsistent { what: error.to_string() })?;
        return Ok((state, SavedSearch { engine: engine.to_owned(), state: search, rounds: None }));
    }
    let (found, state, search): (Identity, PlanState, SavedSearch) = CHECKPOINT_KIND.open(bytes)?;
    identity.expect(&found)?;
    Ok((state, search))
}
