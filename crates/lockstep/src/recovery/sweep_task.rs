//! Sweeps whose sets of faults are divided among processes.

use lockstep_faults::Faults;
use lockstep_files::FileKind;
use lockstep_schedule::{Budget, StopReason};
use serde::{Deserialize, Serialize};

use super::book_error::BookError;
use super::consequence::ConsequenceError;
use super::sweep::{BATCH, sweep};
use super::sweep_log::{SweepIdentity, SweepPage};
use crate::plan::Plan;
use crate::planner::StoredOptions;
use crate::workers::{WorkerError, Workers};

/// The kind of a task.
pub(crate) const KIND: FileKind =
    FileKind { format: "lockstep-sweep-task", noun: "part of a sweep", magic: *b"lockswpt", version: 2, remedies: &[] };

/// A part of a sweep: some consecutive sets of faults.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SweepTask {
    /// The binary plan file of the network without faults.
    pub(crate) before: Vec<u8>,
    options: StoredOptions,
    evaluations: u64,
    /// The number of the first page.
    first: u64,
    sets: Vec<Faults>,
}

/// Why a sweep ended without all its results.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharedSweepError {
    /// The consequence of a set of faults is unknown.
    #[error(transparent)]
    Consequence(#[from] ConsequenceError),
    /// A worker returned an error.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// A worker returned something else than the pages of its sets.
    #[error("the result of worker {worker} cannot be read: {error}")]
    Result {
        /// The number of the worker, from 0.
        worker: usize,
        /// The error of the reader.
        error: BookError,
    },
}

impl SweepTask {
    /// Returns the pages of all sets, one behind the other. `before` is the plan in the task.
    ///
    /// # Errors
    ///
    /// The reason in words.
    pub(crate) fn run(&self, before: &Plan) -> Result<Vec<u8>, String> {
        let budget = Budget::evaluations(self.evaluations);
        let (options, budget) = self.options.options(budget).ok_or("the engines of the sweep are unknown")?;
        let (mut pages, mut number) = (Vec::new(), self.first);
        let swept = sweep(before, self.sets.iter().cloned(), options, &budget, |consequence| {
            pages.extend(SweepPage::new(number, &consequence).into_bytes());
            number += 1;
        });
        swept.map_err(|error| error.to_string())?;
        Ok(pages)
    }
}

/// Computes the consequences of many sets of faults as [`sweep`] does, and divides them among this process and its workers.
///
/// Passes the pages of the log to `observe` in the order of the sets; the number of the first one is `first`. They are the
/// same for every number of workers. A budget stops this process only: the caller ends the workers.
///
/// # Errors
///
/// The first [`SharedSweepError`].
pub fn sweep_with(
    workers: &dyn Workers,
    identity: &SweepIdentity<'_>,
    first: usize,
    sets: impl IntoIterator<Item = Faults>,
    budget: &Budget,
    mut observe: impl FnMut(SweepPage),
) -> Result<Option<StopReason>, SharedSweepError> {
    let SweepIdentity { before, options, evaluations, .. } = *identity;
    let (mut sets, mut number) = (sets.into_iter(), first as u64);
    if workers.count() == 0 {
        return Ok(sweep(before, sets, options, budget, |consequence| {
            observe(SweepPage::new(number, &consequence));
            number += 1;
        })?);
    }
    let share = BATCH * rayon::current_num_threads();
    let whole = SweepTask {
        before: before.to_file(None).to_bytes(),
        options: options.into(),
        evaluations,
        first: 0,
        sets: Vec::new(),
    };
    loop {
        let own: Vec<Faults> = sets.by_ref().take(share).collect();
        if own.is_empty() {
            return Ok(None);
        }
        let (mut busy, mut first) = (Vec::new(), number + own.len() as u64);
        for worker in 0..workers.count() {
            let sets: Vec<Faults> = sets.by_ref().take(share).collect();
            if sets.is_empty() {
                break;
            }
            let task = SweepTask { first, sets, ..whole.clone() };
            workers.send(worker, KIND.seal(&task));
            first += task.sets.len() as u64;
            busy.push((worker, task));
        }
        let stopped = sweep(before, own, options, budget, |consequence| {
            observe(SweepPage::new(number, &consequence));
            number += 1;
        })?;
        if stopped.is_some() {
            return Ok(stopped);
        }
        for (worker, task) in busy {
            let Some(result) = workers.receive(worker, &|| budget.interruption().is_some()) else {
                return Ok(budget.interruption());
            };
            let unreadable = |error| SharedSweepError::Result { worker, error };
            let pages = WorkerError::check(worker, &result)?;
            let pages = SweepPage::read_all(before.schedule_file(), task.first, &pages).map_err(unreadable)?;
            if !pages.iter().map(|page| &page.degradation.faults).eq(&task.sets) {
                return Err(unreadable(BookError::OtherSweep));
            }
            number += pages.len() as u64;
            pages.into_iter().for_each(&mut observe);
        }
    }
}
