//! How far a planner is: what a checkpoint keeps.

use lockstep_schedule::{Schedule, StopReason};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::plan::CutShort;

/// A schedule of one phase, and what found it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) engine: Engine,
    pub(crate) schedule: Schedule,
}

impl Found {
    pub(crate) fn step_count(&self) -> u32 {
        self.schedule.step_count() as u32
    }
}

/// What has been reached, and where the search is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Journey {
    /// The phases that are planned.
    pub(crate) done: Vec<Found>,
    /// The best schedule of the present phase.
    pub(crate) best: Option<Found>,
    /// The number of steps that is being searched.
    pub(crate) level: u32,
    /// Where a search has found nothing below, from the goal on.
    pub(crate) low: u32,
    /// Evaluations spent on the present phase below that.
    pub(crate) spent: u64,
    /// What ended some search, if it was not its evaluations.
    pub(crate) cut_short: Option<CutShort>,
}

impl Journey {
    /// Leaves what is done and begins the next phase, for which so many steps are good enough.
    pub(crate) fn begin_phase(&mut self, goal: u32) {
        (self.best, self.level, self.low, self.spent) = (None, goal, goal, 0);
    }

    /// Remembers what ended a search, if it was not its evaluations; an interruption outweighs a deadline.
    pub(crate) fn note(&mut self, reason: Option<StopReason>) {
        match reason {
            Some(StopReason::Cancelled) => self.cut_short = Some(CutShort::Interrupt),
            Some(StopReason::Deadline) => self.cut_short = self.cut_short.or(Some(CutShort::Deadline)),
            _ => {}
        }
    }
}
