//! Plan files and their verification, and the start of the program.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use lockstep_report::Table;
use serde_json::Value;

use super::amounts::{memory, millions, time};
use super::selection::Selection;
use super::targets::{FileRow, FileTargets, reached, time_of};
use super::threads::{ThreadTimes, compare};
use crate::process::{Cost, Program, least_start_time};

/// Number of starts of the program.
const STARTS: usize = 200;

/// All measurements of the section.
pub(super) struct Files {
    /// Median time from start to end of `lockstep --version`.
    start: Option<Duration>,
    /// Median time from start to end of a program that does nothing.
    least_start: Option<Duration>,
    runs: Vec<FileRun>,
}

/// One all-gather in both formats.
struct FileRun {
    network: String,
    transfers: u64,
    binary: VerifiedFile,
    json: VerifiedFile,
    /// Times from start to end to verify the binary file on one and on two threads, if they are long.
    threads: Option<[Duration; 2]>,
    bytes_target: f64,
}

/// A plan file that the program verified on one thread.
struct VerifiedFile {
    bytes: u64,
    cost: Cost,
}

/// Measures the rows that are wanted. Returns `None` if none is.
pub(super) fn measure(targets: &FileTargets, program: &Program, selection: &Selection) -> Result<Option<Files>> {
    let wanted = targets.rows.iter().filter(|row| selection.wants(&row.network));
    let runs = wanted.map(|row| run(row, program)).collect::<Result<Vec<_>>>()?;
    let start = selection.wants("start").then(|| program.start_time(STARTS)).transpose()?;
    let least_start = start.and_then(|_| least_start_time(STARTS));
    Ok((start.is_some() || !runs.is_empty()).then_some(Files { start, least_start, runs }))
}

fn run(row: &FileRow, program: &Program) -> Result<FileRun> {
    eprintln!("Files and verification: {}", row.network);
    let arguments = |file: &str| ["verify", file, "--json"].map(str::to_owned);
    let verify = |file: &str| {
        let ended = program.run_to_end(&arguments(file), 1)?;
        ensure!(ended.is_successful, "{file}: refused");
        anyhow::Ok(ended)
    };
    let [binary, json] = ["plan.lsb", "plan.json"].map(|name| program.file(name));
    plan(row, &binary, program)?;
    let ended = verify(&binary)?;
    let counts: Value = serde_json::from_str(&ended.output)?;
    let transfers = counts["transfers"].as_u64().context("a number of transfers")?;
    let threads = compare(program, &arguments(&binary), ended.cost)?;
    let binary = VerifiedFile { bytes: fs::metadata(&binary)?.len(), cost: ended.cost };
    plan(row, &json, program)?;
    let json_file = VerifiedFile { bytes: fs::metadata(&json)?.len(), cost: verify(&json)?.cost };
    // It can be hundreds of megabytes long.
    fs::remove_file(&json)?;
    let bytes_target = row.bytes_per_transfer;
    Ok(FileRun { network: row.network.clone(), transfers, binary, json: json_file, threads, bytes_target })
}

/// Writes the plan of an all-gather.
fn plan(row: &FileRow, file: &str, program: &Program) -> Result<()> {
    let words = ["plan", &row.network, "-c", "aab", "--switching", "sf", "--quiet", "--output", file];
    let ended = program.run_to_end(&words.map(str::to_owned), 2)?;
    ensure!(ended.is_successful, "{}: no plan", row.network);
    Ok(())
}

impl FileRun {
    fn per_second(&self, file: &VerifiedFile) -> f64 {
        self.transfers as f64 / file.cost.processor_or_time().as_secs_f64()
    }

    fn bytes_per_transfer(&self, file: &VerifiedFile) -> f64 {
        file.bytes as f64 / self.transfers as f64
    }
}

impl Files {
    /// Returns one row per plan and format, and one for the start.
    pub(super) fn table(&self, targets: &FileTargets) -> Table {
        let header = ["figure", "transfers", "size", "processor", "memory", "value", "target", "reached"];
        let mut table = Table::new(header);
        for line in self.lines(targets) {
            table.push(line);
        }
        table
    }

    fn lines(&self, targets: &FileTargets) -> Vec<[String; 8]> {
        let mut lines = Vec::new();
        let rate_target = targets.transfers_per_second;
        for run in &self.runs {
            for (file, kind) in [(&run.binary, ".lsb"), (&run.json, "JSON")] {
                let figure = |name: &str| format!("{name}, {kind}, {}", run.network);
                let cells = || [run.transfers.to_string(), memory(file.bytes)];
                let [transfers, size] = cells();
                let (rate, bytes) = (run.per_second(file), run.bytes_per_transfer(file));
                lines.push([
                    figure("verify"),
                    transfers,
                    size,
                    time(file.cost.processor_or_time()),
                    memory(file.cost.peak),
                    format!("{} transfers per second", millions(rate)),
                    format!("{} per second", millions(rate_target)),
                    reached(rate >= rate_target),
                ]);
                if kind == ".lsb" {
                    let [transfers, size] = cells();
                    let is_small = bytes <= run.bytes_target;
                    let target = format!("{} bytes", run.bytes_target);
                    let value = format!("{bytes:.2} bytes per transfer");
                    let none = || "-".to_owned();
                    lines.push([figure("size"), transfers, size, none(), none(), value, target, reached(is_small)]);
                }
            }
        }
        lines.extend(self.start.map(|start| {
            let [transfers, size, processor, peak] = ["-"; 4].map(str::to_owned);
            let (target, is_short) = (time_of(targets.start_seconds), start.as_secs_f64() <= targets.start_seconds);
            ["program start".to_owned(), transfers, size, processor, peak, time(start), target, reached(is_short)]
        }));
        lines.extend(self.least_start.map(|start| {
            let mut cells = ["-"; 8].map(str::to_owned);
            (cells[0], cells[5]) = ("start of a program that does nothing".to_owned(), time(start));
            cells
        }));
        lines
    }

    /// Lists the targets that were not reached.
    pub(super) fn missed(&self, targets: &FileTargets) -> Vec<String> {
        let lines = self.lines(targets).into_iter().filter(|line| line[7] == reached(false));
        lines.map(|[figure, .., value, target, _]| format!("{figure}: {value}; target {target}")).collect()
    }

    /// Returns the times of verification on one and on two threads.
    pub(super) fn threads(&self) -> impl Iterator<Item = ThreadTimes> {
        self.runs.iter().filter_map(|run| {
            let [one, two] = run.threads?;
            Some(ThreadTimes { name: format!("verify, {}", run.network), by: "verifier".to_owned(), one, two })
        })
    }
}

/// Returns measurements for tests: 1 million transfers in 1 s from 4 MB, and from JSON in 10 s.
#[cfg(test)]
pub(super) fn fake_files() -> Files {
    let file = |bytes, seconds| {
        let time = Duration::from_secs(seconds);
        VerifiedFile { bytes, cost: Cost { time, processor: Some(time), peak: 7_000_000 } }
    };
    let run = FileRun {
        network: "ring:1000".to_owned(),
        transfers: 1_000_000,
        binary: file(4_000_000, 1),
        json: file(50_000_000, 10),
        threads: Some([1000, 600].map(Duration::from_millis)),
        bytes_target: 3.0,
    };
    Files { start: Some(Duration::from_micros(1500)), least_start: Some(Duration::from_micros(1100)), runs: vec![run] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_sizes_are_compared_with_targets() {
        let targets = FileTargets { start_seconds: 0.001, transfers_per_second: 500_000.0, rows: Vec::new() };
        let expected = [
            "size, .lsb, ring:1000: 4.00 bytes per transfer; target 3 bytes",
            "verify, JSON, ring:1000: 0.10 million transfers per second; target 0.50 million per second",
            "program start: 1.50 ms; target 1.00 ms",
        ];
        assert_eq!(fake_files().missed(&targets), expected);
        let text = fake_files().table(&targets).to_markdown();
        assert!(text.contains("1.00 million transfers per second"), "{text}");
        assert!(text.contains("| start of a program that does nothing |"), "{text}");
    }
}
