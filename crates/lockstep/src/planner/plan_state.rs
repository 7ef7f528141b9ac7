//! The results of a planner so far: what a checkpoint keeps.

use lockstep_certificate::{DecodeError, LowerBound};
use lockstep_schedule::{FoundSchedule, Schedule, StopReason, Verification};
use serde::{Deserialize, Serialize};

use crate::plan::CutShort;

/// A schedule of one phase, and the engine that found it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PhaseSchedule {
    pub(super) engine: String,
    /// The construction or method, if the engine has several.
    pub(super) method: Option<String>,
    pub(super) schedule: Schedule,
    /// The report of the verifier; `None` for a schedule from a checkpoint.
    #[serde(skip)]
    pub(super) verification: Option<Verification>,
}

impl PhaseSchedule {
    /// Returns a schedule that the verifier has accepted.
    pub(super) fn new(engine: &str, found: FoundSchedule, verification: Verification) -> Self {
        let FoundSchedule { schedule, method } = found;
        let method = method.map(str::to_owned);
        Self { engine: engine.to_owned(), method, schedule, verification: Some(verification) }
    }

    pub(super) fn step_count(&self) -> u32 {
        self.schedule.step_count() as u32
    }
}

/// The results of all phases so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct PlanState {
    /// The phases that are planned.
    pub(super) done: Vec<PhaseSchedule>,
    /// The lower bounds of all phases up to the current one, in their binary form.
    pub(super) bounds: Vec<Vec<u8>>,
    /// The shortest schedule of the current phase.
    pub(super) best: Option<PhaseSchedule>,
    /// Why some search was stopped before its evaluations were spent.
    pub(super) cut_short: Option<CutShort>,
}

impl PlanState {
    /// Stores the final lower bound of the current phase.
    pub(super) fn push_bound(&mut self, bound: &LowerBound) {
        self.bounds.push(bound.to_bytes());
    }

    /// Returns the lower bounds of all phases up to the current one.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if a checkpoint contains other bytes.
    pub(super) fn bounds(&self) -> Result<Vec<LowerBound>, DecodeError> {
        self.bounds.iter().map(|bytes| LowerBound::from_bytes(bytes)).collect()
    }

    /// Returns the number of steps of the shortest schedule of the current phase; `u32::MAX` without one.
    pub(super) fn reached(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, PhaseSchedule::step_count)
    }

    /// Records why a search was stopped, unless its evaluations were spent. A cancellation outweighs a deadline.
    pub(super) fn note_stop(&mut self, reason: StopReason) {
        match CutShort::by(reason) {
            Some(CutShort::Interrupt) => self.cut_short = Some(CutShort::Interrupt),
            cut_short => self.cut_short = self.cut_short.or(cut_short),
        }
    }
}
