//! The search for the smallest number of steps: one evolutionary search after another.

use lockstep_files::{decode, encode};
use lockstep_paths::PathTable;
use lockstep_schedule::{
    Checkpoint, Effort, End, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, NotFound, Outcome, Problem,
    Schedule, SearchProgress, StopReason,
};
use serde::{Deserialize, Serialize};

use crate::engine::candidate_paths;
use crate::evolution::{Algorithm, Evolution};
use crate::space::{MAX_DELIVERIES, SearchSpace};

/// The largest number of pairs of terminals with prepared candidate paths.
const MAX_PAIRS: usize = 1 << 16;

/// Refuses a problem whose candidate paths would not fit into memory.
pub(crate) fn check_size(engine: &'static str, problem: &Problem<'_>) -> Result<(), NotFound> {
    let (deliveries, terminals) = (problem.messages().delivery_count(), problem.topology().terminal_count());
    if deliveries <= MAX_DELIVERIES && terminals * terminals <= MAX_PAIRS {
        return Ok(());
    }
    let why = format!("{deliveries} deliveries among {terminals} terminals are too many for an evolutionary search");
    Err(NotFound::Unsupported { engine, why })
}

/// The evaluations of one number of steps in the first pass.
const LEVEL_EVALUATIONS: u64 = 1 << 12;

/// Searches at one number of steps after another, in passes with more and more evaluations, until no smaller number is
/// left. `algorithm` returns the options for a seed.
pub(crate) fn search_levels<A: Algorithm>(
    engine: &'static str,
    algorithm: fn(u64) -> A,
    request: &EngineRequest<'_>,
    observer: &mut EngineObserver<'_>,
) -> Outcome {
    let mut search = LevelSearch::new(engine, algorithm, request);
    match request.resume.map_or(Ok(None), |bytes| search.restore(bytes)) {
        Ok(resumed) => search.run(resumed, observer),
        Err(refused) => search.exhausted(refused),
    }
}

/// Searches with one algorithm at several numbers of steps, called levels.
struct LevelSearch<'a, A> {
    engine: &'static str,
    algorithm: fn(u64) -> A,
    request: &'a EngineRequest<'a>,
    /// The number of the pass over the levels, from 0.
    pass: u32,
    /// The number of steps that is searched now.
    level: u32,
    /// The smallest number of steps that is not yet searched in this pass; at least the goal.
    low: u32,
    /// Evaluations at all levels before the current one.
    spent: u64,
    /// The shortest schedule found by this search.
    best: Option<Schedule>,
}

/// The checkpoint of an engine's search over several numbers of steps, called levels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LevelCheckpoint {
    /// The number of the pass over the levels, from 0.
    pub pass: u32,
    /// The number of steps that is searched now.
    pub level: u32,
    /// The smallest number of steps that is not yet searched in this pass; at least the goal.
    pub low: u32,
    /// Evaluations at all levels before the current one.
    pub spent: u64,
    /// The shortest schedule found by this search.
    pub best: Option<Schedule>,
    /// The [checkpoint](Evolution::checkpoint) of the search at the current level, if it has begun.
    pub evolution: Option<Vec<u8>>,
}

impl LevelCheckpoint {
    /// Encodes the checkpoint for [`EngineRequest::resume`].
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }
}

/// The number of steps of the next search.
#[derive(Clone, Copy)]
struct Level {
    steps: u32,
    /// Whether no other number of steps is left in any pass.
    is_only: bool,
}

/// The result of the search at one level.
enum LevelResult {
    Found(Schedule),
    /// The level has had all its evaluations of this pass.
    NotFound(NotFound),
    /// The search ends at this level.
    Ended(Outcome),
}

impl<'a, A: Algorithm> LevelSearch<'a, A> {
    fn new(engine: &'static str, algorithm: fn(u64) -> A, request: &'a EngineRequest<'a>) -> Self {
        let goal = request.goal;
        Self { engine, algorithm, request, pass: 0, level: goal, low: goal, spent: 0, best: None }
    }

    /// Restores the levels of a checkpoint. Returns the checkpoint of the search at the current level, unless another
    /// engine has made this level needless.
    fn restore(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, NotFound> {
        let refused = |why: String| NotFound::Resume { why };
        let saved: LevelCheckpoint = decode(bytes).map_err(|error| refused(error.to_string()))?;
        let LevelCheckpoint { pass, level, low, spent, best, evolution } = saved;
        (self.pass, self.level, self.low, self.spent, self.best) = (pass, level, low, spent, best);
        if low < self.request.goal {
            return Err(refused("the search is below the lower bound".to_owned()));
        }
        Ok(evolution.filter(|_| self.next_level().is_some_and(|next| next.steps == level)))
    }

    fn save(&self, evolution: Option<Vec<u8>>) -> Vec<u8> {
        let Self { pass, level, low, spent, .. } = *self;
        LevelCheckpoint { pass, level, low, spent, best: self.best.clone(), evolution }.to_bytes()
    }

    /// Returns the outcome of a search with this number of evaluations. `reason` tells why there is no schedule, if there is none.
    fn outcome(&mut self, reason: NotFound, work: u64, end: End) -> Outcome {
        let found = self.best.take().map(|schedule| FoundSchedule { schedule, method: None });
        Outcome { found: found.ok_or(reason), work, end }
    }

    /// Returns the outcome of a search that has nothing left to try.
    fn exhausted(&mut self, reason: NotFound) -> Outcome {
        self.outcome(reason, self.spent, End::Exhausted)
    }

    /// Searches until no level is left or the budget ends.
    fn run(&mut self, mut resumed: Option<Vec<u8>>, observer: &mut EngineObserver<'_>) -> Outcome {
        let table = match self.paths() {
            Ok(table) => table,
            Err(reason) => return self.exhausted(reason),
        };
        let mut unfound = NotFound::TooLong { steps: self.below().saturating_sub(1), reached: self.request.goal };
        let mut spent_before_pass = self.spent;
        loop {
            let Some(level) = self.next_level() else {
                // Without any evaluation, the next pass would find nothing else.
                if self.below() <= self.request.goal || self.spent == spent_before_pass {
                    return self.exhausted(unfound);
                }
                (self.pass, self.low, spent_before_pass) = (self.pass + 1, self.request.goal, self.spent);
                continue;
            };
            self.level = level.steps;
            if let Some(reason) = self.request.budget.stop_after(self.spent) {
                // It resumes with a new search at this level.
                let state = (reason != StopReason::Evaluations).then(|| self.save(None));
                let unfound = NotFound::Stopped { steps: self.level, reason };
                return self.outcome(unfound, self.spent, End::Interrupted { reason, state });
            }
            match self.search_level(&table, level, resumed.take(), observer) {
                LevelResult::Found(schedule) => self.best = Some(schedule),
                LevelResult::NotFound(reason) => {
                    tracing::info!(%reason, "search");
                    self.low = level.steps.saturating_add(1);
                    unfound = reason;
                }
                LevelResult::Ended(outcome) => return outcome,
            }
        }
    }

    /// Only schedules of fewer steps are useful.
    fn below(&self) -> u32 {
        let best = self.best.as_ref().map_or(u32::MAX, |best| best.step_count() as u32);
        best.min(self.request.below)
    }

    /// Returns the next level: the goal first, then the middle of the open interval. Without an upper end of the
    /// interval, the distance to the goal doubles.
    fn next_level(&self) -> Option<Level> {
        let (low, goal) = (self.low, self.request.goal);
        let top = Some(self.below()).filter(|&below| below < u32::MAX).map(|below| below.saturating_sub(1));
        let steps = match top {
            Some(top) if top < low => return None,
            _ if low == goal => low,
            Some(top) => low + (top - low) / 2,
            None => goal.saturating_add((low - goal - 1).saturating_mul(2).max(1)),
        };
        Some(Level { steps, is_only: top == Some(goal) })
    }

    /// Searches at the current level.
    fn search_level(
        &mut self,
        table: &PathTable,
        level: Level,
        resumed: Option<Vec<u8>>,
        observer: &mut EngineObserver<'_>,
    ) -> LevelResult {
        let space = match SearchSpace::new(self.request.problem, table, self.level) {
            Ok(space) => space,
            Err(reason @ NotFound::Unsupported { .. }) => return self.ended(self.own_reason(reason)),
            Err(reason) => return LevelResult::NotFound(reason),
        };
        // Each pass has other random streams.
        let algorithm = (self.algorithm)(self.request.seed.wrapping_add(u64::from(self.pass) << u32::BITS));
        let resumed = resumed.map(|bytes| Evolution::resume(&space, algorithm, &bytes)).transpose();
        let mut search = match resumed {
            Ok(resumed) => resumed.unwrap_or_else(|| Evolution::new(&space, algorithm)),
            Err(error) => return self.ended(NotFound::Resume { why: error.to_string() }),
        };
        let (limit, before) = (if level.is_only { u64::MAX } else { self.level_evaluations() }, search.evaluations());
        let EngineRequest { budget, pause_after, .. } = *self.request;
        let left = |total: u64| if total == u64::MAX { total } else { total.saturating_sub(self.spent) };
        let evaluations = limit.min(left(budget.evaluation_limit())).min(left(pause_after));
        let level_budget = budget.clone().with_evaluations(evaluations);
        let result = search.run(&level_budget, |search| {
            observer(EngineEvent::Progress(SearchProgress {
                steps: self.level,
                generation: search.generation(),
                evaluations: search.evaluations(),
                evaluation_limit: Some(evaluations).filter(|&limit| limit < u64::MAX),
                conflicts: search.best_conflicts(),
                checkpoint: Checkpoint(&|| self.save(Some(search.checkpoint()))),
            }));
        });
        let effort = Effort { attempts: 0, evaluations: search.evaluations() - before };
        observer(EngineEvent::Tried { method: None, effort, steps: result.is_ok().then_some(self.level) });
        let spent = self.spent.saturating_add(search.evaluations());
        let unfound = match result.map_err(|reason| self.own_reason(reason)) {
            Ok(schedule) => {
                self.spent = spent;
                return LevelResult::Found(schedule);
            }
            Err(reason @ NotFound::Stopped { .. }) => reason,
            Err(reason) => return self.ended(reason),
        };
        let state = || self.save(Some(search.checkpoint()));
        let end = match budget.stop_after(spent) {
            Some(reason @ StopReason::Evaluations) if search.evaluations() < limit => {
                End::Interrupted { reason, state: None }
            }
            Some(reason @ (StopReason::Deadline | StopReason::Cancelled)) => {
                End::Interrupted { reason, state: Some(state()) }
            }
            _ if search.evaluations() < limit => End::Paused(state()),
            _ => {
                self.spent = spent;
                return LevelResult::NotFound(unfound);
            }
        };
        LevelResult::Ended(self.outcome(unfound, spent, end))
    }

    /// Returns the result of a level at which the search cannot work.
    fn ended(&mut self, reason: NotFound) -> LevelResult {
        LevelResult::Ended(self.exhausted(reason))
    }

    /// Returns the evaluations of one level in the current pass.
    fn level_evaluations(&self) -> u64 {
        LEVEL_EVALUATIONS.saturating_mul(1u64.checked_shl(self.pass).unwrap_or(u64::MAX))
    }

    /// Returns the candidate paths of all levels.
    fn paths(&self) -> Result<PathTable, NotFound> {
        check_size(self.engine, &self.request.problem)?;
        candidate_paths(&self.request.problem)
            .map_err(|error| NotFound::Unsupported { engine: self.engine, why: error.to_string() })
    }

    /// Returns the reason under the name of this engine; a search space does not know which engine uses it.
    fn own_reason(&self, reason: NotFound) -> NotFound {
        match reason {
            NotFound::Unsupported { why, .. } => NotFound::Unsupported { engine: self.engine, why },
            reason => reason,
        }
    }
}
