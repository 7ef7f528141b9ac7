//! Checkpoints of version 3, which release 0.1.0 wrote: there the planner searched over the numbers of steps.

use lockstep_certificate::LowerBound;
use lockstep_evolve::LevelCheckpoint;
use lockstep_schedule::Schedule;
use serde::Deserialize;

use super::options::StoredEngine;
use super::plan_state::{PhaseSchedule, PlanState};
use crate::plan::CutShort;

/// The state of a planner in version 3.
#[derive(Deserialize)]
pub(super) struct StateV3 {
    done: Vec<ScheduleV3>,
    /// The lower bounds as JSON.
    bounds: Vec<String>,
    best: Option<ScheduleV3>,
    level: u32,
    low: u32,
    spent: u64,
    cut_short: Option<CutShort>,
}

#[derive(Deserialize)]
struct ScheduleV3 {
    engine: StoredEngine,
    method: Option<String>,
    schedule: Schedule,
}

impl StateV3 {
    /// Returns the state in the current version, and the state of its search.
    ///
    /// # Errors
    ///
    /// If a text is not a lower bound.
    pub(super) fn into_current(self, evolution: Vec<u8>) -> Result<(PlanState, Vec<u8>), serde_json::Error> {
        let Self { done, bounds, best, level, low, spent, cut_short } = self;
        let binary = |text: &String| serde_json::from_str(text).map(|bound: LowerBound| bound.to_bytes());
        let bounds = bounds.iter().map(binary).collect::<Result<_, _>>()?;
        let done = done.into_iter().map(PhaseSchedule::from).collect();
        let search = LevelCheckpoint { pass: 0, level, low, spent, best: None, evolution: Some(evolution) };
        Ok((PlanState { done, bounds, best: best.map(PhaseSchedule::from), cut_short }, search.to_bytes()))
    }
}

impl From<ScheduleV3> for PhaseSchedule {
    fn from(ScheduleV3 { engine, method, schedule }: ScheduleV3) -> Self {
        Self { engine: engine.name().to_owned(), method, schedule, verification: None }
    }
}
