//! The JSON form of plan files: `"format": "lockstep-plan"`, version 1.

use lockstep_bounds::LowerBound;
use lockstep_schedule::{ScheduleFile, to_json_lines};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::file::{FORMAT, PlanFile, PlanFileError, VERSION};
use crate::plan::{CutShort, Verdict};

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
            format: FORMAT.to_owned(),
            version: VERSION,
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
    let record: Record<S> = serde_json::from_str(text).map_err(|_| diagnose::<S>(text))?;
    if record.format != FORMAT {
        return Err(PlanFileError::Format { found: record.format });
    }
    if record.version != VERSION {
        return Err(PlanFileError::Version { found: record.version.into() });
    }
    Ok(record)
}

/// What is wrong with a text that is no [`Record`]. Reads it again: keeping track of fields is too slow for good files.
fn diagnose<S: DeserializeOwned>(text: &str) -> PlanFileError {
    #[derive(Deserialize)]
    struct Header {
        format: Option<serde_json::Value>,
        version: Option<serde_json::Value>,
    }
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return PlanFileError::Syntax { why: error.to_string() };
    }
    if let Ok(Header { format, version }) = serde_json::from_str(text) {
        match (format, version.and_then(|version| version.as_u64())) {
            (Some(serde_json::Value::String(found)), _) if found != FORMAT => return PlanFileError::Format { found },
            (_, Some(found)) if found != u64::from(VERSION) => return PlanFileError::Version { found },
            _ => {}
        }
    }
    let json = &mut serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, Record<S>>(json) {
        Ok(_) => PlanFileError::Syntax { why: "there is text behind the end".to_owned() },
        Err(error) => PlanFileError::Field { field: error.path().to_string(), why: error.inner().to_string() },
    }
}
