//! How far a planner is: what a checkpoint keeps.

use lockstep_certificate::LowerBound;
use lockstep_schedule::{Schedule, StopReason, Verification};
use serde::{Deserialize, Serialize};

use super::engine::Engine;
use super::event::Event;
use crate::plan::CutShort;

/// A schedule of one phase, and what found it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) engine: Engine,
    /// The construction or method, where the engine has several.
    pub(crate) method: Option<String>,
    pub(crate) schedule: Schedule,
    /// What the judge said, if he has been asked already.
    #[serde(skip)]
    pub(crate) verification: Option<Verification>,
}

impl Found {
    /// What the engine found, by which of its methods if it has several.
    pub(crate) fn by(engine: Engine, method: Option<&str>, schedule: Schedule) -> Self {
        Self { engine, method: method.map(str::to_owned), schedule, verification: None }
    }

    pub(crate) fn step_count(&self) -> u32 {
        self.schedule.step_count() as u32
    }

    /// What found it, for people.
    pub(crate) fn finder(&self) -> String {
        match &self.method {
            Some(method) => format!("{} ({method})", self.engine),
            None => self.engine.to_string(),
        }
    }
}

/// What has been reached, and where the search is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlanState {
    /// The phases that are planned.
    pub(crate) done: Vec<Found>,
    /// The lower bounds of these and the present phase, as JSON, which the binary codec can hold.
    bounds: Vec<String>,
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

impl PlanState {
    /// Leaves what is done and begins the next phase.
    pub(crate) fn begin_phase(&mut self) {
        (self.best, self.level, self.low, self.spent) = (None, 0, 0, 0);
    }

    /// Begins a search in the present phase, of which so much is known, and for which so many steps are good enough.
    pub(crate) fn begin_search(&mut self, bound: &LowerBound, goal: u32) {
        (self.level, self.low) = (goal, goal);
        self.bounds.push(serde_json::to_string(bound).expect("numbers, texts and lists of them are JSON"));
    }

    /// The bounds of all phases up to the present one.
    ///
    /// # Errors
    ///
    /// If a checkpoint has other texts.
    pub(crate) fn bounds(&self) -> Result<Vec<LowerBound>, serde_json::Error> {
        self.bounds.iter().map(|text| serde_json::from_str(text)).collect()
    }

    /// Steps of the best schedule of the present phase, without one as many as can be.
    pub(crate) fn reached(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, Found::step_count)
    }

    /// Keeps a schedule of the present phase if it is shorter than those before it.
    pub(crate) fn offer(&mut self, found: Found, observe: &mut dyn FnMut(Event<'_>)) {
        if self.best.as_ref().is_none_or(|best| found.step_count() < best.step_count()) {
            observe(Event::Found { engine: found.engine, steps: found.step_count() });
            self.best = Some(found);
        }
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
