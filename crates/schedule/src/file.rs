//! A schedule together with what it is for: the contents of a schedule file.

use lockstep_files::{FileError, FileKind, one_line};
use lockstep_topology::{CayleyError, Topology, TopologyError};

use crate::collective::Collective;
use crate::model::CommunicationModel;
use crate::name::{CollectiveName, CollectiveNameError};
use crate::problem::{Problem, ProblemError};
use crate::schedule::Schedule;

pub(crate) const KIND: FileKind = FileKind {
    format: "lockstep-schedule",
    noun: "schedule",
    magic: *b"lockschd",
    version: 1,
    remedies: &[
        ("lockstep-plan", "a plan holds its schedule in the field 'schedule'"),
        ("lockstep-topology", "a topology alone is no schedule, plan one for it"),
    ],
};

/// The version of files that state the pattern of a custom collective; those of [`KIND`] let the messages imply it.
pub(crate) const PATTERN_KIND: FileKind = FileKind { version: 2, ..KIND };

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
/// let (pair, broadcast) = (pair.build()?, Collective::broadcast(a));
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

    /// The lowest version that holds the schedule.
    pub(crate) fn kind(&self) -> FileKind {
        if self.collective.implies_pattern() { KIND } else { PATTERN_KIND }
    }

    pub(crate) fn checked(
        topology: Topology,
        collective: Collective,
        model: CommunicationModel,
        schedule: Schedule,
    ) -> Result<Self, ScheduleFileError> {
        Problem::new(&topology, &collective, model).map_err(ScheduleFileError::Problem)?;
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
        KIND.read(bytes, Self::from_json, Self::from_bytes)
    }
}

/// Why a file is no schedule file, or no symmetric one. Every message is one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleFileError {
    /// Another kind of file, a damaged one, or a field that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// An unknown collective, or one with the wrong root.
    #[error("field 'collective': {}", one_line(&.0.to_string()))]
    Name(CollectiveNameError),
    /// A pattern where none belongs.
    #[error("field 'collective.pattern': {why}")]
    Pattern {
        /// What is wrong, and the remedy.
        why: &'static str,
    },
    /// Messages that are not those of the collective.
    #[error("field 'messages': {why}")]
    Messages {
        /// What is wrong, and the remedy.
        why: String,
    },
    /// Nodes and channels that make no network.
    #[error("field 'topology': {}", one_line(&.0.to_string()))]
    Topology(TopologyError),
    /// A collective that cannot be asked of the network.
    #[error("field 'collective': {}", one_line(&.0.to_string()))]
    Problem(ProblemError),
    /// Sides and generators that make no Cayley graph.
    #[error("field 'graph': {}", one_line(&.0.to_string()))]
    Graph(CayleyError),
    /// A Cayley graph of more sides or generators than may be read.
    #[error("field 'graph.{field}': there are {found}, at most {limit} are allowed")]
    GraphSize {
        /// `sides` or `generators`.
        field: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A collective in which not every source does the same.
    #[error("field 'collective': a symmetric schedule is one of aab or aas, not of {collective}")]
    NotSymmetric {
        /// The collective.
        collective: CollectiveName,
    },
    /// A binary file whose tables do not fit together.
    #[error("the tables of the file contradict each other: {why}; write it again")]
    Tables {
        /// Which of them.
        why: &'static str,
    },
}
