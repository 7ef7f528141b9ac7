//! The JSON form of symmetric schedule files: `"format": "lockstep-symmetric-schedule"`, version 2; version 1 is read.

use lockstep_files::{FileError, to_json_rows};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::file::{GraphRecord, JSON_KIND, KIND};
use super::{BaseSchedule, SymmetricScheduleFile};
use crate::file::ScheduleFileError;
use crate::model::CommunicationModel;
use crate::steps::{StepList, read_steps};

/// The serialized form of a symmetric schedule file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SymmetricSchedule"))]
#[serde(deny_unknown_fields)]
struct SymmetricScheduleRecord<G, B> {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = JSON_KIND.format)))]
    format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = JSON_KIND.version)))]
    version: u32,
    /// The network.
    graph: G,
    /// The communication model.
    model: CommunicationModel,
    /// The collective.
    collective: SymmetricCollectiveRecord,
    /// The transfers of one source in each step. Translation gives those of all others.
    steps: B,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SymmetricCollective"))]
#[serde(deny_unknown_fields)]
struct SymmetricCollectiveRecord {
    /// The name of the collective: `all-gather` or `all-to-all`.
    kind: String,
}

impl SymmetricScheduleFile {
    /// Returns the text of a JSON file: one line per field and one line per step, about 40 bytes per transfer of the
    /// base.
    pub fn to_json(&self) -> String {
        let Self { schedule, model } = self;
        let record = SymmetricScheduleRecord {
            format: JSON_KIND.format.to_owned(),
            version: JSON_KIND.version,
            graph: GraphRecord::from(schedule.graph()),
            model: *model,
            collective: SymmetricCollectiveRecord { kind: schedule.collective().word().to_owned() },
            steps: schedule.base(),
        };
        to_json_rows(&record, 2)
    }

    /// Reads a JSON file.
    ///
    /// # Errors
    ///
    /// The first [`ScheduleFileError`]. Format and version are checked first.
    pub fn from_json(text: &str) -> Result<Self, ScheduleFileError> {
        type Record = SymmetricScheduleRecord<GraphRecord, BaseSchedule>;
        let record = match KIND.parse::<Record>(text) {
            Err(FileError::Version { .. }) => JSON_KIND.parse::<Record>(text),
            record => record,
        }?;
        let kind = if record.version == KIND.version { KIND } else { JSON_KIND };
        kind.check(&record.format, record.version.into())?;
        Self::of_parts(record.graph, &record.collective.kind, record.model, record.steps)
    }
}

/// The serialized form of a transfer; the path is a list for reading and a slice for writing.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SymmetricTransfer"))]
#[serde(deny_unknown_fields)]
pub(crate) struct TransferRecord<P> {
    /// The number of the receiver in an all-to-all, 0 in an all-gather.
    message: u32,
    /// The node where the transfer starts.
    from: u32,
    /// The links, as indexes of generators, in order.
    path: P,
}

impl Serialize for BaseSchedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut steps = serializer.serialize_seq(Some(self.step_count()))?;
        for step in self.steps() {
            let records =
                step.map(|moved| TransferRecord { message: moved.message, from: moved.from, path: moved.path });
            steps.serialize_element(&Transfers(records))?;
        }
        steps.end()
    }
}

/// The transfers of a step.
struct Transfers<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Transfers<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

impl StepList for BaseSchedule {
    type Transfer = TransferRecord<Vec<u16>>;

    fn begin_step(&mut self) {
        Self::begin_step(self);
    }

    fn try_push(&mut self, TransferRecord { message, from, path }: Self::Transfer) -> bool {
        Self::try_push(self, message, from, &path)
    }
}

impl<'de> Deserialize<'de> for BaseSchedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_steps(deserializer)
    }
}

#[cfg(feature = "schema")]
lockstep_files::schema_of!(SymmetricScheduleFile, SymmetricScheduleRecord<GraphRecord, BaseSchedule>);

#[cfg(feature = "schema")]
lockstep_files::schema_of!(BaseSchedule, Vec<Vec<TransferRecord<Vec<u16>>>>);
