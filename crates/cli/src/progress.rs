//! Progress bars on standard error.

use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep::design::AllGatherSearch;
use lockstep::pareto::{EqualPoints, Evolution, MultiObjectiveProblem};
use lockstep::schedule::SearchProgress;
use lockstep::topology::OrderDegreeSearch;
use lockstep::{Event, FrontEvent};

use crate::args::Verbosity;
use crate::checkpoint_file::CheckpointFile;

/// Shows the events of a planner, and saves checkpoints.
pub(crate) struct Watch<'a> {
    bar: ProgressBar,
    /// The best bound so far.
    floor: u32,
    checkpoint: Option<&'a mut CheckpointFile>,
}

impl<'a> Watch<'a> {
    /// Shows a bar if standard error is a terminal without log output.
    pub(crate) fn new(verbosity: Verbosity, checkpoint: Option<&'a mut CheckpointFile>) -> Self {
        let style =
            ProgressStyle::with_template("{spinner} {elapsed} {msg}").unwrap_or(ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, draw_target(verbosity)).with_style(style);
        bar.set_message("lower bounds");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar, floor: 0, checkpoint }
    }

    /// Shows an event. Saves the state of a search at most every half second.
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
                    checkpoint.write(&(search.checkpoint)());
                }
            }
            Event::Stopped(search) => {
                if let Some(checkpoint) = self.checkpoint.as_deref_mut() {
                    checkpoint.write(&(search.checkpoint)());
                }
            }
            _ => {}
        }
    }

    /// Removes the bar.
    pub(crate) fn end(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of a sweep over fault sets.
pub(crate) struct SweepBar(ProgressBar);

impl SweepBar {
    /// Shows a bar if standard error is a terminal without log output; `done` of `total` fault sets are done.
    pub(crate) fn new(verbosity: Verbosity, total: Option<usize>, done: usize) -> Self {
        let bar = ProgressBar::with_draw_target(total.map(|total| total as u64), draw_target(verbosity));
        let template =
            if total.is_some() { "{spinner} {elapsed} {pos} of {len}, {eta} left" } else { "{spinner} {pos}" };
        let style = ProgressStyle::with_template(template).unwrap_or(ProgressStyle::default_spinner());
        let bar = bar.with_style(style).with_position(done as u64);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Counts one more fault set.
    pub(crate) fn advance(&self) {
        self.0.inc(1);
    }

    /// Runs `write` while the bar is hidden.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// Removes the bar.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

/// Progress of an evolution.
pub(crate) struct GenerationBar(ProgressBar);

impl GenerationBar {
    /// Shows a bar of `generations` if standard error is a terminal without log output.
    pub(crate) fn new(verbosity: Verbosity, generations: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(generations), draw_target(verbosity));
        let style = ProgressStyle::with_template("{spinner} {elapsed} generation {pos} of {len}{msg}, {eta} left");
        let bar = bar.with_style(style.unwrap_or(ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Updates the bar.
    pub(crate) fn see<P: MultiObjectiveProblem>(&self, evolution: &Evolution<'_, P>) {
        self.0.set_position(evolution.generation());
        if !self.0.is_hidden() {
            let (evaluations, front) = (evolution.evaluations(), evolution.front(EqualPoints::Remove).count());
            self.0.set_message(format!(": {} evaluations, front of {front}", HumanCount(evaluations)));
        }
    }

    /// Removes the bar.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

/// Progress of a front.
pub(crate) struct FrontLine {
    bar: ProgressBar,
    planned: u32,
}

impl FrontLine {
    /// Shows a line if standard error is a terminal without log output.
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::with_draw_target(None, draw_target(verbosity));
        let bar = bar.with_style(style.unwrap_or(ProgressStyle::default_spinner()));
        bar.set_message("lower bounds");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self { bar, planned: 0 }
    }

    /// Shows one more schedule.
    pub(crate) fn see(&mut self, event: FrontEvent) {
        self.planned += 1;
        let FrontEvent { chunks, steps, width_sum, .. } = event;
        let planned = self.planned;
        self.bar
            .set_message(format!("schedule {planned}: {chunks} chunks in {steps} steps of width {width_sum} together"));
    }

    /// Removes the line.
    pub(crate) fn end(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of a search for a graph of given order and degree.
pub(crate) struct RoundBar(ProgressBar);

impl RoundBar {
    /// Shows a line if standard error is a terminal without log output.
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
        let bar = ProgressBar::with_draw_target(None, draw_target(verbosity));
        let bar = bar.with_style(style.unwrap_or(ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Updates the bar.
    pub(crate) fn see(&self, search: &OrderDegreeSearch, rounds: u32) {
        let (sum, bound) = (search.best().distance_sum(), search.best().bound());
        let done = search.round();
        self.0.set_message(format!("{done} of {rounds} rounds done, distance sum {sum}, at least {bound}"));
    }

    /// Removes the line.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

/// Progress of a search for networks for all-gathers.
pub(crate) struct AllGatherBar(ProgressBar);

impl AllGatherBar {
    /// Shows a bar if standard error is a terminal without log output.
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let style = ProgressStyle::with_template("{spinner} {elapsed} {pos} of {len} pairs of order and degree");
        let bar = ProgressBar::with_draw_target(None, draw_target(verbosity));
        let bar = bar.with_style(style.unwrap_or(ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Updates the bar.
    pub(crate) fn see(&self, search: &AllGatherSearch) {
        let (done, all) = search.progress();
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
    }

    /// Removes the bar.
    pub(crate) fn end(self) {
        self.0.finish_and_clear();
    }
}

fn draw_target(verbosity: Verbosity) -> ProgressDrawTarget {
    let hidden = verbosity.quiet || verbosity.verbose > 0;
    if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() }
}

fn describe(search: SearchProgress<'_>) -> String {
    let of = search.evaluation_limit.map(|limit| format!(" of {}", HumanCount(limit))).unwrap_or_default();
    let conflicts = search.conflicts.map(|conflicts| format!(", {conflicts} conflicts")).unwrap_or_default();
    let (steps, generation) = (search.steps, search.generation);
    format!(
        "searching {steps} steps: generation {generation}, {}{of} evaluations{conflicts}",
        HumanCount(search.evaluations)
    )
}
