//! Symmetric schedule files: a schedule and its communication model.

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

/// Version 2 of JSON files, which is written. Its collective has the standard word, that of version 1 the short form of the
/// documents.
pub(super) const JSON_KIND: FileKind = FileKind { version: 2, ..KIND };

/// Maximum number of sides of a graph in a file, including sides of one element.
const MAX_SIDES: usize = 1 << 10;

/// Maximum number of generators of a graph in a file: the number of `u16` values.
const MAX_GENERATORS: usize = 1 << 16;

/// A symmetric schedule and its communication model: the contents of a file. Plain data that may be invalid.
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
    /// The communication model.
    pub model: CommunicationModel,
}

impl SymmetricScheduleFile {
    /// Reads a file. The first byte tells binary from JSON.
    ///
    /// # Errors
    ///
    /// The errors of `from_bytes` and [`from_json`](Self::from_json), and `FileError::Binary` without the feature `sealed`.
    pub fn read(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        #[cfg(feature = "sealed")]
        let binary = Self::from_bytes;
        #[cfg(not(feature = "sealed"))]
        let binary = |_: &[u8]| Err(lockstep_files::FileError::Binary { kind: KIND }.into());
        KIND.read(bytes, Self::from_json, binary)
    }

    /// Verifies the schedule by [`verify_symmetric`] and returns its report.
    ///
    /// # Errors
    ///
    /// Those of [`verify_symmetric`].
    pub fn verify(&self) -> Result<Verification, SymmetricViolation> {
        verify_symmetric(&self.schedule, self.model)
    }

    /// Builds and checks the contents of a file from its parts.
    pub(super) fn of_parts(
        graph: GraphRecord,
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

/// The serialized form of a Cayley graph.
#[derive(serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CayleyGraph"))]
#[serde(deny_unknown_fields)]
pub(super) struct GraphRecord {
    /// The name of the network.
    name: String,
    /// The orders of the cyclic groups whose product is the group.
    sides: Vec<u64>,
    /// The node at the other end of each link of node 0.
    generators: Vec<u64>,
}

impl From<&CayleyGraph> for GraphRecord {
    fn from(graph: &CayleyGraph) -> Self {
        let (name, sides, generators) = (graph.name().to_owned(), graph.sides().to_vec(), graph.generators().to_vec());
        Self { name, sides, generators }
    }
}

impl TryFrom<GraphRecord> for CayleyGraph {
    type Error = ScheduleFileError;

    fn try_from(GraphRecord { name, sides, generators }: GraphRecord) -> Result<Self, ScheduleFileError> {
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
