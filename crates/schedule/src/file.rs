//! Schedule files: a schedule and its problem.

use std::num::NonZeroU32;

use lockstep_files::{FileError, FileKind, message_line};
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

/// The kind of plan files, whose field `schedule` is a schedule file. [`ScheduleFile::read`] reads this field alone.
pub const PLAN_KIND: FileKind = FileKind {
    format: "lockstep-plan",
    noun: "plan",
    magic: *b"lockplan",
    version: 2,
    remedies: &[("lockstep-topology", "a topology alone is no plan, plan one for it")],
};

/// Version 1, in which no file says how it was made. Files that do not say it are still written in this version, so that
/// older releases read them.
pub const FIRST_PLAN_KIND: FileKind = FileKind { version: 1, ..PLAN_KIND };

/// The kind of binary plan files: a sealed piece of claims, followed by a binary schedule file.
pub const BINARY_PLAN_KIND: FileKind = FileKind { version: 3, ..PLAN_KIND };

/// Version 2 of JSON files, which states the pattern of a custom collective. In version 1, [`KIND`], the messages imply the
/// pattern.
pub(crate) const PATTERN_KIND: FileKind = FileKind { version: 2, ..KIND };

/// Version 3 of JSON files, which also has capacities, latencies, hosts, a unit of bandwidth, or widths of steps.
pub(crate) const RATES_KIND: FileKind = FileKind { version: 3, ..KIND };

/// Version 4, which is written. Its JSON form has the standard words of collectives, where earlier versions have the short forms
/// of the documents. The steps of its binary form are [compact](crate::compact).
pub(crate) const CURRENT_KIND: FileKind = FileKind { version: 4, ..KIND };

/// A schedule with its network, collective and model: the contents of a file.
///
/// Invariant: network, collective and model form a valid [`Problem`]. The schedule may be invalid.
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
    /// Returns the file of a schedule, with a copy of its problem.
    pub fn new(problem: &Problem<'_>, schedule: Schedule) -> Self {
        let (topology, collective) = (problem.topology().clone(), problem.collective().clone());
        Self { topology, collective, model: problem.model(), schedule }
    }

    /// Sets the widths of the steps, one per step, or none if all are 1.
    pub(crate) fn with_widths(mut self, widths: Vec<NonZeroU32>) -> Result<Self, ScheduleFileError> {
        let (found, steps) = (widths.len(), self.schedule.step_count());
        if found != 0 && found != steps {
            let why = format!("found {found} widths for {steps} steps; give one per step, or leave the field out");
            return Err(ScheduleFileError::Widths { why });
        }
        self.schedule.set_widths(widths);
        Ok(self)
    }

    pub(crate) fn checked(
        topology: Topology,
        collective: Collective,
        model: CommunicationModel,
        schedule: Schedule,
    ) -> Result<Self, ScheduleFileError> {
        let model = Problem::new(&topology, &collective, model).map_err(ScheduleFileError::Problem)?.model();
        Ok(Self { topology, collective, model, schedule })
    }

    /// Returns the problem that the schedule is for.
    pub fn problem(&self) -> Problem<'_> {
        Problem::checked(&self.topology, &self.collective, self.model)
    }

    /// Returns the network.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Returns the collective.
    pub fn collective(&self) -> &Collective {
        &self.collective
    }

    /// Returns the communication model.
    pub fn model(&self) -> CommunicationModel {
        self.model
    }

    /// Returns the schedule, valid or not.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the schedule and drops the problem.
    pub fn into_schedule(self) -> Schedule {
        self.schedule
    }

    /// Reads the file of a schedule or of a plan, without the claims of a plan. The first byte tells binary from JSON.
    ///
    /// # Errors
    ///
    /// The errors of `from_bytes` and [`from_json`](Self::from_json), and [`FileError::Binary`] without the feature `sealed`.
    pub fn read(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        KIND.read(bytes, Self::from_json_or_plan, Self::from_bytes_or_plan)
    }

    fn from_json_or_plan(text: &str) -> Result<Self, ScheduleFileError> {
        /// The field of a plan file that holds the schedule file.
        #[derive(serde::Deserialize)]
        struct Plan {
            format: String,
            version: u32,
            schedule: ScheduleFile,
        }
        match Self::from_json(text) {
            Err(ScheduleFileError::File(FileError::Format { found, .. })) if found == PLAN_KIND.format => {
                let plan: Plan = PLAN_KIND.parse(text)?;
                let kind = if plan.version == FIRST_PLAN_KIND.version { FIRST_PLAN_KIND } else { PLAN_KIND };
                kind.check(&plan.format, plan.version.into())?;
                Ok(plan.schedule)
            }
            file => file,
        }
    }

    #[cfg(feature = "sealed")]
    fn from_bytes_or_plan(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        let FileKind { magic, version, .. } = BINARY_PLAN_KIND;
        match lockstep_files::open_first(magic, version, bytes) {
            Err(lockstep_files::SealError::Magic { .. }) => Self::from_bytes(bytes),
            claims => Self::from_bytes(claims.map_err(FileError::from)?.1),
        }
    }

    #[cfg(not(feature = "sealed"))]
    fn from_bytes_or_plan(_: &[u8]) -> Result<Self, ScheduleFileError> {
        Err(FileError::Binary { kind: KIND }.into())
    }
}

/// The reason why a file is not a schedule file or a symmetric schedule file. Every error message is one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleFileError {
    /// A file of another kind, a damaged file, or a field that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// An unknown collective, a missing root, or a root where none is allowed.
    #[error("field 'collective': {}", message_line(&.0.to_string()))]
    Name(CollectiveNameError),
    /// Widths that do not fit the steps.
    #[error("field 'widths': {why}")]
    Widths {
        /// The fault and the remedy.
        why: String,
    },
    /// A pattern where none is allowed.
    #[error("field 'collective.pattern': {why}")]
    Pattern {
        /// The fault and the remedy.
        why: &'static str,
    },
    /// Messages that differ from those of the collective.
    #[error("field 'messages': {why}")]
    Messages {
        /// The fault and the remedy.
        why: String,
    },
    /// Nodes and channels that form no valid network.
    #[error("field 'topology': {}", message_line(&.0.to_string()))]
    Topology(TopologyError),
    /// A collective that does not fit the network.
    #[error("field 'collective': {}", message_line(&.0.to_string()))]
    Problem(ProblemError),
    /// Sides and generators that form no valid Cayley graph.
    #[error("field 'graph': {}", message_line(&.0.to_string()))]
    Graph(CayleyError),
    /// A Cayley graph with too many sides or generators.
    #[error("field 'graph.{field}': found {found} entries, expected at most {limit}")]
    GraphSize {
        /// `sides` or `generators`.
        field: &'static str,
        /// Number of entries.
        found: usize,
        /// Maximum number of entries.
        limit: usize,
    },
    /// A collective that is not an all-gather or all-to-all.
    #[error("field 'collective': a symmetric schedule is for an all-gather or an all-to-all, not for {collective}")]
    NotSymmetric {
        /// The collective.
        collective: CollectiveName,
    },
    /// A binary file whose tables contradict each other.
    #[error("the tables of the file contradict each other: {why}; write it again")]
    Tables {
        /// The contradiction.
        why: &'static str,
    },
}
