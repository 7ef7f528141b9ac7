//! The search for the smallest number of steps: one evolutionary search after another.

use lockstep_files::{decode, encode};
use lockstep_paths::PathTable;
use lockstep_schedule::{
    Budget, Effort, EngineEvent, EngineObserver, EngineRequest, FoundSchedule, NotFound, Problem, Schedule,
    SearchProgress, StopReason,
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

/// Searches at one number of steps after another, until no number is left between the schedules found and the searches
/// that failed.
pub(crate) fn search_levels<A: Algorithm>(
    engine: &'static str,
    algorithm: A,
    request: &EngineRequest<'_>,
    observer: &mut EngineObserver<'_>,
) -> Result<FoundSchedule, NotFound> {
    let mut search = LevelSearch::new(engine, algorithm, request);
    let resumed = request.resume.map(|bytes| search.restore(bytes)).transpose()?;
    let ended = search.run(resumed, observer);
    if let Some(reason @ StopReason::Evaluations) = request.budget.stop_after(search.spent) {
        observer(EngineEvent::Stopped { reason, progress: None });
    }
    match (search.best, ended) {
        (Some(schedule), _) => Ok(FoundSchedule { schedule, method: None }),
        (None, reason) => Err(reason),
    }
}

/// Searches with one algorithm at several numbers of steps, called levels.
struct LevelSearch<'a, A> {
    engine: &'static str,
    algorithm: A,
    request: &'a EngineRequest<'a>,
    /// The number of steps that is searched now.
    level: u32,
    /// The smallest number of steps that is not yet searched; at least the goal.
    low: u32,
    /// Evaluations at all levels before the current one.
    spent: u64,
    /// The shortest schedule found by this search.
    best: Option<Schedule>,
}

/// The checkpoint of an engine's search over several numbers of steps, called levels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LevelCheckpoint {
    /// The number of steps that is searched now.
    pub level: u32,
    /// The smallest number of steps that is not yet searched; at least the goal.
    pub low: u32,
    /// Evaluations at all levels before the current one.
    pub spent: u64,
    /// The shortest schedule found by this search.
    pub best: Option<Schedule>,
    /// The [checkpoint](Evolution::checkpoint) of the search at the current level.
    pub evolution: Vec<u8>,
}

impl LevelCheckpoint {
    /// Encodes the checkpoint for [`EngineRequest::resume`].
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }
}

impl<'a, A: Algorithm> LevelSearch<'a, A> {
    fn new(engine: &'static str, algorithm: A, request: &'a EngineRequest<'a>) -> Self {
        let goal = request.goal;
        Self { engine, algorithm, request, level: goal, low: goal, spent: 0, best: None }
    }

    /// Restores the levels of a checkpoint. Returns the checkpoint of the search at the current level.
    fn restore(&mut self, bytes: &[u8]) -> Result<Vec<u8>, NotFound> {
        let refused = |why: String| NotFound::Resume { why };
        let saved: LevelCheckpoint = decode(bytes).map_err(|error| refused(error.to_string()))?;
        let LevelCheckpoint { level, low, spent, best, evolution } = saved;
        (self.level, self.low, self.spent, self.best) = (level, low, spent, best);
        if low < self.request.goal || self.next_level().is_none_or(|(next, _)| next != level) {
            return Err(refused("the search is not where its results lead".to_owned()));
        }
        Ok(evolution)
    }

    fn save(&self, evolution: Vec<u8>) -> Vec<u8> {
        let Self { level, low, spent, .. } = *self;
        LevelCheckpoint { level, low, spent, best: self.best.clone(), evolution }.to_bytes()
    }

    /// Searches until no level is left or the budget ends. Returns the reason why no shorter schedule was found.
    fn run(&mut self, mut resumed: Option<Vec<u8>>, observer: &mut EngineObserver<'_>) -> NotFound {
        if let Some(reason) = self.stop(observer) {
            return reason;
        }
        let table = match self.paths() {
            Ok(table) => table,
            Err(reason) => return reason,
        };
        let mut unfound = NotFound::TooLong { steps: self.below().saturating_sub(1), reached: self.request.goal };
        while let Some((level, is_last)) = self.next_level() {
            self.level = level;
            if let Some(reason) = self.stop(observer) {
                return reason;
            }
            let spent_before = self.spent;
            let result = self.search_level(&table, is_last, resumed.take(), observer);
            let effort = Effort::Evaluations(self.spent - spent_before);
            let steps = result.is_ok().then_some(level);
            match result {
                Err(reason @ NotFound::Resume { .. }) => return reason,
                _ => observer(EngineEvent::Tried { method: None, effort, steps }),
            }
            match result.map_err(|reason| self.own_reason(reason)) {
                Ok(schedule) => self.best = Some(schedule),
                Err(reason) => {
                    tracing::info!(%reason, "search");
                    if self.request.budget.stop_after(0).is_some() || matches!(reason, NotFound::Unsupported { .. }) {
                        return reason;
                    }
                    self.low = level.saturating_add(1);
                    unfound = reason;
                }
            }
        }
        unfound
    }

    /// Returns the reason to stop, if the budget is spent.
    fn stop(&self, observer: &mut EngineObserver<'_>) -> Option<NotFound> {
        let reason = self.request.budget.stop_after(self.spent)?;
        observer(EngineEvent::Stopped { reason, progress: None });
        Some(NotFound::Stopped { steps: self.level, reason })
    }

    /// Only schedules of fewer steps are useful.
    fn below(&self) -> u32 {
        let best = self.best.as_ref().map_or(u32::MAX, |best| best.step_count() as u32);
        best.min(self.request.below)
    }

    /// Returns the next level, and whether it is the last one: the goal first, then the middle of the open interval.
    /// Without an upper end of the interval, the distance to the goal doubles.
    fn next_level(&self) -> Option<(u32, bool)> {
        let (low, goal) = (self.low, self.request.goal);
        let top = Some(self.below()).filter(|&below| below < u32::MAX).map(|below| below.saturating_sub(1));
        match top {
            Some(top) if top < low => None,
            top if low == goal => Some((low, top == Some(low))),
            Some(top) => Some((low + (top - low) / 2, top == low)),
            None => Some((goal.saturating_add((low - goal - 1).saturating_mul(2).max(1)), false)),
        }
    }

    /// Searches at the current level.
    fn search_level(
        &mut self,
        table: &PathTable,
        is_last: bool,
        resumed: Option<Vec<u8>>,
        observer: &mut EngineObserver<'_>,
    ) -> Result<Schedule, NotFound> {
        let space = SearchSpace::new(self.request.problem, table, self.level)?;
        let mut search = match resumed {
            Some(bytes) => Evolution::resume(&space, self.algorithm, &bytes)
                .map_err(|error| NotFound::Resume { why: error.to_string() })?,
            None => Evolution::new(&space, self.algorithm),
        };
        let budget = self.level_budget(is_last);
        let report = |search: &Evolution<'_, A>, report: &mut dyn FnMut(SearchProgress<'_>)| {
            report(SearchProgress {
                steps: self.level,
                generation: search.generation(),
                evaluations: search.evaluations(),
                evaluation_limit: Some(budget.evaluation_limit()).filter(|&limit| limit < u64::MAX),
                conflicts: search.best_conflicts(),
                checkpoint: &|| self.save(search.checkpoint()),
            });
        };
        let result = search.run(&budget, |search| {
            report(search, &mut |progress| observer(EngineEvent::Progress(progress)));
        });
        if let Err(NotFound::Stopped { reason: StopReason::Deadline | StopReason::Cancelled, .. }) = result
            && let Some(reason) = budget.stop_after(0)
        {
            report(&search, &mut |progress| {
                observer(EngineEvent::Stopped { reason, progress: Some(progress) });
            });
        }
        self.spent = self.spent.saturating_add(search.evaluations());
        result
    }

    /// Returns the budget of the current level: half of the rest, or all of it for the last level.
    fn level_budget(&self, is_last: bool) -> Budget {
        let budget = self.request.budget;
        let left = match budget.evaluation_limit() {
            u64::MAX => u64::MAX,
            limit => limit.saturating_sub(self.spent),
        };
        match (is_last, budget.time_left()) {
            (true, _) => budget.clone().with_evaluations(left),
            (false, time) => {
                let half = if left == u64::MAX { left } else { left.div_ceil(2) };
                let budget = budget.clone().with_evaluations(half);
                time.map_or(budget.clone(), |time| budget.within(time / 2))
            }
        }
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
