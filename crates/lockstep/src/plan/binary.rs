//! The binary form of plan files: version 2, and version 1 for reading.

use lockstep_files::{FileError, FileKind, SealError};
use lockstep_schedule::ScheduleFile;
use serde::{Deserialize, Serialize};

use super::claims::Claims;
use super::file::{KIND, PlanFile, PlanFileError};

/// The version with lower bounds in binary form.
const BINARY_KIND: FileKind = FileKind { version: 2, ..KIND };

#[derive(Serialize, Deserialize)]
struct BinaryPlan {
    claims: Claims,
    /// The binary schedule file.
    schedule: Vec<u8>,
}

/// Version 1, in which all claims are one JSON text.
#[derive(Serialize, Deserialize)]
struct BinaryPlanV1 {
    claims: String,
    schedule: Vec<u8>,
}

impl PlanFile {
    /// Writes a binary file: about 4 bytes per transfer, and the claims.
    pub fn to_bytes(&self) -> Vec<u8> {
        BINARY_KIND.seal(&BinaryPlan { claims: Claims::of(self), schedule: self.schedule.to_bytes() })
    }

    /// Reads a binary file of version 1 or 2.
    ///
    /// # Errors
    ///
    /// [`FileError::Sealed`] if the file is truncated, altered or of another kind; otherwise as
    /// [`from_json`](Self::from_json).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PlanFileError> {
        let BinaryPlan { claims, schedule } = match BINARY_KIND.open(bytes) {
            Err(FileError::Sealed(SealError::Version { found: 1, .. })) => {
                let BinaryPlanV1 { claims, schedule } = FileKind { version: 1, ..KIND }.open(bytes)?;
                BinaryPlan { claims: Claims::from_version_1(&claims)?, schedule }
            }
            opened => opened?,
        };
        claims.into_file(|| ScheduleFile::from_bytes(&schedule).map_err(PlanFileError::Schedule))
    }
}
