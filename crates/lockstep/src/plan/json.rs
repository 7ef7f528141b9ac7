//! The JSON form of plan files: `"format": "lockstep-plan"`, version 1.

use lockstep_certificate::LowerBound;
use lockstep_schedule::{ScheduleFile, to_json_lines};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::file::{KIND, PlanFile, PlanFileError};
use super::plan::{CutShort, Verdict};

/// A plan file as it is written, around a schedule file or, in the binary form, around nothing.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record<S> {
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
    /// The text of a JSON file: a field of the plan and of its schedule file a line, a step a line.
    pub fn to_json(&self) -> String {
        to_json_lines(&self.record(&self.schedule), 3)
    }

    /// The contents of a JSON file.
    ///
    /// # Errors
    ///
    /// The first [`PlanFileError`]; format and version are looked at before everything else.
    pub fn from_json(text: &str) -> Result<Self, PlanFileError> {
        parse::<ScheduleFile>(text)?.into_file(Ok)
    }

    pub(crate) fn record<S>(&self, schedule: S) -> Record<S> {
        Record {
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

impl<S> Record<S> {
    /// The plan file, with its schedule as `read` makes it.
    pub(crate) fn into_file<E>(self, read: impl FnOnce(S) -> Result<ScheduleFile, E>) -> Result<PlanFile, E> {
        let Self { schedule, steps, lower_bound, verdict, engine, seed, cut_short, seconds, .. } = self;
        Ok(PlanFile { schedule: read(schedule)?, steps, lower_bound, verdict, engine, seed, cut_short, seconds })
    }
}

/// The record that a text holds, of the right format and version.
pub(crate) fn parse<S: DeserializeOwned>(text: &str) -> Result<Record<S>, PlanFileError> {
    let record: Record<S> = KIND.parse(text)?;
    KIND.check(&record.format, record.version.into())?;
    Ok(record)
}
