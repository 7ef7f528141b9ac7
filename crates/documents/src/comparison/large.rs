//! Large problems: one run of the whole program each, compared with its target.

use std::time::Duration;

use anyhow::Result;
use lockstep_report::Table;

use super::amounts::{memory, time};
use super::selection::Selection;
use super::summary::Summary;
use super::targets::{LargeCommand, LargeRow, Target, reached};
use super::threads::{ThreadTimes, compare};
use crate::process::{Cost, Program};

/// The run of one row.
pub(super) struct LargeRun {
    pub(super) row: LargeRow,
    pub(super) cost: Cost,
    /// `None` if the program found no plan.
    pub(super) summary: Option<Summary>,
    /// Times from start to end on one and on two threads, if the run is long and no time limit ended it.
    pub(super) threads: Option<[Duration; 2]>,
}

/// Runs the rows that are wanted.
pub(super) fn measure(rows: &[LargeRow], program: &Program, selection: &Selection) -> Result<Vec<LargeRun>> {
    let wanted = rows.iter().filter(|row| selection.wants(&row.name));
    let measured = wanted.map(|row| {
        eprintln!("Large problems: {} {}", row.name, row.collective);
        let arguments = arguments(row, program);
        let ended = program.run_to_end(&arguments, 1)?;
        let summary = match row.command {
            LargeCommand::Plan => Summary::of_plan(&ended.output),
            LargeCommand::Bound => Summary::of_bound(&ended.output),
        };
        let summary = summary.filter(|_| ended.is_successful);
        let is_comparable = summary.as_ref().is_some_and(|summary| !summary.is_cut_short);
        let threads = if is_comparable { compare(program, &arguments, ended.cost)? } else { None };
        Ok(LargeRun { row: row.clone(), cost: ended.cost, summary, threads })
    });
    measured.collect()
}

fn arguments(row: &LargeRow, program: &Program) -> Vec<String> {
    let (name, file) = match row.command {
        LargeCommand::Plan => ("plan", Some(program.file("plan.lsb"))),
        LargeCommand::Bound => ("bound", None),
    };
    let words = [name, &row.network, "--collective", &row.collective, "--switching", &row.switching];
    let mut words = words.map(str::to_owned).to_vec();
    words.extend(file.into_iter().flat_map(|file| ["--output".to_owned(), file]));
    words.extend(row.budget.into_iter().flat_map(|seconds| ["--budget".to_owned(), format!("{seconds}s")]));
    words
}

impl LargeRun {
    /// Returns the network, the collective, the command and the budget of a run, as text.
    fn title(&self) -> String {
        let what = if self.row.command == LargeCommand::Bound { ", bounds" } else { "" };
        let budget = self.row.budget.map_or(String::new(), |seconds| format!(", budget {seconds} s"));
        format!("{}, {}{what}{budget}", self.row.name, self.row.collective)
    }

    /// Lists the targets that the run did not reach, with its figures.
    pub(super) fn missed(&self) -> Vec<String> {
        let Target { steps, gap_percent, seconds, megabytes } = self.row.target;
        let Some(summary) = &self.summary else { return vec!["no plan".to_owned()] };
        let is_proved = summary.steps == Some(summary.bound);
        let (found, gap) = (summary.steps.unwrap_or(summary.bound), summary.gap_percent().unwrap_or(0.0));
        let (taken, peak) = (self.cost.processor_or_time(), self.cost.peak);
        let over = |figure: f64, target: Option<f64>| target.is_some_and(|target| figure > target);
        let missed = [
            (over(f64::from(found), steps.map(f64::from)) && !is_proved).then(|| format!("{found} steps")),
            over(gap, gap_percent).then(|| format!("gap {gap:.2} %")),
            over(taken.as_secs_f64(), seconds).then(|| time(taken)),
            over(peak as f64 / 1e6, megabytes).then(|| memory(peak)),
        ];
        missed.into_iter().flatten().collect()
    }

    /// Returns the line of the targets that the run did not reach, if there are any.
    pub(super) fn missed_line(&self) -> Option<String> {
        let (missed, target) = (self.missed().join(", "), self.row.target.text());
        (!missed.is_empty()).then(|| format!("{}: {missed}; target {target}", self.title()))
    }

    /// Returns the times on one and on two threads.
    pub(super) fn threads(&self) -> Option<ThreadTimes> {
        let by = self.summary.as_ref()?.by.clone();
        self.threads.map(|[one, two]| ThreadTimes { name: self.title(), by, one, two })
    }
}

/// Returns one row per run.
pub(super) fn table(runs: &[LargeRun]) -> Table {
    let mut table = Table::new([
        "network",
        "task",
        "budget",
        "steps",
        "bound",
        "gap",
        "processor",
        "time",
        "memory",
        "by",
        "target",
        "reached",
    ]);
    for run in runs {
        let summary = run.summary.as_ref();
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let task = if run.row.command == LargeCommand::Bound {
            format!("bounds of {}", run.row.collective)
        } else {
            format!("{} {}", run.row.collective, run.row.switching)
        };
        let missed = run.missed();
        table.push([
            run.row.name.clone(),
            task,
            run.row.budget.map_or("default".to_owned(), |seconds| format!("{seconds} s")),
            or_dash(summary.and_then(|summary| summary.steps).map(|steps| steps.to_string())),
            or_dash(summary.map(|summary| summary.bound.to_string())),
            or_dash(summary.and_then(Summary::gap_percent).map(|gap| format!("{gap:.2} %"))),
            or_dash(run.cost.processor.map(time)),
            time(run.cost.time),
            memory(run.cost.peak),
            or_dash(summary.map(|summary| summary.by.clone())),
            run.row.target.text(),
            if missed.is_empty() { reached(true) } else { format!("no: {}", missed.join(", ")) },
        ]);
    }
    table
}

/// Returns the run of a row for tests: 10 s of processor time, 500 MB.
#[cfg(test)]
pub(super) fn fake_run(target: Target, steps: Option<u32>, bound: u32) -> LargeRun {
    let row = LargeRow {
        name: "a ring".to_owned(),
        network: "ring:10".to_owned(),
        collective: "aab".to_owned(),
        switching: "sf".to_owned(),
        command: LargeCommand::Plan,
        budget: None,
        target,
    };
    let second = Duration::from_secs(1);
    LargeRun {
        row,
        cost: Cost { time: 11 * second, processor: Some(10 * second), peak: 500_000_000 },
        summary: Some(Summary { steps, bound, by: "construct".to_owned(), is_cut_short: false }),
        threads: Some([11 * second, 6 * second]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_target_can_be_missed() {
        let targets = [
            (Target { steps: Some(4), ..Target::default() }, "5 steps"),
            (Target { gap_percent: Some(20.0), ..Target::default() }, "gap 25.00 %"),
            (Target { seconds: Some(9.0), ..Target::default() }, "10.00 s"),
            (Target { megabytes: Some(400.0), ..Target::default() }, "500 MB"),
        ];
        for (target, missed) in targets {
            assert_eq!(fake_run(target, Some(5), 4).missed(), [missed]);
        }
        let easy = Target { steps: Some(5), gap_percent: Some(25.0), seconds: Some(10.0), megabytes: Some(500.0) };
        assert_eq!(fake_run(easy, Some(5), 4).missed_line(), None);
        let none = LargeRun { summary: None, ..fake_run(easy, Some(5), 4) };
        assert!(none.missed_line().unwrap().starts_with("a ring, aab: no plan; target 5 steps"));
    }

    #[test]
    fn a_proof_replaces_the_target_of_steps() {
        let target = Target { steps: Some(4), ..Target::default() };
        assert_eq!(fake_run(target, Some(5), 5).missed(), [""; 0]);
    }

    #[test]
    fn a_run_is_one_row() {
        let text = table(&[fake_run(Target::default(), Some(5), 4)]).to_markdown();
        for cell in ["| a ring ", "| aab sf ", "| 25.00 % ", "| 10.00 s ", "| 11.00 s ", "| 500 MB "] {
            assert!(text.contains(cell), "{cell}: {text}");
        }
    }
}
