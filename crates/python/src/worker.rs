//! Long work in a thread of its own, while the calling thread watches for signals.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use lockstep::Budget;
use pyo3::prelude::*;

use crate::errors::LockstepError;
use crate::progress::Progress;

/// The time between two looks at signals.
const TICK: Duration = Duration::from_millis(50);

/// The time after a signal in which the work may end by itself. Later, its thread is left behind.
const GRACE: Duration = Duration::from_millis(500);

/// Stack of the thread, as large as that of a program.
const STACK_BYTES: usize = 8 << 20;

/// What the thread reports.
enum Report<T> {
    Event(Progress),
    Result(T),
}

/// Sends events to Python, if it wants them.
pub(crate) struct Observer<T>(Option<Sender<Report<T>>>);

impl<T> Observer<T> {
    /// Reports an event that is made only if it is wanted.
    pub(crate) fn see(&self, event: impl FnOnce() -> Option<Progress>) {
        if let Some(sender) = &self.0
            && let Some(event) = event()
        {
            // After an interruption, the receiver is gone, and the budget ends the work.
            let _ = sender.send(Report::Event(event));
        }
    }
}

/// Runs `work` in another thread without the global lock of Python. Calls `observer` with each event.
///
/// # Errors
///
/// An exception of a signal, such as `KeyboardInterrupt`, or of the observer. It cancels the budget, and returns at the
/// latest after [`GRACE`]. `OSError` if the system refuses a thread.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    budget: &Budget,
    observer: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Observer<T>, &Budget) -> T + Send + 'static,
) -> PyResult<T> {
    lockstep::start_threads()?;
    let (sender, mut reports) = mpsc::channel();
    let (events, own_budget) = (Observer(observer.is_some().then(|| sender.clone())), budget.clone());
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
                return Err(LockstepError::new_err("an internal error ended the work; please report it"));
            }
        };
        if let Err(exception) = seen.and_then(|()| py.check_signals()) {
            budget.cancel();
            let begin = Instant::now();
            while begin.elapsed() < GRACE
                && matches!(next(py, &mut reports, TICK), Ok(Report::Event(_)) | Err(RecvTimeoutError::Timeout))
            {
            }
            return Err(exception);
        }
    }
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
