//! The JSON form of symmetric schedules: `"format": "lockstep-symmetric-schedule"`, version 1.

use lockstep_files::to_json_rows;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::file::{Graph, KIND};
use super::{BaseSchedule, SymmetricScheduleFile};
use crate::file::ScheduleFileError;
use crate::model::CommunicationModel;
use crate::steps::{StepList, read_steps};

/// A file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record<G, B> {
    format: String,
    version: u32,
    graph: G,
    model: CommunicationModel,
    collective: CollectiveRecord,
    steps: B,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CollectiveRecord {
    kind: String,
}

impl SymmetricScheduleFile {
    /// The text of a JSON file: a field of the file a line, a step a line. Some 40 bytes a transfer of the base.
    pub fn to_json(&self) -> String {
        let Self { schedule, model } = self;
        let record = Record {
            format: KIND.format.to_owned(),
            version: KIND.version,
            graph: Graph::from(schedule.graph()),
            model: *model,
            collective: CollectiveRecord { kind: schedule.collective().abbreviation().to_owned() },
            steps: schedule.base(),
        };
        to_json_rows(&record, 2)
    }

    /// The contents of a JSON file.
    ///
    /// # Errors
    ///
    /// The first [`ScheduleFileError`]; format and version are looked at before everything else.
    pub fn from_json(text: &str) -> Result<Self, ScheduleFileError> {
        let record: Record<Graph, BaseSchedule> = KIND.parse(text)?;
        KIND.check(&record.format, record.version.into())?;
        Self::of_parts(record.graph, &record.collective.kind, record.model, record.steps)
    }
}

/// A transfer as it is written; its path is a list when it is read, a slice when it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransferRecord<P> {
    message: u32,
    from: u32,
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
