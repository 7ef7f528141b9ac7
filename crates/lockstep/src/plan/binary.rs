//! The binary form of plan files: version 3, and version 1 for reading.

use lockstep_files::{FileError, FileKind, SealError};
use lockstep_schedule::{BINARY_PLAN_KIND, PLAN_KIND, ScheduleFile};
use serde::Deserialize;

use super::claims::Claims;
use super::file::{PlanFile, PlanFileError};

/// Version 1, in which one piece contains the claims as a JSON text and the schedule file.
#[derive(Deserialize)]
struct BinaryPlanV1 {
    claims: String,
    schedule: Vec<u8>,
}

impl PlanFile {
    /// Writes a binary file: the claims, and the [schedule file](ScheduleFile::to_bytes).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = BINARY_PLAN_KIND.seal(&Claims::of(self));
        self.schedule.append_to(&mut bytes);
        bytes
    }

    /// Reads a binary file of version 3, or of version 1, which release 0.1.0 wrote.
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`] if the file is truncated, altered or of another kind; otherwise as
    /// [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let schedule_of = |bytes: &[u8]| ScheduleFile::from_bytes(bytes).map_err(PlanFileError::Schedule);
        match BINARY_PLAN_KIND.open_first::<Claims>(bytes) {
            Err(FileError::Sealed(SealError::Version { found: 1, .. })) => {
                let BinaryPlanV1 { claims, schedule } = FileKind { version: 1, ..PLAN_KIND }.open(bytes)?;
                Claims::from_version_1(&claims)?.into_file(|| schedule_of(&schedule))
            }
            opened => {
                let (claims, schedule) = opened?;
                claims.into_file(|| schedule_of(schedule))
            }
        }
    }
}
