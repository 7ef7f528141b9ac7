//! The processes that work for this one, and their results.

use lockstep_files::{FileError, FileKind};

/// The kind of a result.
const RESULT_KIND: FileKind =
    FileKind { format: "lockstep-result", noun: "result of a task", magic: *b"lockrslt", version: 1, remedies: &[] };

/// Processes that work for this one: the other ranks of MPI, for example. Each of them has a [`Worker`](crate::Worker).
pub trait Workers {
    /// Returns the number of workers.
    fn count(&self) -> usize;

    /// Gives a task to an idle worker.
    fn send(&self, worker: usize, task: Vec<u8>);

    /// Waits for the result of the task of a worker. Returns `None` as soon as `is_stopped` returns true.
    fn receive(&self, worker: usize, is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>>;
}

/// No workers: this process works alone.
#[derive(Clone, Copy, Debug)]
pub struct NoWorkers;

impl Workers for NoWorkers {
    fn count(&self) -> usize {
        0
    }

    fn send(&self, _worker: usize, _task: Vec<u8>) {}

    fn receive(&self, _worker: usize, _is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        None
    }
}

/// Why a worker has no result.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The task failed.
    #[error("worker {worker}: {why}")]
    Failed {
        /// The number of the worker, from 0.
        worker: usize,
        /// The reason.
        why: String,
    },
    /// The result is damaged, or of another version.
    #[error("the result of worker {worker} cannot be read: {error}; start the same program on all machines")]
    Result {
        /// The number of the worker, from 0.
        worker: usize,
        /// The error of the reader.
        error: FileError,
    },
}

impl WorkerError {
    /// Returns the contents of a result.
    pub(crate) fn check(worker: usize, result: &[u8]) -> Result<Vec<u8>, Self> {
        let result: Result<Vec<u8>, String> =
            RESULT_KIND.open(result).map_err(|error| Self::Result { worker, error })?;
        result.map_err(|why| Self::Failed { worker, why })
    }
}

/// Returns a result as bytes.
pub(crate) fn seal_result(result: &Result<Vec<u8>, String>) -> Vec<u8> {
    RESULT_KIND.seal(result)
}
