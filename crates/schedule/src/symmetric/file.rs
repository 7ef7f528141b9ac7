//! A symmetric schedule together with the network's rules: the contents of a file.

use lockstep_files::FileKind;
use lockstep_topology::CayleyGraph;

use super::{BaseSchedule, SymmetricSchedule, SymmetricViolation, verify_symmetric};
use crate::file::ScheduleFileError;
use crate::model::CommunicationModel;
use crate::name::CollectiveName;
use crate::verify::Verification;

pub(super) const KIND: FileKind = FileKind {
    format: "lockstep-symmetric-schedule",
    noun: "symmetric schedule",
    magic: *b"locksymm",
    version: 1,
    remedies: &[("lockstep-topology", "a topology alone is no symmetric schedule, plan one for it")],
};

/// The most sides of a graph that are read, those of one element included.
const MAX_SIDES: usize = 1 << 10;

/// The most generators that are read: as many as a path can name.
const MAX_GENERATORS: usize = 1 << 16;

/// A symmetric schedule and the rules of its network, as a file holds them: plain data that may be wrong.
///
/// ```
/// use lockstep_schedule::{
///     BaseSchedule, CollectiveName, CommunicationModel, SymmetricSchedule, SymmetricScheduleFile,
/// };
///
/// let mut base = BaseSchedule::new();
/// base.begin_step();
/// base.push(BaseSchedule::BROADCAST, 0, &[0]);
/// let schedule = SymmetricSchedule::new("ring:2".parse()?, CollectiveName::AllGather, base);
/// let file = SymmetricScheduleFile { schedule, model: CommunicationModel::wormhole() };
/// let again = SymmetricScheduleFile::read(file.to_json().as_bytes())?;
/// assert_eq!(again.verify()?.transfers, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymmetricScheduleFile {
    /// The schedule, valid or not.
    pub schedule: SymmetricSchedule,
    /// The network's rules.
    pub model: CommunicationModel,
}

impl SymmetricScheduleFile {
    /// The contents of a file, binary or JSON as its first byte says.
    ///
    /// # Errors
    ///
    /// Those of [`from_bytes`](Self::from_bytes) and [`from_json`](Self::from_json).
    pub fn read(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        KIND.read(bytes, Self::from_json, Self::from_bytes)
    }

    /// The report of a valid schedule, as [`verify_symmetric`] gives it.
    ///
    /// # Errors
    ///
    /// Those of [`verify_symmetric`].
    pub fn verify(&self) -> Result<Verification, SymmetricViolation> {
        verify_symmetric(&self.schedule, self.model)
    }

    /// The contents of a file, from its parts.
    pub(super) fn of_parts(
        graph: Graph,
        collective: &str,
        model: CommunicationModel,
        base: BaseSchedule,
    ) -> Result<Self, ScheduleFileError> {
        let collective: CollectiveName = collective.parse().map_err(ScheduleFileError::Name)?;
        if !matches!(collective, CollectiveName::AllGather | CollectiveName::AllToAll) {
            return Err(ScheduleFileError::NotSymmetric { collective });
        }
        Ok(Self { schedule: SymmetricSchedule::new(graph.try_into()?, collective, base), model })
    }
}

/// A graph as files write it.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Graph {
    name: String,
    sides: Vec<u64>,
    generators: Vec<u64>,
}

impl From<&CayleyGraph> for Graph {
    fn from(graph: &CayleyGraph) -> Self {
        let (name, sides, generators) = (graph.name().to_owned(), graph.sides().to_vec(), graph.generators().to_vec());
        Self { name, sides, generators }
    }
}

impl TryFrom<Graph> for CayleyGraph {
    type Error = ScheduleFileError;

    fn try_from(Graph { name, sides, generators }: Graph) -> Result<Self, ScheduleFileError> {
        for (field, found, limit) in
            [("sides", sides.len(), MAX_SIDES), ("generators", generators.len(), MAX_GENERATORS)]
        {
            if found > limit {
                return Err(ScheduleFileError::GraphSize { field, found, limit });
            }
        }
        Self::new(name, &sides, &generators).map_err(ScheduleFileError::Graph)
    }
}
