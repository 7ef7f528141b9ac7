//! Interruption by Ctrl-C, by SIGTERM and at a deadline, and the signal of long files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use lockstep::Budget;

use crate::exit_status::{ERROR, ExitStatus};
use crate::output;
use crate::progress::{Notes, Progress};

/// Signals that follow within this time count as one: terminals send a signal to the program and to its group.
const ECHO: Duration = Duration::from_millis(200);

/// The time after a signal in which the work must end.
const GRACE: Duration = Duration::from_millis(800);

/// The time after the deadline of a first result in which work that checks its budget ends.
const OVERRUN: Duration = Duration::from_millis(40);

/// Work without any result so far. When this value is dropped, there is a result to keep, and the work gets the time
/// that it needs.
#[derive(Default)]
pub(crate) struct UnfinishedWork {
    is_over: Arc<AtomicBool>,
}

impl Drop for UnfinishedWork {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Ends the program with this error soon after the deadline of a first result, unless there is one by then. So the limit also
/// holds for work that does not check it, such as reading a large network. Without a deadline, it does nothing.
pub(crate) fn exit_at_deadline(budget: &Budget, error: anyhow::Error, notes: Option<Notes>) -> UnfinishedWork {
    let unfinished = UnfinishedWork::default();
    if let Some(left) = budget.for_first_result().time_left() {
        let is_over = unfinished.is_over.clone();
        let end = move || {
            std::thread::sleep(left.saturating_add(OVERRUN));
            if !is_over.load(Ordering::Relaxed) {
                match notes {
                    Some(notes) => notes.aside(|| output::error(&error)),
                    None => output::error(&error),
                }
                std::process::exit(ERROR.into());
            }
        };
        // Without a thread, only the work that checks the budget ends in time.
        let _ = std::thread::Builder::new().spawn(end);
    }
    unfinished
}

/// Makes a file that exceeds the limit of the system (`ulimit -f`) an error of the write, and not a signal that ends the
/// program.
pub(crate) fn report_long_files() {
    #[cfg(unix)]
    {
        let unread = Arc::new(AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, unread);
    }
}

/// Cancels the budget at the first signal, and exits at the second one. Exits soon after the first one if there is no
/// result to keep yet.
pub(crate) fn cancel_on_signal(
    budget: &Budget,
    work: &'static str,
    progress: &Progress,
) -> anyhow::Result<UnfinishedWork> {
    let unfinished = UnfinishedWork::default();
    let is_over = unfinished.is_over.clone();
    let (budget, notes, mut first) = (budget.clone(), progress.notes(), None);
    let handler = move || match first {
        None => {
            first = Some(Instant::now());
            notes.print(&format!("stopping {work}; press Ctrl-C again to exit at once"));
            budget.cancel();
            let (is_over, notes) = (is_over.clone(), notes.clone());
            let end = move || {
                std::thread::sleep(GRACE);
                if !is_over.load(Ordering::Relaxed) {
                    notes.print("stopped without a result");
                    std::process::exit(ExitStatus::Interrupted.code().into());
                }
            };
            // Without a thread, only the second signal ends the program.
            let _ = std::thread::Builder::new().spawn(end);
        }
        Some(first) if first.elapsed() > ECHO => std::process::exit(ExitStatus::Interrupted.code().into()),
        Some(_) => {}
    };
    match ctrlc::set_handler(handler) {
        Err(ctrlc::Error::System(error)) => bail!(lockstep::refused_thread(&error)),
        set => set.context("cannot install the signal handler")?,
    }
    Ok(unfinished)
}
