//! The binary form of plan files.

use lockstep_schedule::ScheduleFile;
use serde::{Deserialize, Serialize};

use super::file::{KIND, PlanFile, PlanFileError};
use super::json::parse;

/// The claims are short and stay JSON. The schedule is long and has a binary form.
#[derive(Serialize, Deserialize)]
struct BinaryPlan {
    claims: String,
    schedule: Vec<u8>,
}

impl PlanFile {
    /// Writes a binary file: about 4 bytes per transfer, and the claims.
    pub fn to_bytes(&self) -> Vec<u8> {
        KIND.seal(&BinaryPlan { claims: self.claims(), schedule: self.schedule.to_bytes() })
    }

    /// Everything but the schedule, as JSON.
    pub(crate) fn claims(&self) -> String {
        serde_json::to_string(&self.record(())).expect("numbers, texts and records of them are JSON")
    }

    /// Reads a binary file.
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`](lockstep_files::FileError::Sealed) if the file is truncated, altered or of another kind;
    /// otherwise as [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let BinaryPlan { claims, schedule } = KIND.open(bytes)?;
        parse::<()>(&claims)?.into_file(|()| ScheduleFile::from_bytes(&schedule).map_err(PlanFileError::Schedule))
    }
}
