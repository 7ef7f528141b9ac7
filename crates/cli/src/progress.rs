//! The progress of a long command: one line on the terminal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep::Budget;
use lockstep_report::ProgressText;

use crate::args::Verbosity;
use crate::output;

/// Maximum number of times per second that the line is written.
const WRITES_PER_SECOND: u8 = 10;

/// One line on standard error: bound, best result so far, share of the budget, and time left.
///
/// It is written if standard error is a terminal, and neither `--quiet` nor log output is wanted. Dropping it removes the
/// line.
#[derive(Debug)]
pub(crate) struct Progress {
    notes: Notes,
    state: Arc<Mutex<State>>,
}

/// Prints notes beside the line.
#[derive(Clone, Debug)]
pub(crate) struct Notes {
    bar: ProgressBar,
    verbosity: Verbosity,
}

/// What the line says.
#[derive(Debug)]
struct State {
    started: Instant,
    /// The budget whose deadline counts.
    budget: Budget,
    bound: Option<String>,
    best: Option<String>,
    /// The share of the work that is done.
    done: Option<f64>,
    work: String,
    is_over: bool,
}

impl Progress {
    /// Begins the line of a command. The deadline of `budget` gives the time left.
    pub(crate) fn new(verbosity: Verbosity, budget: &Budget) -> Self {
        let is_hidden = verbosity.quiet || verbosity.verbose > 0;
        let target = if is_hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(WRITES_PER_SECOND)
        };
        // The text ends at the right border of the terminal.
        let style = ProgressStyle::with_template("{spinner} {wide_msg}").unwrap_or(ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, target).with_style(style);
        let state = Arc::new(Mutex::new(State {
            started: Instant::now(),
            budget: budget.clone(),
            bound: None,
            best: None,
            done: None,
            work: String::new(),
            is_over: false,
        }));
        if !bar.is_hidden() {
            let (bar, state) = (bar.clone(), Arc::downgrade(&state));
            // Without a thread, there is no line.
            let _ = thread::Builder::new().spawn(move || write_regularly(&bar, &state));
        }
        Self { notes: Notes { bar, verbosity }, state }
    }

    /// Sets the bound, with its unit.
    pub(crate) fn set_bound(&self, bound: Option<String>) {
        self.state().bound = bound;
    }

    /// Sets the best result so far, with its unit.
    pub(crate) fn set_best(&self, best: Option<String>) {
        self.state().best = best;
    }

    /// Sets the share of the work that is done.
    pub(crate) fn set_done(&self, done: u64, total: u64) {
        self.state().done = (total > 0).then(|| done as f64 / total as f64);
    }

    /// Sets the current work.
    pub(crate) fn set_work(&self, work: String) {
        self.state().work = work;
    }

    /// Runs `write` while the line is hidden.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.notes.aside(write)
    }

    /// Returns the printer of notes, for another thread.
    pub(crate) fn notes(&self) -> Notes {
        self.notes.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.state().is_over = true;
        self.notes.bar.finish_and_clear();
    }
}

impl Notes {
    /// Prints a note.
    pub(crate) fn print(&self, text: &str) {
        self.aside(|| output::note(self.verbosity, text));
    }

    /// Runs `write` while the line is hidden.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl State {
    /// Returns the line.
    fn text(&self) -> String {
        let elapsed = self.started.elapsed();
        let until = self.budget.time_left();
        let of_time = until.map(|left| elapsed.as_secs_f64() / (elapsed + left).as_secs_f64().max(f64::MIN_POSITIVE));
        let used = [self.done, of_time].into_iter().flatten().reduce(f64::max);
        let at_rate = self.done.and_then(|done| ProgressText::time_left(elapsed, done));
        let left = [until, at_rate].into_iter().flatten().min();
        let is_stopping = self.budget.interruption().is_some();
        let text = ProgressText {
            elapsed,
            bound: self.bound.as_deref(),
            best: self.best.as_deref(),
            used,
            left,
            work: if is_stopping { "stopping" } else { &self.work },
        };
        text.to_string()
    }
}

/// Writes the line again and again until it is over: the time goes on between two reports of a search.
fn write_regularly(bar: &ProgressBar, state: &Weak<Mutex<State>>) {
    loop {
        // A command that ends at once shows no line.
        thread::sleep(Duration::from_secs(1) / WRITES_PER_SECOND.into());
        let Some(state) = state.upgrade() else { return };
        let state = locked(&state);
        if state.is_over {
            return;
        }
        bar.set_message(state.text());
        bar.tick();
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // A thread that panicked leaves whole values behind.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
