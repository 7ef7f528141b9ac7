//! The binary form of symmetric schedules: sealed, the same contents as the JSON form.

use serde::{Deserialize, Serialize};

use super::file::{Graph, KIND};
use super::{BaseSchedule, SymmetricScheduleFile};
use crate::binary::{ModelTable, check_lengths, paths};
use crate::file::ScheduleFileError;

/// Everything in flat tables; numbers below 251 take one byte.
#[derive(Serialize, Deserialize)]
struct Tables {
    graph: Graph,
    model: ModelTable,
    collective: String,
    /// Number of transfers of each step.
    step_transfers: Vec<u32>,
    /// By transfer.
    message: Vec<u32>,
    from: Vec<u32>,
    /// Number of generators of each transfer's path.
    path_generators: Vec<u32>,
    generators: Vec<u16>,
}

impl SymmetricScheduleFile {
    /// The bytes of a binary file, 4 to 12 bytes a transfer of the base and 1 to 3 a channel of its path.
    pub fn to_bytes(&self) -> Vec<u8> {
        KIND.seal(&Tables::from(self))
    }

    /// The contents of a binary file.
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`](lockstep_files::FileError::Sealed) if the file is truncated, altered or of another kind, else as
    /// [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ScheduleFileError> {
        KIND.open::<Tables>(bytes)?.try_into()
    }
}

impl From<&SymmetricScheduleFile> for Tables {
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

impl TryFrom<Tables> for SymmetricScheduleFile {
    type Error = ScheduleFileError;

    fn try_from(tables: Tables) -> Result<Self, ScheduleFileError> {
        let Tables { graph, model, collective, step_transfers, message, from, path_generators, generators } = tables;
        check_lengths(&step_transfers, message.len(), &path_generators, generators.len())?;
        if from.len() != message.len() {
            return Err(ScheduleFileError::Tables { why: "not every transfer has a sender" });
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
