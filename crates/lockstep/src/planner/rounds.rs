//! The rounds of a phase: what each engine has done, and what it may do next.

use lockstep_schedule::End;
use serde::{Deserialize, Serialize};

use super::registry::{EngineStage, RegisteredEngine};

/// The evaluations of an engine of the portfolio in the first round. Every further round doubles their sum.
///
/// The limits of the rounds do not depend on the budget, so a larger budget does the same work and then more.
const FIRST_ROUND: u64 = 1 << 16;

/// A search gets this part of the evaluations of the portfolio, which finds most schedules sooner.
const SEARCH_PART: u64 = 4;

/// The progress of all engines that make several rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rounds {
    /// The number of the current round, from 0.
    round: u32,
    /// The progress of each engine, in the order in which they run.
    engines: Vec<EngineProgress>,
}

/// The progress of one engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EngineProgress {
    pub(super) name: String,
    /// Number of evaluations so far.
    pub(super) spent: u64,
    /// The state in which the engine has paused.
    pub(super) state: Option<Vec<u8>>,
    /// Whether the engine has nothing left to try.
    pub(super) is_over: bool,
    is_search: bool,
}

impl Rounds {
    /// Returns the progress before the first round.
    pub(super) fn new(engines: &[RegisteredEngine<'_>]) -> Self {
        let progress = |known: &RegisteredEngine<'_>| EngineProgress {
            name: known.engine.name().to_owned(),
            spent: 0,
            state: None,
            is_over: false,
            is_search: known.stage == EngineStage::Search,
        };
        Self { round: 0, engines: engines.iter().map(progress).collect() }
    }

    /// Returns true if this is the progress of these engines.
    pub(super) fn is_of(&self, engines: &[RegisteredEngine<'_>]) -> bool {
        self.engines.iter().map(|progress| progress.name.as_str()).eq(engines.iter().map(|known| known.engine.name()))
    }

    /// Begins the next round.
    pub(super) fn advance(&mut self) {
        self.round = self.round.saturating_add(1);
    }

    /// Records the evaluations of an engine so far, and why it returned.
    pub(super) fn record(&mut self, place: usize, work: u64, end: End) {
        let progress = &mut self.engines[place];
        progress.spent = work;
        progress.state = if let End::Paused(state) = end { Some(state) } else { None };
        progress.is_over = progress.state.is_none();
    }

    /// Returns the number of evaluations after which an engine pauses in this round.
    pub(super) fn pause_after(&self, place: usize) -> u64 {
        let first = if self.engines[place].is_search { FIRST_ROUND / SEARCH_PART } else { FIRST_ROUND };
        first.saturating_mul(1u64.checked_shl(self.round).unwrap_or(u64::MAX))
    }

    /// Returns the number of evaluations of all engines but one.
    pub(super) fn spent_by_others(&self, place: usize) -> u64 {
        let others = self.engines.iter().enumerate().filter(|&(other, _)| other != place);
        others.fold(0, |sum: u64, (_, progress)| sum.saturating_add(progress.spent))
    }

    /// Returns true if the engines that are no searches have made fewer evaluations than this, and can make more.
    pub(super) fn portfolio_may_spend(&self, evaluations: u64) -> bool {
        let of_portfolio = || self.engines.iter().filter(|progress| !progress.is_search);
        let spent = of_portfolio().fold(0, |sum: u64, progress| sum.saturating_add(progress.spent));
        spent < evaluations && of_portfolio().any(|progress| !progress.is_over)
    }

    /// Returns true if no engine has anything left to try.
    pub(super) fn are_over(&self) -> bool {
        self.engines.iter().all(|progress| progress.is_over)
    }

    /// Returns the progress of an engine.
    pub(super) fn of(&mut self, place: usize) -> &mut EngineProgress {
        &mut self.engines[place]
    }

    /// Returns true if an engine may work in this round.
    pub(super) fn may_run(&self, place: usize) -> bool {
        let progress = &self.engines[place];
        !progress.is_over && progress.spent < self.pause_after(place)
    }
}
