//! The binary form of symmetric schedule files: sealed, with the same contents as the JSON form.

use serde::{Deserialize, Serialize};

use super::file::{GraphRecord, KIND};
use super::{BaseSchedule, SymmetricScheduleFile};
use crate::binary::{ModelTable, check_lengths, paths};
use crate::file::ScheduleFileError;

/// The contents of a file as flat tables; numbers below 251 take one byte.
#[derive(Serialize, Deserialize)]
struct SymmetricTables {
    graph: GraphRecord,
    model: ModelTable,
    collective: String,
    /// Number of transfers of each step.
    step_transfers: Vec<u32>,
    /// The message of each transfer.
    message: Vec<u32>,
    /// The sender of each transfer.
    from: Vec<u32>,
    /// Length of each transfer's path.
    path_generators: Vec<u32>,
    /// The generators of all paths together.
    generators: Vec<u16>,
}

impl SymmetricScheduleFile {
    /// Returns the bytes of a binary file: 4 to 12 bytes per transfer of the base and 1 to 3 bytes per channel of its
    /// path.
    pub fn to_bytes(&self) -> Vec<u8> {
        KIND.seal(&SymmetricTables::from(self))
    }

    /// Reads a binary file.
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`](lockstep_files::FileError::Sealed) if the file is truncated, altered or of another kind.
    /// Otherwise the errors of [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        KIND.open::<SymmetricTables>(bytes)?.try_into()
    }
}

impl From<&SymmetricScheduleFile> for SymmetricTables {
    fn from(SymmetricScheduleFile { schedule, model }: &SymmetricScheduleFile) -> Self {
        let base = schedule.base();
        let transfers = || base.steps().flatten();
        Self {
            graph: schedule.graph().into(),
            model: (*model).into(),
            collective: schedule.collective().abbreviation().to_owned(),
            step_transfers: base.steps().map(|step| step.len() as u32).collect(),
            message: transfers().map(|moved| moved.message).collect(),
            from: transfers().map(|moved| moved.from).collect(),
            path_generators: transfers().map(|moved| moved.path.len() as u32).collect(),
            generators: transfers().flat_map(|moved| moved.path).copied().collect(),
        }
    }
}

impl TryFrom<SymmetricTables> for SymmetricScheduleFile {
    type Error = ScheduleFileError;

    fn try_from(tables: SymmetricTables) -> Result<Self, ScheduleFileError> {
        let SymmetricTables { graph, model, collective, step_transfers, message, from, path_generators, generators } =
            tables;
        check_lengths(&step_transfers, message.len(), &path_generators, generators.len())?;
        if from.len() != message.len() {
            return Err(ScheduleFileError::Tables { why: "the number of senders is not the number of transfers" });
        }
        let mut base = BaseSchedule::new();
        let mut transfers = message.iter().zip(&from).zip(paths(&path_generators, &generators));
        for count in step_transfers {
            base.begin_step();
            for ((&message, &from), path) in transfers.by_ref().take(count as usize) {
                base.push(message, from, path);
            }
        }
        Self::of_parts(graph, &collective, model.into(), base)
    }
}
