//! The JSON form of plan files: `"format": "lockstep-plan"`, version 1.

use lockstep_certificate::LowerBound;
use lockstep_files::to_json_rows;
use lockstep_schedule::ScheduleFile;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::file::{KIND, PlanFile, PlanFileError};
use super::verdict::{CutShort, Verdict};

/// The fields of a plan file. `S` is the schedule file in JSON, and `()` in the binary form, which stores it elsewhere.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanRecord<S> {
    format: String,
    version: u32,
    schedule: S,
    steps: u32,
    lower_bound: LowerBound,
    verdict: Verdict,
    engine: String,
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut_short: Option<CutShort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl PlanFile {
    /// Writes a JSON file: one line per field of the plan and of its schedule, and one line per step.
    pub fn to_json(&self) -> String {
        to_json_rows(&self.record(&self.schedule), 3)
    }

    /// Reads a JSON file.
    ///
    /// # Errors
    ///
    /// The first [`PlanFileError`]. Format and version are checked before everything else.
    pub fn from_json(text: &str) -> Result<Self, PlanFileError> {
        parse::<ScheduleFile>(text)?.into_file(Ok)
    }

    pub(crate) fn record<S>(&self, schedule: S) -> PlanRecord<S> {
        PlanRecord {
            format: KIND.format.to_owned(),
            version: KIND.version,
            schedule,
            steps: self.steps,
            lower_bound: self.lower_bound.clone(),
            verdict: self.verdict,
            engine: self.engine.clone(),
            seed: self.seed,
            cut_short: self.cut_short,
            seconds: self.seconds,
        }
    }
}

impl<S> PlanRecord<S> {
    /// Returns the plan file, with the schedule that `read` returns.
    pub(crate) fn into_file<E>(self, read: impl FnOnce(S) -> Result<ScheduleFile, E>) -> Result<PlanFile, E> {
        let Self { schedule, steps, lower_bound, verdict, engine, seed, cut_short, seconds, .. } = self;
        Ok(PlanFile { schedule: read(schedule)?, steps, lower_bound, verdict, engine, seed, cut_short, seconds })
    }
}

/// Parses a record of the right format and version.
pub(crate) fn parse<S: DeserializeOwned>(text: &str) -> Result<PlanRecord<S>, PlanFileError> {
    let record: PlanRecord<S> = KIND.parse(text)?;
    KIND.check(&record.format, record.version.into())?;
    Ok(record)
}
