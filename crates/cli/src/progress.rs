//! Somebody waits: a progress bar, and checkpoints.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep::pareto::{EqualPoints, Evolution, Problem};
use lockstep::topology::OrderDegreeSearch;
use lockstep::{Event, Search};

use crate::args::Verbosity;
use crate::{input, output};

/// The least time between two checkpoints; killing the program loses no more, and one batch of the search.
const CHECKPOINT_INTERVAL: Duration = Duration::from_millis(500);

/// The file in which a search is saved.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    path: PathBuf,
    written: Instant,
    /// Whether the file is ours to remove.
    exists: bool,
    failed: bool,
}

impl Checkpoint {
    /// The file, not yet written: the one that is wanted, or one beside the output.
    pub(crate) fn new(wanted: Option<&Path>, output: Option<&Path>) -> Option<Self> {
        let beside = || {
            let mut name = OsString::from(output.filter(|output| !input::is_standard(output))?);
            name.push(".checkpoint");
            Some(PathBuf::from(name))
        };
        let path = wanted.map(Path::to_owned).or_else(beside)?;
        Some(Self { path, written: Instant::now(), exists: false, failed: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What an interrupted run has saved, if one has; says so.
    pub(crate) fn read(&mut self, verbosity: Verbosity) -> anyhow::Result<Option<Vec<u8>>> {
        self.exists = fs::exists(&self.path).unwrap_or(true);
        let saved = self.exists.then(|| input::bytes(&self.path)).transpose()?;
        if saved.is_some() {
            output::note(verbosity, &format!("going on from {}", self.path.display()));
        }
        Ok(saved)
    }

    /// Whether it is time to write it again.
    pub(crate) fn is_due(&self) -> bool {
        self.written.elapsed() >= CHECKPOINT_INTERVAL
    }

    /// Writes the file; says it once if that fails.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        match output::replace(&self.path, bytes) {
            Ok(()) => self.exists = true,
            Err(error) if !self.failed => {
                self.failed = true;
                output::eprint_line("warning", &format!("{}: cannot be written: {error}", self.path.display()));
            }
            Err(_) => {}
        }
        self.written = Instant::now();
    }

    /// Removes the file when nothing is to be gone on from, and else says how that is done.
    pub(crate) fn settle(&mut self, is_finished: bool, verbosity: Verbosity) {
        let path = self.path.display();
        if self.exists && !is_finished {
            output::note(verbosity, &format!("the same command goes on from {path}"));
        } else if self.exists
            && let Err(error) = fs::remove_file(&self.path)
        {
            output::eprint_line("warning", &format!("{path}: cannot be removed: {error}"));
        }
    }
}

/// What becomes of the events of a planner.
pub(crate) struct Watch<'a> {
    bar: ProgressBar,
    /// The best bound so far.
    floor: u32,
    checkpoint: Option<&'a mut Checkpoint>,
}

impl<'a> Watch<'a> {
    /// Shows a bar if standard error is a terminal and carries nothing else.
    pub(crate) fn new(verbosity: Verbosity, checkpoint: Option<&'a mut Checkpoint>) -> Self {
        let style =
            ProgressStyle::with_template("{spinner} {elapsed} {msg}").unwrap_or(ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, draw_target(verbosity)).with_style(style);
        bar.set_message("lower bounds");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar, floor: 0, checkpoint }
    }

    /// Shows an event, and saves a search from time to time.
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Bound { steps: Some(steps), .. } if *steps > self.floor => {
                self.floor = *steps;
                self.bar.set_message(format!("at least {steps} steps"));
            }
            Event::Found { engine, steps } => self.bar.set_message(format!("{engine} found {steps} steps")),
            Event::Search(search) => {
                self.bar.set_message(describe(*search));
                if let Some(checkpoint) = self.checkpoint.as_deref_mut().filter(|checkpoint| checkpoint.is_due()) {
                    checkpoint.write(&search.checkpoint());
                }
            }
            Event::Stopped(search) => {
                if let Some(checkpoint) = self.checkpoint.as_deref_mut() {
                    checkpoint.write(&search.checkpoint());
                }
            }
            _ => {}
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(self) {
        self.bar.finish_and_clear();
    }
}

/// How far a sweep is.
pub(crate) struct SweepBar(ProgressBar);

impl SweepBar {
    /// Shows a bar if standard error is a terminal and carries nothing else; `done` of `total` are done already.
    pub(crate) fn new(verbosity: Verbosity, total: Option<usize>, done: usize) -> Self {
        let bar = ProgressBar::with_draw_target(total.map(|total| total as u64), draw_target(verbosity));
        let template =
            if total.is_some() { "{spinner} {elapsed} {pos} of {len}, {eta} left" } else { "{spinner} {pos}" };
        let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_spinner());
        let bar = bar.with_style(style).with_position(done as u64);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// One more is done.
    pub(crate) fn advance(&self) {
        self.0.inc(1);
    }

    /// Writes something while the bar is out of the way.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Takes the bar away.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

/// How far an evolution is.
pub(crate) struct GenerationBar(ProgressBar);

impl GenerationBar {
    /// Shows a bar of so many generations if standard error is a terminal and carries nothing else.
    pub(crate) fn new(verbosity: Verbosity, generations: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(generations), draw_target(verbosity));
        let style = ProgressStyle::with_template("{spinner} {elapsed} generation {pos} of {len}{msg}, {eta} left");
        let bar = bar.with_style(style.unwrap_or(ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Shows how far it is.
    pub(crate) fn see<P: Problem>(&self, evolution: &Evolution<'_, P>) {
        self.0.set_position(evolution.generation());
        if !self.0.is_hidden() {
            let (evaluations, front) = (evolution.evaluations(), evolution.front(EqualPoints::Remove).count());
            self.0.set_message(format!(": {} evaluations, front of {front}", HumanCount(evaluations)));
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

/// How far a search for an order and a degree is.
pub(crate) struct RoundBar(ProgressBar);

impl RoundBar {
    /// Shows a line if standard error is a terminal and carries nothing else.
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::with_draw_target(None, draw_target(verbosity));
        let bar = bar.with_style(style.unwrap_or(ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Shows how far it is.
    pub(crate) fn see(&self, search: &OrderDegreeSearch, rounds: u32) {
        let (sum, bound) = (search.best().distance_sum(), search.best().bound());
        let done = search.round();
        self.0.set_message(format!("{done} of {rounds} rounds done, distance sum {sum}, at least {bound}"));
    }

    /// Takes the line away.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

fn draw_target(verbosity: Verbosity) -> ProgressDrawTarget {
    let hidden = verbosity.quiet || verbosity.verbose > 0;
    if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

fn describe(search: Search<'_>) -> String {
    let of = search.evaluation_limit().map(|limit| format!(" of {}", HumanCount(limit))).unwrap_or_default();
    let conflicts = search.conflicts().map(|conflicts| format!(", {conflicts} conflicts left")).unwrap_or_default();
    let (steps, generation) = (search.step_count(), search.generation());
    format!(
        "searching {steps} steps: generation {generation}, {}{of} evaluations{conflicts}",
        HumanCount(search.evaluations())
    )
}
