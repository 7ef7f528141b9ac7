//! Long work in a thread of its own, while the calling thread watches for signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use lockstep::{Budget, Event};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::errors::LockstepError;
use crate::progress::Progress;

/// The time between two looks at signals.
const TICK: Duration = Duration::from_millis(50);

/// The time after a signal in which the work may end by itself. Later, its thread is left behind.
const GRACE: Duration = Duration::from_millis(500);

/// The same time if the work has found something. Another signal ends it.
const BEST_GRACE: Duration = Duration::from_secs(5);

/// Stack of the thread, as large as that of a program.
const STACK_BYTES: usize = 8 << 20;

/// What the thread reports.
enum Report<T> {
    Event(Progress),
    Result(T),
}

/// Sends events to Python, if it wants them.
pub(crate) struct Observer<T> {
    sender: Option<Sender<Report<T>>>,
    /// True as soon as an interruption has something to keep.
    has_found: Arc<AtomicBool>,
}

impl<T> Observer<T> {
    /// Reports an event that is made only if it is wanted.
    pub(crate) fn see(&self, event: impl FnOnce() -> Option<Progress>) {
        if let Some(sender) = &self.sender
            && let Some(event) = event()
        {
            // After an interruption, the receiver is gone, and the budget ends the work.
            let _ = sender.send(Report::Event(event));
        }
    }

    /// Notes that an interruption has something to keep.
    pub(crate) fn found(&self) {
        self.has_found.store(true, Ordering::Relaxed);
    }

    /// Reports an event of a planner.
    pub(crate) fn see_planner(&self, event: &Event<'_>) {
        if matches!(event, Event::Found { .. } | Event::Tried { steps: Some(_), .. } | Event::Repaired(_)) {
            self.found();
        }
        self.see(|| Progress::of_planner(event));
    }
}

/// An exception that ended the work, and the result of the work if it came in time.
pub(crate) struct Stopped<T> {
    exception: PyErr,
    result: Option<T>,
}

impl<T> Stopped<T> {
    /// Returns the exception. A `KeyboardInterrupt` has what `keep` returns as its attribute `best`.
    pub(crate) fn keeping<'py, K: IntoPyObject<'py>>(
        self,
        py: Python<'py>,
        keep: impl FnOnce(T) -> Option<K>,
    ) -> PyErr {
        let Self { exception, result } = self;
        if exception.is_instance_of::<PyKeyboardInterrupt>(py)
            && let Some(best) = result.and_then(keep)
        {
            let set = best.into_bound_py_any(py).and_then(|best| exception.value(py).setattr("best", best));
            return set.err().unwrap_or(exception);
        }
        exception
    }
}

impl<T> From<PyErr> for Stopped<T> {
    fn from(exception: PyErr) -> Self {
        Self { exception, result: None }
    }
}

impl<T> From<std::io::Error> for Stopped<T> {
    fn from(error: std::io::Error) -> Self {
        PyErr::from(error).into()
    }
}

impl<T> From<Stopped<T>> for PyErr {
    fn from(stopped: Stopped<T>) -> Self {
        stopped.exception
    }
}

/// Runs `work` in another thread without the global lock of Python. Calls `observer` with each event.
///
/// # Errors
///
/// An exception of a signal, such as `KeyboardInterrupt`, or of the observer. It cancels the budget, and returns at the
/// latest after [`GRACE`], or after [`BEST_GRACE`] if the work has found something. `OSError` if the system refuses a thread.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    budget: &Budget,
    observer: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Observer<T>, &Budget) -> T + Send + 'static,
) -> Result<T, Stopped<T>> {
    lockstep::start_threads()?;
    let (sender, mut reports) = mpsc::channel();
    let has_found = Arc::new(AtomicBool::new(false));
    let events = Observer { sender: observer.is_some().then(|| sender.clone()), has_found: Arc::clone(&has_found) };
    let own_budget = budget.clone();
    let job = move || {
        let result = work(&events, &own_budget);
        let _ = sender.send(Report::Result(result));
    };
    thread::Builder::new().name("lockstep".to_owned()).stack_size(STACK_BYTES).spawn(job)?;
    loop {
        let report = next(py, &mut reports, TICK);
        let seen = match report {
            Ok(Report::Result(result)) => return Ok(result),
            Ok(Report::Event(event)) => see(observer, &event, py),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(LockstepError::new_err("an internal error ended the work; please report it").into());
            }
        };
        if let Err(exception) = seen.and_then(|()| py.check_signals()) {
            budget.cancel();
            let is_kept = exception.is_instance_of::<PyKeyboardInterrupt>(py) && has_found.load(Ordering::Relaxed);
            let result = last(py, &mut reports, if is_kept { BEST_GRACE } else { GRACE });
            return Err(Stopped { exception, result });
        }
    }
}

/// Waits for the result of cancelled work, until the time is over or another signal comes.
fn last<T: Send>(py: Python<'_>, reports: &mut Receiver<Report<T>>, grace: Duration) -> Option<T> {
    let begin = Instant::now();
    while begin.elapsed() < grace && py.check_signals().is_ok() {
        match next(py, reports, TICK) {
            Ok(Report::Result(result)) => return Some(result),
            Ok(Report::Event(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    None
}

/// Waits for the next report without the global lock.
fn next<T: Send>(
    py: Python<'_>,
    reports: &mut Receiver<Report<T>>,
    limit: Duration,
) -> Result<Report<T>, RecvTimeoutError> {
    py.detach(move || reports.recv_timeout(limit))
}

fn see(observer: Option<&Bound<'_, PyAny>>, event: &Progress, py: Python<'_>) -> PyResult<()> {
    if let Some(observer) = observer {
        observer.call1((event.to_dict(py)?,))?;
    }
    Ok(())
}
