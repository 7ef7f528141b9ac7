//! Islands: searches with different seeds, whose best plan counts.

use std::num::NonZeroU32;

use lockstep_files::FileKind;
use lockstep_schedule::{Budget, Checkpoint, NotFound, Problem, Schedule, ScheduleFile};
use serde::{Deserialize, Serialize};

use super::checkpoint::{CheckpointError, Identity};
use super::error::PlanError;
use super::event::Event;
use super::options::{PlanOptions, StoredOptions};
use super::planner::Planner;
use crate::plan::{Plan, PlanFile};
use crate::workers::{WorkerError, Workers};

/// The file kind of checkpoints of islands.
pub const ISLANDS_KIND: FileKind = FileKind {
    format: "lockstep-islands",
    noun: "checkpoint of islands",
    magic: *b"lockisls",
    version: 1,
    remedies: &[],
};

/// The kind of a task.
pub(crate) const TASK_KIND: FileKind =
    FileKind { format: "lockstep-island-task", noun: "island", magic: *b"lockislt", version: 1, remedies: &[] };

/// One island, for another process.
#[derive(Serialize, Deserialize)]
pub(crate) struct IslandTask {
    /// A schedule file without steps.
    problem: Vec<u8>,
    options: StoredOptions,
    evaluations: u64,
}

/// The islands that have finished.
#[derive(Serialize, Deserialize)]
struct Record {
    identity: Identity,
    count: u32,
    /// The binary plan files; `None` for an island without a plan.
    finished: Vec<Option<Vec<u8>>>,
}

/// Plans with several islands: independent planners with the seeds `seed`, `seed + 1` and so on.
///
/// The plan is that of the island with the fewest steps; ties go to the smaller number. An optimal plan, or one with
/// the steps wanted, ends the search. The result depends on the seed, the evaluations of an island and the number of
/// islands, and not on the number of workers.
///
/// ```
/// use lockstep::{Budget, Collective, CommunicationModel, IslandPlanner, NoWorkers, PlanOptions, Planner, Problem};
///
/// let network = "random-regular:12,3,1".parse()?;
/// let all_to_all = Collective::all_to_all();
/// let problem = Problem::new(&network, &all_to_all, CommunicationModel::wormhole())?;
/// let (budget, options) = (Budget::evaluations(1000), PlanOptions::auto(1));
/// let plan = IslandPlanner::new(problem, options, 3.try_into()?).run(&NoWorkers, &budget, |_| {})?;
/// let alone = Planner::new(problem, options).run(&budget, |_| {})?;
/// assert!(plan.step_count() <= alone.step_count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IslandPlanner<'a> {
    problem: Problem<'a>,
    options: PlanOptions<'a>,
    count: u32,
    /// The plans of the first islands.
    finished: Vec<Option<Plan>>,
}

/// A report about the work on islands.
#[non_exhaustive]
pub enum IslandEvent<'e> {
    /// An event of an island that this process plans.
    Planner(Event<'e>),
    /// Islands have finished.
    Finished {
        /// The number of the finished islands.
        islands: u32,
        /// The fewest steps of their plans.
        steps: Option<u32>,
        /// Returns a checkpoint for [`IslandPlanner::from_checkpoint`].
        checkpoint: Checkpoint<'e>,
    },
}

/// Why islands have no plan.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IslandError {
    /// The planner of an island has none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A worker returned an error.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The plan of a worker is refused.
    #[error("the plan of worker {worker} is refused: {why}")]
    Refused {
        /// The number of the worker, from 0.
        worker: usize,
        /// The reason.
        why: String,
    },
}

impl IslandTask {
    /// Returns the plan as a file; nothing if no schedule was found.
    ///
    /// # Errors
    ///
    /// The reason in words.
    pub(crate) fn run(&self) -> Result<Vec<u8>, String> {
        let file = ScheduleFile::from_bytes(&self.problem).map_err(|error| error.to_string())?;
        let budget = Budget::evaluations(self.evaluations);
        let (options, budget) = self.options.options(budget).ok_or("the engines of the island are unknown")?;
        match Planner::new(file.problem(), options).run(&budget, |_| {}) {
            Ok(plan) => Ok(plan.to_file(None).to_bytes()),
            Err(PlanError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl<'a> IslandPlanner<'a> {
    /// Creates the planner of a number of islands.
    pub fn new(problem: Problem<'a>, options: PlanOptions<'a>, count: NonZeroU32) -> Self {
        Self { problem, options, count: count.get(), finished: Vec::new() }
    }

    /// Resumes behind the finished islands of a checkpoint. `evaluations` is the limit of the budget.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the bytes are not a checkpoint of this search.
    pub fn from_checkpoint(self, evaluations: u64, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let Record { identity, count, finished } = ISLANDS_KIND.open(bytes)?;
        if identity != Identity::new(&self.problem, self.options, evaluations) || count != self.count {
            return Err(CheckpointError::Mismatch { what: "problem, seed, budget or number of islands" });
        }
        let inconsistent = |what: String| CheckpointError::Inconsistent { what };
        let plan = |bytes: Vec<u8>| self.checked(&bytes).map_err(inconsistent);
        let finished = finished.into_iter().map(|bytes| bytes.map(plan).transpose()).collect::<Result<Vec<_>, _>>()?;
        if finished.len() > count as usize {
            return Err(inconsistent(format!("{} of {count} islands", finished.len())));
        }
        // Without a plan, the first island has to tell why.
        let is_needed = finished.iter().any(Option::is_some);
        Ok(Self { finished: if is_needed { finished } else { Vec::new() }, ..self })
    }

    /// Computes the plan. Each island gets all evaluations of the budget.
    ///
    /// A cancelled budget ends the search: the plan is the best of the finished islands, and of the interrupted one.
    ///
    /// # Errors
    ///
    /// [`IslandError`]; that of the first island if no island has a plan.
    pub fn run(
        mut self,
        workers: &dyn Workers,
        budget: &Budget,
        mut observe: impl FnMut(IslandEvent<'_>),
    ) -> Result<Plan, IslandError> {
        let evaluations = budget.evaluation_limit();
        let problem = ScheduleFile::new(&self.problem, Schedule::new()).to_bytes();
        let mut not_found: Option<NotFound> = None;
        while !self.is_done() {
            let first = self.finished.len() as u32;
            let others = (workers.count()).min((self.count - first) as usize - 1);
            for (worker, island) in (0..others).zip(first + 1..) {
                let options = self.options_of(island).into();
                let task = IslandTask { problem: problem.clone(), options, evaluations };
                workers.send(worker, TASK_KIND.seal(&task));
            }
            let planner = Planner::new(self.problem, self.options_of(first));
            let own = match planner.run(budget, |event| observe(IslandEvent::Planner(event))) {
                Ok(plan) => Some(plan),
                Err(PlanError::NotFound(error)) => {
                    not_found.get_or_insert(error);
                    None
                }
                Err(error) => return Err(error.into()),
            };
            self.finished.push(own);
            for worker in 0..others {
                let Some(result) = workers.receive(worker, &|| budget.interruption().is_some()) else { break };
                let plan = Some(WorkerError::check(worker, &result)?).filter(|plan| !plan.is_empty());
                let plan = plan.map(|bytes| self.checked(&bytes)).transpose();
                self.finished.push(plan.map_err(|why| IslandError::Refused { worker, why })?);
            }
            if budget.interruption().is_some() {
                break;
            }
            observe(IslandEvent::Finished {
                islands: self.finished.len() as u32,
                steps: self.best().map(Plan::step_count),
                checkpoint: Checkpoint(&|| self.checkpoint(evaluations)),
            });
        }
        self.result(not_found).map_err(|error| PlanError::from(error).into())
    }

    /// Returns the best plan, or why the first island has none.
    fn result(&self, not_found: Option<NotFound>) -> Result<Plan, NotFound> {
        self.best().cloned().ok_or_else(|| not_found.expect("the first island has a plan, or the reason why not"))
    }

    /// Returns the options of an island.
    fn options_of(&self, island: u32) -> PlanOptions<'a> {
        PlanOptions { seed: self.options.seed.wrapping_add(u64::from(island)), ..self.options }
    }

    /// Returns the plan of a file, if it is a valid one of this problem.
    fn checked(&self, bytes: &[u8]) -> Result<Plan, String> {
        let plan = PlanFile::from_bytes(bytes).map_err(|error| error.to_string())?;
        let plan = plan.check().map_err(|error| error.to_string())?;
        let file = plan.problem();
        let is_same = file.topology().digest() == self.problem.topology().digest()
            && file.collective() == self.problem.collective()
            && file.model() == self.problem.model();
        if is_same { Ok(plan) } else { Err("it is the plan of another problem".to_owned()) }
    }

    fn is_final(&self, plan: &Plan) -> bool {
        plan.is_optimal() || self.options.steps.is_some_and(|steps| plan.step_count() <= steps)
    }

    fn is_done(&self) -> bool {
        self.finished.len() == self.count as usize || self.finished.iter().flatten().any(|plan| self.is_final(plan))
    }

    /// Returns the best plan of the islands up to the first one whose plan is final: later ones would not have run.
    fn best(&self) -> Option<&Plan> {
        let plans = || self.finished.iter().flatten();
        let last = plans().position(|plan| self.is_final(plan)).map_or(usize::MAX, |place| place + 1);
        plans().take(last).min_by_key(|plan| plan.step_count())
    }

    fn checkpoint(&self, evaluations: u64) -> Vec<u8> {
        let identity = Identity::new(&self.problem, self.options, evaluations);
        let bytes = |plan: &Option<Plan>| plan.as_ref().map(|plan| plan.to_file(None).to_bytes());
        let finished = self.finished.iter().map(bytes).collect();
        ISLANDS_KIND.seal(&Record { identity, count: self.count, finished })
    }
}
