//! The rows with targets, from `data/benchmarks/targets.json`.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::amounts::time;
use crate::repository::root;

/// All rows with targets, by section of the document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Targets {
    pub(super) large: Vec<LargeRow>,
    pub(super) files: FileTargets,
    pub(super) search: SearchTargets,
    pub(super) simulation: SimulationTargets,
}

/// One run of the program on a large problem.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LargeRow {
    pub(super) name: String,
    pub(super) network: String,
    pub(super) collective: String,
    #[serde(default = "wormhole")]
    pub(super) switching: String,
    #[serde(default)]
    pub(super) command: LargeCommand,
    /// Time limit in seconds; without it, the program uses its own budget.
    pub(super) budget: Option<u32>,
    pub(super) target: Target,
}

/// A command of the program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LargeCommand {
    #[default]
    Plan,
    Bound,
}

/// The targets of a run: upper limits.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    /// A proof that the steps are the fewest counts, too.
    pub(super) steps: Option<u32>,
    pub(super) gap_percent: Option<f64>,
    /// Processor time.
    pub(super) seconds: Option<f64>,
    pub(super) megabytes: Option<f64>,
}

/// Targets of files and of verification.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileTargets {
    /// Time of the shortest run of the program.
    pub(super) start_seconds: f64,
    pub(super) transfers_per_second: f64,
    pub(super) rows: Vec<FileRow>,
}

/// An all-gather whose plan is written and verified.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRow {
    pub(super) network: String,
    pub(super) bytes_per_transfer: f64,
}

/// Targets of searches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchTargets {
    pub(super) evaluations_per_second: f64,
    pub(super) rows: Vec<SearchRow>,
    /// Source of the records of graphs.
    pub(super) records: String,
    pub(super) graphs: Vec<GraphRow>,
}

/// A graph of given order and degree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphRow {
    pub(super) order: u32,
    pub(super) degree: u32,
    pub(super) record: Option<GraphRecord>,
}

/// The best graph of a competition.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphRecord {
    pub(super) diameter: u32,
    /// Rounded to three decimal places.
    pub(super) mean_distance: f64,
}

/// A problem of the evolutionary search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchRow {
    pub(super) network: String,
    pub(super) collective: String,
}

/// Targets of simulations.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SimulationTargets {
    pub(super) network: String,
    pub(super) rows: Vec<SimulationRow>,
}

/// Simulations of one size after the other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SimulationRow {
    pub(super) rates: String,
    pub(super) flows_per_task: Vec<usize>,
    /// Target of the largest size.
    pub(super) seconds: Option<f64>,
}

fn wormhole() -> String {
    "wormhole".to_owned()
}

impl Targets {
    pub(super) fn read() -> Result<Self> {
        let path = root().join("data/benchmarks/targets.json");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }
}

impl Target {
    /// Returns the targets as text.
    pub(super) fn text(&self) -> String {
        let parts = [
            self.steps.map(|steps| format!("{steps} steps or a proof")),
            self.gap_percent.map(|gap| format!("gap {gap} %")),
            self.seconds.map(time_of),
            self.megabytes.map(|size| format!("{size} MB")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Returns a number of seconds with its unit.
pub(super) fn time_of(seconds: f64) -> String {
    time(std::time::Duration::from_secs_f64(seconds))
}

/// Returns the cell that says whether a target was reached.
pub(super) fn reached(is_reached: bool) -> String {
    if is_reached { "yes" } else { "no" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_targets_and_sizes() {
        let targets = Targets::read().unwrap();
        assert!(targets.large.iter().all(|row| !row.target.text().is_empty()));
        assert!(targets.simulation.rows.iter().all(|row| row.flows_per_task.len() >= 5));
    }

    #[test]
    fn a_target_is_printed_with_units() {
        let target = Target { steps: Some(7), gap_percent: Some(3.0), seconds: Some(0.05), megabytes: Some(300.0) };
        assert_eq!(target.text(), "7 steps or a proof, gap 3 %, 50 ms, 300 MB");
    }
}
