//! Everything of a plan file but its schedule, in binary files.

use lockstep_certificate::LowerBound;
use lockstep_schedule::ScheduleFile;
use serde::{Deserialize, Serialize};

use super::file::{PlanFile, PlanFileError};
use super::json::{PlanRecord, parse, parse_with_bound};

/// The claims of a plan: all fields of a plan file but its schedule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Claims {
    /// The fields other than the lower bound, as JSON.
    fields: String,
    /// The binary form of the lower bound; empty if it is by a deleted rule.
    lower_bound: Vec<u8>,
}

impl Claims {
    /// Returns the claims of a plan file.
    pub(crate) fn of(file: &PlanFile) -> Self {
        Self::new(&file.record((), ()), Some(&file.lower_bound))
    }

    fn new(fields: &PlanRecord<(), ()>, lower_bound: Option<&LowerBound>) -> Self {
        let fields = serde_json::to_string(fields).expect("numbers, texts and records of them are JSON");
        Self { fields, lower_bound: lower_bound.map(LowerBound::to_bytes).unwrap_or_default() }
    }

    /// Converts the claims of version 1, one JSON text.
    ///
    /// # Errors
    ///
    /// [`PlanFileError`] if the text does not have the fields of a plan file.
    pub(crate) fn from_version_1(text: &str) -> Result<Self, PlanFileError> {
        let (fields, (), lower_bound) = parse_with_bound::<()>(text)?.replace((), ());
        Ok(Self::new(&fields, lower_bound.as_ref()))
    }

    /// Returns the plan file with the schedule that `read` returns.
    ///
    /// # Errors
    ///
    /// [`PlanFileError`] if a field cannot be read, and the error of `read`.
    pub(crate) fn into_file(
        self,
        read: impl FnOnce() -> Result<ScheduleFile, PlanFileError>,
    ) -> Result<PlanFile, PlanFileError> {
        let fields = parse::<(), ()>(&self.fields)?;
        let bytes = Some(self.lower_bound).filter(|bytes| !bytes.is_empty());
        let lower_bound = bytes.map(|bytes| LowerBound::from_bytes(&bytes)).transpose();
        Ok(fields.replace(read()?, lower_bound.map_err(PlanFileError::LowerBound)?).0.into_file())
    }
}
