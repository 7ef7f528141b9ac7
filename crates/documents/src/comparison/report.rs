//! `docs/benchmarks.md`.

use std::fmt::Write;
use std::time::Duration;

use super::measure::Measured;
use super::rows;

/// Everything that was measured.
pub(super) struct Report<'a> {
    pub(super) source: &'a str,
    pub(super) seeds: u32,
    pub(super) tables: Vec<(&'a rows::Table, Vec<Measured<'a>>)>,
    /// Nodes and time.
    pub(super) growth: Vec<(usize, Duration)>,
}

/// Rows whose processes are compared on one and two threads.
const LONGEST: usize = 3;

impl Report<'_> {
    pub(super) fn markdown(&self) -> String {
        let mut text = String::from("# Benchmarks\n\n");
        let _ = write!(
            text,
            "Written by `cargo xtask bench`; {} seeds a row where it does not say fewer. Machine: {}.\n\n\
             Every row is planned by `--engine construct`, which recognises no structure, on node numbers shuffled anew \
             for every seed. Every schedule passed the verifier, and every lower bound the check of its certificate, in \
             the run that wrote this file. *Steps* are the fewest and the mean of all seeds, *at the bound* the runs \
             that no schedule can beat. *Time* is the mean of planning, bounding and verifying on one thread; *process* \
             the median of whole processes on one thread, from a network file to a plan file, with the most memory \
             that one held. One run by hand: `lockstep plan FILE -c aab --switching sf --engine construct`.\n\n\
             Figures of other programs: {}.\n",
            self.seeds,
            machine(),
            self.source,
        );
        for (table, measured) in &self.tables {
            let _ = write!(text, "\n## {}\n\n{}\n\n", table.title, table.about);
            text += &table_of(measured).to_markdown();
        }
        text += &self.threads();
        text += &self.growth();
        text
    }

    /// The longest rows on two threads.
    fn threads(&self) -> String {
        // A row above its bound takes all the time it is given, on any number of threads.
        let ends = |row: &&Measured<'_>| row.steps.iter().all(|&steps| steps == row.bound);
        let mut rows: Vec<&Measured<'_>> = self.tables.iter().flat_map(|(_, measured)| measured).filter(ends).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.process.time));
        let mut table = lockstep_report::Table::new(["network", "collective", "one thread", "two threads", "ratio"]);
        for row in rows.iter().take(LONGEST) {
            table.push([
                row.row.name.clone(),
                row.row.collective.clone(),
                time(row.process.time),
                time(row.two_threads.time),
                format!("{:.2}", row.process.time.as_secs_f64() / row.two_threads.time.as_secs_f64()),
            ]);
        }
        format!(
            "\n## Two threads against one\n\nThe longest rows that end at their bound, whole processes.\n\n{}",
            table.to_markdown()
        )
    }

    fn growth(&self) -> String {
        let Some(exponent) = slope(&self.growth) else { return String::new() };
        let mut table = lockstep_report::Table::new(["nodes", "time"]);
        for &(nodes, taken) in &self.growth {
            table.push([nodes.to_string(), time(taken)]);
        }
        format!(
            "\n## Growth\n\nAll-gathers on square tori, store-and-forward: time grows as the {exponent:.2}th power of the \
             number of nodes (least squares over all sizes); the transfers alone as the second.\n\n{}",
            table.to_markdown()
        )
    }
}

/// A row a network.
fn table_of(measured: &[Measured<'_>]) -> lockstep_report::Table {
    let others = measured.iter().any(|one| one.row.tacos.is_some() || one.row.sccl.is_some());
    let header = ["network", "nodes", "bound", "rule", "steps", "at the bound", "time", "process", "memory", "by"];
    let mut table = lockstep_report::Table::new(
        header.into_iter().chain(others.then_some(["TACOS", "SCCL"]).into_iter().flatten()),
    );
    for one in measured {
        let (runs, least) = (one.steps.len(), one.steps.iter().min().copied().unwrap_or(0));
        let mean = one.steps.iter().copied().map(f64::from).sum::<f64>() / runs as f64;
        let reached = one.steps.iter().filter(|&&steps| steps == one.bound).count();
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
        table.push(cells);
    }
    table
}

/// The exponent of the power law through these points; `None` of fewer than two.
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

/// The processor and the number of its cores, where the system tells.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        line.split_once(':').map(|(_, name)| name.trim().to_owned())
    });
    format!("{}, {cores} cores", processor.as_deref().unwrap_or("unknown processor"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
