//! The document `docs/benchmarks.md`.

use std::time::Duration;

use lockstep_report::Table;

use super::integer_programme::Answer;
use super::measure::{MeasuredRow, PROGRAMME_LIMIT};
use super::rows::RowTable;
use super::seeds::Seeds;
use crate::machine::machine;
use crate::template::{Template, Values};

const TEMPLATE: Template = Template::new(include_str!("../../templates/benchmarks.md"));

/// All measurements.
pub(super) struct ComparisonReport<'a> {
    pub(super) source: &'a str,
    pub(super) seeds: Seeds,
    pub(super) tables: Vec<(&'a RowTable, Vec<MeasuredRow<'a>>)>,
    /// Numbers of nodes with their times.
    pub(super) growth: Vec<(usize, Duration)>,
}

/// Number of rows that are also measured on two threads.
const LONGEST: usize = 3;

impl ComparisonReport<'_> {
    /// Returns the document.
    pub(super) fn markdown(&self) -> String {
        let head: Values<'_> = &[
            ("seeds", &self.seeds.count),
            ("seed", &self.seeds.first),
            ("machine", &machine()),
            ("source", &self.source),
            ("limit", &PROGRAMME_LIMIT.as_secs()),
        ];
        let mut blocks = vec![TEMPLATE.fill("head", head)];
        for (table, measured) in &self.tables {
            let rows = table_of(measured).to_markdown();
            blocks.push(TEMPLATE.fill("table", &[("title", &table.title), ("about", &table.about), ("rows", &rows)]));
            let misses = misses(measured).join("; ");
            blocks.extend((!misses.is_empty()).then(|| TEMPLATE.fill("misses", &[("misses", &misses)])));
        }
        blocks.push(self.threads());
        blocks.extend(self.growth());
        blocks.join("\n\n") + "\n"
    }

    /// Compares the longest rows on one and on two threads.
    fn threads(&self) -> String {
        // A row above its bound uses its whole budget on any number of threads.
        let ends = |row: &&MeasuredRow<'_>| row.runs.iter().all(|run| run.steps == row.bound);
        let mut rows: Vec<&MeasuredRow<'_>> =
            self.tables.iter().flat_map(|(_, measured)| measured).filter(ends).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.process.time));
        let mut table = Table::new(["network", "collective", "one thread", "two threads", "ratio"]);
        for row in rows.iter().take(LONGEST) {
            table.push([
                row.row.name.clone(),
                row.row.collective.clone(),
                time(row.process.time),
                time(row.two_threads.time),
                format!("{:.2}", row.process.time.as_secs_f64() / row.two_threads.time.as_secs_f64()),
            ]);
        }
        TEMPLATE.fill("threads", &[("rows", &table.to_markdown())])
    }

    fn growth(&self) -> Option<String> {
        let exponent = slope(&self.growth)?;
        let mut table = Table::new(["nodes", "time"]);
        for &(nodes, taken) in &self.growth {
            table.push([nodes.to_string(), time(taken)]);
        }
        let rows = table.to_markdown();
        Some(TEMPLATE.fill("growth", &[("exponent", &format!("{exponent:.2}")), ("rows", &rows)]))
    }
}

/// Returns one row per network.
fn table_of(measured: &[MeasuredRow<'_>]) -> Table {
    let others = measured.iter().any(|one| one.row.tacos.is_some() || one.row.sccl.is_some());
    let header = ["network", "nodes", "bound", "rule", "steps", "at the bound", "time", "process", "memory", "by"];
    let programmes = measured.iter().any(|one| one.programme.is_some());
    let rivals = others.then_some(["TACOS", "SCCL"]).into_iter().flatten();
    let mut table = Table::new(header.into_iter().chain(rivals).chain(programmes.then_some("integer programme")));
    for one in measured {
        let steps = || one.runs.iter().map(|run| run.steps);
        let (runs, least) = (one.runs.len(), steps().min().unwrap_or(0));
        let mean = steps().map(f64::from).sum::<f64>() / runs as f64;
        let reached = steps().filter(|&steps| steps == one.bound).count();
        let steps = if mean > f64::from(least) { format!("{least} / {mean:.2}") } else { least.to_string() };
        let mut cells = vec![
            one.row.name.clone(),
            one.terminals.to_string(),
            one.bound.to_string(),
            one.rule.clone(),
            steps,
            format!("{reached} of {runs}"),
            time(one.time),
            time(one.process.time),
            memory(one.process.peak),
            one.engine.clone(),
        ];
        if others {
            cells.extend([&one.row.tacos, &one.row.sccl].map(|figure| figure.clone().unwrap_or("-".to_owned())));
        }
        if programmes {
            cells.push(one.programme.map_or("-".to_owned(), |(answer, taken)| programme(answer, taken)));
        }
        table.push(cells);
    }
    table
}

fn programme(answer: Answer, taken: Duration) -> String {
    match answer {
        Answer::Optimal(steps) => format!("{steps}, {}", time(taken)),
        Answer::TimeLimit => format!("none in {} s", PROGRAMME_LIMIT.as_secs()),
        Answer::Numerical => "the solver failed numerically".to_owned(),
        Answer::TooLarge(variables) => format!("too large: {variables} variables"),
    }
}

/// Lists the seeds of the runs above the bound, for each row where some runs meet it.
fn misses(measured: &[MeasuredRow<'_>]) -> Vec<String> {
    let of = |one: &MeasuredRow<'_>| {
        let missed: Vec<String> =
            one.runs.iter().filter(|run| run.steps > one.bound).map(|run| run.seed.to_string()).collect();
        let is_mixed = !missed.is_empty() && missed.len() < one.runs.len();
        is_mixed.then(|| format!("{}: {}", one.row.name, missed.join(", ")))
    };
    measured.iter().filter_map(of).collect()
}

/// Returns the exponent of the power law through these points, or `None` for fewer than two points.
fn slope(points: &[(usize, Duration)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().map(|&(nodes, time)| ((nodes as f64).ln(), time.as_secs_f64().ln())).collect();
    let count = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = logs.iter().map(|point| (point.0 - x).powi(2)).sum();
    (logs.len() > 1).then(|| logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread)
}

fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..0.000_1 => format!("{:.0} µs", seconds * 1e6),
        ..0.01 => format!("{:.2} ms", seconds * 1e3),
        ..1.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

fn memory(bytes: u64) -> String {
    if bytes == 0 { "-".to_owned() } else { format!("{:.0} MB", bytes as f64 / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::super::measure::MeasuredRun;
    use super::super::rows::Row;
    use super::*;
    use crate::process::Cost;

    /// Returns a row of 10 nodes whose bound is 4 steps, with these runs from seed 7 on.
    fn measured<'a>(row: &'a Row, steps: &[u32], programme: Option<Answer>) -> MeasuredRow<'a> {
        let cost = Cost { time: Duration::from_millis(30), peak: 5_000_000 };
        let taken = Duration::from_millis(50);
        MeasuredRow {
            row,
            terminals: 10,
            bound: 4,
            rule: "volume".to_owned(),
            runs: (7..).zip(steps).map(|(seed, &steps)| MeasuredRun { seed, steps }).collect(),
            engine: "construct".to_owned(),
            time: Duration::from_millis(20),
            process: cost,
            two_threads: cost,
            programme: programme.map(|answer| (answer, taken)),
        }
    }

    /// Every block of the template gets the values that it needs.
    #[test]
    fn a_document_has_all_blocks() {
        let table: RowTable = serde_json::from_str(
            r#"{"title": "Some networks", "about": "Store-and-forward.", "rows": [
                {"name": "a ring", "network": "ring:10", "collective": "aas"}]}"#,
        )
        .unwrap();
        let row = &table.rows[0];
        let answers = [
            None,
            Some(Answer::Optimal(4)),
            Some(Answer::TimeLimit),
            Some(Answer::TooLarge(9)),
            Some(Answer::Numerical),
        ];
        let rows = answers.map(|answer| measured(row, &[4, 5], answer));
        let rows = rows.into_iter().chain([measured(row, &[4, 4], None)]).collect();
        let growth = [10, 20].map(|nodes| (nodes, Duration::from_millis(nodes as u64))).to_vec();
        let seeds = Seeds { first: 7, count: 2 };
        let report = ComparisonReport { source: "a paper", seeds, tables: vec![(&table, rows)], growth };
        let text = report.markdown();
        for expected in [
            "2 seeds per row",
            "Figures of other programs: a paper.",
            "for at\nmost 60 s.",
            "| 4 / 4.50 | 1 of 2 ",
            "| 4, 50 ms ",
            "none in 60 s",
            "too large: 9 variables",
            "the solver failed numerically",
            "Seeds of the runs above the bound: a ring: 8; ",
            "The time grows with the power 1.00 of",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn the_exponent_of_a_square_is_two() {
        let points = [10, 20, 40].map(|n: usize| (n, Duration::from_micros((n * n) as u64)));
        assert!((slope(&points).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(slope(&points[..1]), None);
    }

    #[test]
    fn times_have_three_places_at_most() {
        let times = [42, 1_234, 56_789, 1_234_567].map(|microseconds| time(Duration::from_micros(microseconds)));
        assert_eq!(times, ["42 µs", "1.23 ms", "57 ms", "1.23 s"]);
    }
}
