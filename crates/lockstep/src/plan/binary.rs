//! The binary form of plan files.

use lockstep_schedule::ScheduleFile;
use serde::{Deserialize, Serialize};

use super::file::{KIND, PlanFile, PlanFileError};
use super::json::parse;

/// The claims are short and stay JSON; the schedule is the bulk and has a binary form of its own.
#[derive(Serialize, Deserialize)]
struct Parts {
    claims: String,
    schedule: Vec<u8>,
}

impl PlanFile {
    /// The bytes of a binary file, some 4 bytes a transfer and more.
    pub fn to_bytes(&self) -> Vec<u8> {
        KIND.seal(&Parts { claims: self.claims(), schedule: self.schedule.to_bytes() })
    }

    /// All that the file says beside its schedule, as JSON.
    pub(crate) fn claims(&self) -> String {
        serde_json::to_string(&self.record(())).expect("numbers, texts and records of them are JSON")
    }

    /// The contents of a binary file.
    ///
    /// # Errors
    ///
    /// [`FileError::Envelope`](lockstep_schedule::FileError::Envelope) if the file is truncated, altered or of another kind, else as
    /// [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let Parts { claims, schedule } = KIND.open(bytes)?;
        parse::<()>(&claims)?.into_file(|()| ScheduleFile::from_bytes(&schedule).map_err(PlanFileError::Schedule))
    }
}
