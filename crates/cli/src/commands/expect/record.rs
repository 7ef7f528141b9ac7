//! The result of `lockstep expect`, as JSON and as text.

use lockstep::Topology;
use lockstep::schedule::{CollectiveSize, Picoseconds};
use lockstep_measure::SweepPoint;
use lockstep_report::Table;
use serde::Serialize;

use super::expectation::Expectation;
use crate::commands::size_ranges::size;
use crate::text::{self, Sheet, counted};

/// The result as JSON. Bandwidths are in bytes per second.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ExpectRecord {
    collective: &'static str,
    ranks: usize,
    /// The library, or the file with rings.
    #[serde(skip_serializing_if = "Option::is_none")]
    library: Option<String>,
    /// The names of the algorithms that were compared.
    #[serde(skip)]
    algorithms: Option<String>,
    sizes: Vec<SizeRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<MeasuredRecord>,
}

/// The times of one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SizeRecord {
    bytes: u64,
    /// No schedule takes less time.
    bound: TimeRecord,
    /// The algorithms of the library, the fastest one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    algorithms: Vec<AlgorithmRecord>,
    /// The best schedule that was found. Missing with --no-plan, and if the search for one is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_plan: Option<TimeRecord>,
    /// Missing if the size was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<ComparisonRecord>,
}

/// A time with the bandwidths of nccl-tests.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TimeRecord {
    time_ps: u128,
    algbw_bytes_per_second: u64,
    busbw_bytes_per_second: u64,
}

/// The time of an algorithm.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AlgorithmRecord {
    name: String,
    #[serde(flatten)]
    time: TimeRecord,
}

/// A measured time beside its predictions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ComparisonRecord {
    #[serde(flatten)]
    time: TimeRecord,
    /// The part of the bandwidth of the bound.
    of_bound: f64,
    /// The part of the bandwidth of the algorithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_algorithm: Option<f64>,
    /// The part of the bandwidth of the best plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_best_plan: Option<f64>,
    /// `latency` if latency dominates the size; otherwise `below`, `at-algorithm`, `above-algorithm`, `at-bound` or `above-bound`.
    verdict: &'static str,
    /// The measured latency over that of the links, if latency dominates the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_factor: Option<f64>,
    /// The verdict in words.
    sentence: String,
}

/// The measured sweep.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MeasuredRecord {
    /// The name of the test in the benchmark.
    test: String,
    /// The algorithm that the library was forced to use.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_algorithm: Option<String>,
    /// The smallest and the largest measured size.
    sizes: [u64; 2],
    /// The verdict in one line.
    verdict: String,
    /// The part of the bandwidth of the bound at the largest measured size.
    of_bound: f64,
    /// The part of the bandwidth of the algorithm at the largest measured size, or that of the bound without an algorithm.
    share: f64,
    /// The smallest size from which on the part of the bound stays.
    from_bytes: u64,
    /// The measured latency over that of the links, if latency dominates the smallest size.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_factor: Option<f64>,
    /// The share of --check.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<f64>,
}

impl TimeRecord {
    fn new(size: CollectiveSize, picoseconds: u128) -> Self {
        let time = Picoseconds::new(picoseconds);
        Self {
            time_ps: picoseconds,
            algbw_bytes_per_second: size.algorithm_bandwidth(time),
            busbw_bytes_per_second: size.bus_bandwidth(time),
        }
    }

    fn time(&self) -> String {
        format!("{:.3}", Picoseconds::new(self.time_ps))
    }

    /// Returns time, algorithm bandwidth and bus bandwidth for people.
    fn columns(&self) -> [String; 3] {
        [self.time(), gigabytes(self.algbw_bytes_per_second), gigabytes(self.busbw_bytes_per_second)]
    }
}

fn gigabytes(bytes_per_second: u64) -> String {
    format!("{:.3} GB/s", bytes_per_second as f64 / 1e9)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl ExpectRecord {
    pub(super) fn new(expectation: &Expectation<'_>, check: Option<f64>) -> Self {
        let verdict = expectation.verdict();
        let of_size = |&bytes: &u64| {
            let size = expectation.rival.size(bytes);
            let time = |picoseconds| TimeRecord::new(size, picoseconds);
            let algorithms = expectation.algorithms.iter().flat_map(|algorithms| algorithms.all(bytes));
            let best_plan = expectation.best_plan(bytes).map(|plan| time(plan.number()));
            let measured = |point: &SweepPoint| {
                let is_latency = verdict.is_some_and(|verdict| verdict.is_latency_dominated(bytes));
                let of_best_plan = best_plan.map(|plan| plan.time_ps as f64 / point.observed_ps.max(1) as f64);
                ComparisonRecord { of_best_plan, ..ComparisonRecord::new(time(point.observed_ps), point, is_latency) }
            };
            SizeRecord {
                bytes,
                bound: time(expectation.bound(bytes).time_ps),
                algorithms: algorithms.map(|(name, of)| AlgorithmRecord { name, time: time(of.time_ps) }).collect(),
                best_plan,
                measured: expectation.point(bytes).as_ref().map(measured),
            }
        };
        let measured = expectation.observed.as_ref().zip(verdict);
        Self {
            collective: expectation.collective.word(),
            ranks: expectation.ranks.members.len(),
            library: expectation.algorithms.as_ref().map(|algorithms| algorithms.source.clone()),
            algorithms: expectation.algorithms.as_ref().map(super::algorithms::Algorithms::names),
            sizes: expectation.sizes.iter().map(of_size).collect(),
            measured: measured.map(|(observed, verdict)| MeasuredRecord {
                test: observed.test.clone(),
                forced_algorithm: observed.algorithm.clone(),
                sizes: [observed.times[0].0, observed.times[observed.times.len() - 1].0],
                verdict: verdict.to_string(),
                of_bound: verdict.comparison.of_bound,
                share: verdict.comparison.share(),
                from_bytes: verdict.from_bytes,
                latency_factor: verdict.small.and_then(|small| small.latency_factor),
                check,
            }),
        }
    }

    /// Returns true if the largest measured size has less than the share of `--check`.
    pub(super) fn is_below_check(&self) -> bool {
        self.measured.as_ref().is_some_and(MeasuredRecord::is_below_check)
    }

    /// Returns the report for people.
    pub(super) fn to_text(&self, topology: &Topology) -> String {
        let mut sheet = Sheet::default();
        sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
        sheet.line("collective", format!("{} of {}", self.collective, counted(self.ranks, "rank")));
        if let (Some(library), Some(algorithms)) = (&self.library, &self.algorithms) {
            sheet.line("library", format!("{library}: {algorithms}"));
        }
        let Some(measured) = &self.measured else { return format!("{}\n{}", sheet.to_text(), self.predictions()) };
        let [least, most] = measured.sizes.map(size);
        let forced = measured.forced_algorithm.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
        sheet.line("measured", format!("{}{forced}: {least} to {most}", measured.test));
        sheet.line("verdict", measured.verdict.clone());
        if let Some(check) = measured.check {
            let reference = if self.library.is_some() { "algorithm" } else { "bound" };
            let is = if measured.is_below_check() { "below" } else { "at least" };
            let share = percent(measured.share);
            sheet.line("check", format!("{share} of the {reference} at the largest size: {is} {}", percent(check)));
        }
        format!("{}\n{}", sheet.to_text(), self.comparisons())
    }

    /// Returns the table without measurements: one row per size and schedule.
    fn predictions(&self) -> String {
        let mut table = Table::new(["size", "schedule", "time", "algbw", "busbw", "of bound"]);
        for row in &self.sizes {
            let library = self.library.as_deref().unwrap_or_default();
            let of_library = row.algorithms.first().map(|of| (format!("{library} {}", of.name), of.time));
            let best_plan = row.best_plan.map(|of| ("best plan".to_owned(), of));
            let rows = [Some(("bound".to_owned(), row.bound)), best_plan, of_library];
            for (place, (name, of)) in rows.into_iter().flatten().enumerate() {
                let bytes = if place == 0 { size(row.bytes) } else { String::new() };
                let share = percent(row.bound.time_ps as f64 / of.time_ps.max(1) as f64);
                let [time, algorithm, bus] = of.columns();
                table.push([bytes, name, time, algorithm, bus, share]);
            }
        }
        table.to_text()
    }

    /// Returns the table with measurements: one row per size.
    fn comparisons(&self) -> String {
        let has_plan = self.sizes.iter().any(|row| row.best_plan.is_some());
        let has_algorithm = self.library.is_some();
        let columns = [
            Some("size"),
            Some("bound"),
            has_plan.then_some("best plan"),
            has_algorithm.then_some("algorithm"),
            has_algorithm.then_some("time"),
            Some("measured"),
            Some("busbw"),
            Some("of bound"),
            has_plan.then_some("of best plan"),
            has_algorithm.then_some("of algorithm"),
            Some("verdict"),
        ];
        let mut table = Table::new(columns.into_iter().flatten());
        for row in &self.sizes {
            let none = || "-".to_owned();
            let time = |of: Option<&TimeRecord>| of.map_or_else(none, TimeRecord::time);
            let (algorithm, measured) = (row.algorithms.first(), row.measured.as_ref());
            let busbw = measured.map_or_else(none, |of| gigabytes(of.time.busbw_bytes_per_second));
            let verdict = match measured {
                None => "not measured".to_owned(),
                Some(ComparisonRecord { latency_factor: Some(factor), verdict, .. }) => {
                    format!("{verdict}: {factor:.1} times that of the links")
                }
                Some(of) => of.verdict.to_owned(),
            };
            let cells = [
                Some(size(row.bytes)),
                Some(row.bound.time()),
                has_plan.then(|| time(row.best_plan.as_ref())),
                has_algorithm.then(|| algorithm.map_or_else(none, |of| of.name.clone())),
                has_algorithm.then(|| time(algorithm.map(|of| &of.time))),
                Some(time(measured.map(|of| &of.time))),
                Some(busbw),
                Some(measured.map_or_else(none, |of| percent(of.of_bound))),
                has_plan.then(|| measured.and_then(|of| of.of_best_plan).map_or_else(none, percent)),
                has_algorithm.then(|| measured.and_then(|of| of.of_algorithm).map_or_else(none, percent)),
                Some(verdict),
            ];
            table.push(cells.into_iter().flatten());
        }
        table.to_text()
    }
}

impl ComparisonRecord {
    fn new(time: TimeRecord, point: &SweepPoint, is_latency: bool) -> Self {
        let comparison = point.comparison();
        Self {
            time,
            latency_factor: point.latency_factor().filter(|_| is_latency),
            of_bound: comparison.of_bound,
            of_algorithm: comparison.of_algorithm,
            of_best_plan: None,
            verdict: if is_latency { "latency" } else { comparison.verdict.name() },
            sentence: comparison.to_string(),
        }
    }
}

impl MeasuredRecord {
    fn is_below_check(&self) -> bool {
        self.check.is_some_and(|check| self.share < check)
    }
}
