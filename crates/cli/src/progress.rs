//! Somebody waits: a progress bar, and checkpoints.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep::{Event, Search};

use crate::args::Talk;
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
    /// The file, not yet written.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, written: Instant::now(), exists: false, failed: false }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What an interrupted run has saved, if one has.
    pub(crate) fn read(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        self.exists = fs::exists(&self.path).unwrap_or(true);
        self.exists.then(|| input::bytes(&self.path)).transpose()
    }

    /// Whether there is something to go on from.
    pub(crate) fn exists(&self) -> bool {
        self.exists
    }

    fn write(&mut self, search: Search<'_>) {
        match output::replace(&self.path, &search.checkpoint()) {
            Ok(()) => self.exists = true,
            Err(error) if !self.failed => {
                self.failed = true;
                output::complain("warning", &format!("{}: cannot be written: {error}", self.path.display()));
            }
            Err(_) => {}
        }
        self.written = Instant::now();
    }

    /// Removes the file when nothing is to be gone on from.
    pub(crate) fn remove(&mut self) {
        if std::mem::take(&mut self.exists)
            && let Err(error) = fs::remove_file(&self.path)
        {
            output::complain("warning", &format!("{}: cannot be removed: {error}", self.path.display()));
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
    pub(crate) fn new(talk: Talk, checkpoint: Option<&'a mut Checkpoint>) -> Self {
        let style =
            ProgressStyle::with_template("{spinner} {elapsed} {msg}").unwrap_or(ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, draw_target(talk)).with_style(style);
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
                self.save(*search, CHECKPOINT_INTERVAL);
            }
            Event::Stopped(search) => self.save(*search, Duration::ZERO),
            _ => {}
        }
    }

    fn save(&mut self, search: Search<'_>, interval: Duration) {
        if let Some(checkpoint) = self.checkpoint.as_deref_mut().filter(|one| one.written.elapsed() >= interval) {
            checkpoint.write(search);
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
    pub(crate) fn new(talk: Talk, total: Option<usize>, done: usize) -> Self {
        let bar = ProgressBar::with_draw_target(total.map(|total| total as u64), draw_target(talk));
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

fn draw_target(talk: Talk) -> ProgressDrawTarget {
    let hidden = talk.quiet || talk.verbose > 0;
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
