//! The JSON form of plan files: `"format": "lockstep-plan"`, version 2, or version 1 without `made_by`.

use std::sync::Arc;

use lockstep_certificate::LowerBound;
use lockstep_files::{FileError, to_json_rows};
use lockstep_schedule::{FIRST_PLAN_KIND, PLAN_KIND, ScheduleFile};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

use super::deleted_bound::{DeletedBound, replacement};
use super::file::{PlanFile, PlanFileError};
use super::made_by::MadeBy;
use super::verdict::{CutShort, Verdict};

/// The fields of a plan file. The schedule and the lower bound are `()` in the binary form, which stores them
/// elsewhere.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Plan"))]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanRecord<S, B> {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = PLAN_KIND.format)))]
    format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = PLAN_KIND.version)))]
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// The program and the command that made the plan.
    made_by: Option<MadeBy>,
    /// The schedule.
    schedule: S,
    /// The number of steps.
    steps: u32,
    /// The lower bound on the number of steps.
    lower_bound: B,
    /// The distance from the bound: `optimal`, or `gap` and a number.
    verdict: Verdict,
    /// The engine, with its method in parentheses.
    engine: String,
    /// The seed of all random choices.
    seed: u64,
    /// Why the search ended early, if a time limit or an interruption ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut_short: Option<CutShort>,
    /// The time of planning in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl PlanFile {
    /// Writes a JSON file: one line per field of the plan and of its schedule, and one line per step.
    pub fn to_json(&self) -> String {
        to_json_rows(self, 3)
    }

    /// Reads a JSON file.
    ///
    /// # Errors
    ///
    /// The first [`PlanFileError`]. Format and version are checked before everything else.
    pub fn from_json(text: &str) -> Result<Self, PlanFileError> {
        Ok(parse_with_bound::<ScheduleFile>(text)?.into_file())
    }

    pub(crate) fn record<S, B>(&self, schedule: S, lower_bound: B) -> PlanRecord<S, B> {
        PlanRecord {
            format: PLAN_KIND.format.to_owned(),
            version: if self.made_by.is_some() { PLAN_KIND.version } else { FIRST_PLAN_KIND.version },
            made_by: self.made_by.clone(),
            schedule,
            steps: self.steps,
            lower_bound,
            verdict: self.verdict,
            engine: self.engine.clone(),
            seed: self.seed,
            cut_short: self.cut_short,
            seconds: self.seconds,
        }
    }
}

impl Serialize for PlanFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record(&*self.schedule, &self.lower_bound).serialize(serializer)
    }
}

impl<S, B> PlanRecord<S, B> {
    /// Replaces the schedule and the lower bound. Returns the earlier ones too.
    pub(crate) fn replace<T, C>(self, schedule: T, lower_bound: C) -> (PlanRecord<T, C>, S, B) {
        let Self { format, version, made_by, steps, verdict, engine, seed, cut_short, seconds, .. } = self;
        let record = PlanRecord {
            format,
            version,
            made_by,
            schedule,
            steps,
            lower_bound,
            verdict,
            engine,
            seed,
            cut_short,
            seconds,
        };
        (record, self.schedule, self.lower_bound)
    }
}

impl PlanRecord<ScheduleFile, Option<LowerBound>> {
    /// Returns the plan file with these fields. Without a bound, it has another one, and the verdict that follows from it.
    pub(crate) fn into_file(self) -> PlanFile {
        let Self { made_by, schedule, steps, lower_bound, mut verdict, engine, seed, cut_short, seconds, .. } = self;
        let lower_bound = lower_bound.unwrap_or_else(|| {
            let bound = replacement(&schedule.problem());
            verdict = Verdict::of(schedule.schedule().width_sum(), bound.steps).unwrap_or(verdict);
            bound
        });
        let schedule = Arc::new(schedule);
        PlanFile { schedule, steps, lower_bound, verdict, engine, seed, cut_short, seconds, made_by }
    }
}

/// Parses a record with a lower bound in it, or without one if the bound is by a deleted rule.
pub(crate) fn parse_with_bound<S: DeserializeOwned>(
    text: &str,
) -> Result<PlanRecord<S, Option<LowerBound>>, PlanFileError> {
    let error = match parse::<S, LowerBound>(text) {
        Ok(record) => {
            let (record, schedule, bound) = record.replace((), ());
            return Ok(record.replace(schedule, Some(bound)).0);
        }
        Err(error) => error,
    };
    let (record, schedule, _) = parse::<S, DeletedBound>(text).map_err(|_| error)?.replace((), ());
    Ok(record.replace(schedule, None).0)
}

/// Parses a record of the right format and version.
pub(crate) fn parse<S: DeserializeOwned, B: DeserializeOwned>(text: &str) -> Result<PlanRecord<S, B>, PlanFileError> {
    let record: PlanRecord<S, B> = match PLAN_KIND.parse(text) {
        Err(FileError::Version { found: 1, .. }) => FIRST_PLAN_KIND.parse(text)?,
        record => record?,
    };
    let kind = if record.version == FIRST_PLAN_KIND.version { FIRST_PLAN_KIND } else { PLAN_KIND };
    kind.check(&record.format, record.version.into())?;
    Ok(record)
}

#[cfg(feature = "schema")]
lockstep_files::schema_of!(PlanFile, PlanRecord<ScheduleFile, LowerBound>);
