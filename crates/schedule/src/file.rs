//! A schedule together with what it is for: the contents of a schedule file.

use lockstep_envelope::EnvelopeError;
use lockstep_topology::{Topology, TopologyError};

use crate::collective::Collective;
use crate::model::CommunicationModel;
use crate::name::CollectiveNameError;
use crate::problem::{Problem, ProblemError};
use crate::schedule::Schedule;

/// The `format` field of a schedule file.
pub(crate) const FORMAT: &str = "lockstep-schedule";

/// The version that this library reads and writes.
pub(crate) const VERSION: u32 = 1;

/// A schedule with its network, collective and model, as a file holds them.
///
/// Invariant: network, collective and model make a [`Problem`]. The schedule may be wrong.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, ScheduleFile, verify};
/// use lockstep_topology::{NodeId, TopologyBuilder};
///
/// let mut pair = TopologyBuilder::new("pair");
/// let (a, b) = (pair.terminal("a"), pair.terminal("b"));
/// let [forth, _back] = pair.link(a, b);
/// let (pair, broadcast) = (pair.build()?, Collective::one_to_all_broadcast(a));
/// let problem = Problem::new(&pair, &broadcast, CommunicationModel::wormhole())?;
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// schedule.push(MessageId::new(0), &[forth]);
///
/// let text = ScheduleFile::new(&problem, schedule).to_json();
/// let file = ScheduleFile::from_json(&text)?;
/// assert_eq!(verify(&file.problem(), file.schedule())?.steps, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ScheduleFile {
    pub(crate) topology: Topology,
    pub(crate) collective: Collective,
    pub(crate) model: CommunicationModel,
    pub(crate) schedule: Schedule,
}

impl ScheduleFile {
    /// The schedule with a copy of its problem.
    pub fn new(problem: &Problem<'_>, schedule: Schedule) -> Self {
        let (topology, collective) = (problem.topology().clone(), problem.collective().clone());
        Self { topology, collective, model: problem.model(), schedule }
    }

    pub(crate) fn checked(
        topology: Topology,
        collective: Collective,
        model: CommunicationModel,
        schedule: Schedule,
    ) -> Result<Self, ScheduleFileError> {
        Problem::new(&topology, &collective, model)?;
        Ok(Self { topology, collective, model, schedule })
    }

    /// The problem that the schedule is for.
    pub fn problem(&self) -> Problem<'_> {
        Problem::checked(&self.topology, &self.collective, self.model)
    }

    /// The network.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        &self.collective
    }

    /// The network's rules.
    pub fn model(&self) -> CommunicationModel {
        self.model
    }

    /// The schedule, valid or not.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The schedule without the rest.
    pub fn into_schedule(self) -> Schedule {
        self.schedule
    }

    /// The contents of a file, binary or JSON as its first byte says.
    ///
    /// # Errors
    ///
    /// Those of [`from_bytes`](Self::from_bytes) and [`from_json`](Self::from_json).
    pub fn read(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        match bytes.first() {
            Some(b'{' | b' ' | b'\t' | b'\r' | b'\n') | None => Self::from_json(
                std::str::from_utf8(bytes).map_err(|error| ScheduleFileError::NotText { byte: error.valid_up_to() })?,
            ),
            Some(_) => Self::from_bytes(bytes),
        }
    }
}

/// Why a file is no schedule file.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleFileError {
    /// Bytes that are no UTF-8.
    #[error("byte {byte} is no UTF-8 text; give a schedule file, JSON or binary")]
    NotText {
        /// Place of the byte, from 0.
        byte: usize,
    },
    /// Text that is no JSON.
    #[error("the text is no JSON: {why}; correct it, or give another file")]
    Syntax {
        /// What the parser says, with line and column.
        why: String,
    },
    /// Another kind of file.
    #[error("field 'format' is '{found}', expected '{FORMAT}'; {}", remedy_of_format(.found))]
    Format {
        /// What the file says.
        found: String,
    },
    /// A version that this library does not know.
    #[error("field 'version' is {found}, but only version {VERSION} is known; use a newer lockstep")]
    Version {
        /// What the file says.
        found: u64,
    },
    /// A field of the wrong type, missing, unknown, or out of range.
    #[error("field '{field}': {why}; correct that field")]
    Field {
        /// The way to it, for example `steps[3][0].path[1]`.
        field: String,
        /// What is wrong, with line and column.
        why: String,
    },
    /// An unknown collective, or one with the wrong root.
    #[error("field 'collective': {0}")]
    Name(#[from] CollectiveNameError),
    /// Messages that are not those of the collective.
    #[error("field 'messages': {why}")]
    Messages {
        /// What is wrong, and the remedy.
        why: String,
    },
    /// Nodes and channels that make no network.
    #[error("field 'topology': {0}")]
    Topology(#[from] TopologyError),
    /// A collective that cannot be asked of the network.
    #[error("field 'collective': {0}")]
    Problem(#[from] ProblemError),
    /// A binary file that is truncated, altered or of another kind.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// A binary file whose tables do not fit together.
    #[error("the tables of the file contradict each other: {why}; write it again")]
    Tables {
        /// Which of them.
        why: &'static str,
    },
}

fn remedy_of_format(found: &str) -> &'static str {
    match found {
        "lockstep-plan" => "a plan holds its schedule in the field 'schedule'",
        "lockstep-topology" => "a topology alone is no schedule, plan one for it",
        _ => "give a schedule file",
    }
}
