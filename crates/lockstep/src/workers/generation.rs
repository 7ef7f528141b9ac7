//! Generations of designs whose children are divided among processes.

use lockstep_design::{CablingCode, DesignProblem, checkpoint, children};
use lockstep_files::{FileError, FileKind};
use lockstep_pareto::{Child, Evolution, EvolutionError};
use serde::{Deserialize, Serialize};

use super::workers::{WorkerError, Workers};

/// The kind of a task.
pub(crate) const TASK_KIND: FileKind = FileKind {
    format: "lockstep-generation-task",
    noun: "part of a generation",
    magic: *b"lockgent",
    version: 1,
    remedies: &[],
};

/// The kind of the children in a result.
const CHILDREN_KIND: FileKind = FileKind { format: "lockstep-children", magic: *b"lockchld", ..TASK_KIND };

/// Some children of a generation.
#[derive(Serialize, Deserialize)]
pub(crate) struct GenerationTask {
    checkpoint: Vec<u8>,
    first: usize,
    end: usize,
}

impl GenerationTask {
    /// Returns the children as bytes.
    ///
    /// # Errors
    ///
    /// The reason in words.
    pub(crate) fn run(&self) -> Result<Vec<u8>, String> {
        children(&self.checkpoint, self.first..self.end).map(|children| CHILDREN_KIND.seal(&children))
    }
}

/// Why a generation has no result.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerationError {
    /// The evolution cannot continue.
    #[error(transparent)]
    Evolution(#[from] EvolutionError),
    /// A worker returned an error.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A worker returned something else than its children.
    #[error("the children of worker {worker} cannot be read: {error}")]
    Result {
        /// The number of the worker, from 0.
        worker: usize,
        /// The error of the reader.
        error: FileError,
    },
    /// A worker returned wrong children.
    #[error("the children of worker {worker} are wrong: {why}")]
    Children {
        /// The number of the worker, from 0.
        worker: usize,
        /// The reason.
        why: String,
    },
}

/// Computes the next generation of an evolution of designs, as [`Evolution::advance`] does, and divides its children among
/// this process and its workers. The result is the same for every number of workers.
///
/// # Errors
///
/// The first [`GenerationError`]. The generation is then incomplete, and the evolution cannot continue.
pub fn advance_generation<'a>(
    workers: &dyn Workers,
    problem: &DesignProblem<'_>,
    evolution: &mut Evolution<'a, DesignProblem<'a>>,
) -> Result<(), GenerationError> {
    evolution.advance_with(|evolution, numbers| {
        let (shares, count) = (workers.count() + 1, numbers.len());
        if shares == 1 || count == 1 {
            return Ok(evolution.children(numbers)?);
        }
        let border = |share: usize| numbers.start + share * count / shares;
        let state = checkpoint(problem, evolution);
        let busy = || (0..workers.count()).filter(|&worker| border(worker + 1) < border(worker + 2));
        for worker in busy() {
            let (first, end) = (border(worker + 1), border(worker + 2));
            workers.send(worker, TASK_KIND.seal(&GenerationTask { checkpoint: state.clone(), first, end }));
        }
        let mut all = evolution.children(border(0)..border(1))?;
        for worker in busy() {
            let result = workers.receive(worker, &|| false).unwrap_or_default();
            let result = WorkerError::check(worker, &result)?;
            let children: Vec<Child<CablingCode>> =
                CHILDREN_KIND.open(&result).map_err(|error| GenerationError::Result { worker, error })?;
            let expected = border(worker + 2) - border(worker + 1);
            let is_wrong_count = (children.len() != expected).then(|| format!("{} of {expected}", children.len()));
            if let Some(why) = is_wrong_count.or_else(|| children.iter().find_map(|child| evolution.refusal(child))) {
                return Err(GenerationError::Children { worker, why });
            }
            all.extend(children);
        }
        Ok(all)
    })
}
