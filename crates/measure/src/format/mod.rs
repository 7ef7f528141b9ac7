//! The formats of benchmark outputs.
//!
//! [`read`] detects the benchmark and converts its output to runs.

mod csv;
mod error;
mod failures;
mod json;
mod lines;
mod matrix;
mod mpi_graph;
mod nccl_tests;
mod nvbandwidth;
mod osu;
mod other_kind;
mod p2p_bandwidth_latency;
mod perftest;
pub mod pico;
mod reading;
mod transfer_bench;
mod values;

use std::borrow::Cow;

pub use self::error::{ReadError, ReadFault};
pub use self::reading::{ReadOptions, Reading};

use self::lines::Line;
use crate::{Figure, Run, Tool};

/// A text to read.
struct Source<'a> {
    /// The JSON of the text; empty if it has none.
    json: Cow<'a, str>,
    /// The lines without prefixes.
    lines: Vec<Line<'a>>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Self {
        let lines = lines::lines(text);
        let is_json = text.trim_start().starts_with('{');
        let json = if is_json { Cow::Borrowed(text) } else { lines::json_of(&lines).unwrap_or_default().into() };
        Self { json, lines }
    }
}

/// A reader of one benchmark.
struct Reader {
    tool: Tool,
    looks_like: fn(&Source<'_>) -> bool,
    read: fn(&Source<'_>, &ReadOptions) -> Result<Reading, ReadError>,
}

/// All readers, in the order in which they are tried.
const READERS: [Reader; 8] = [
    Reader {
        tool: Tool::NcclTests,
        looks_like: |source| nccl_tests::looks_like(&source.json, &source.lines),
        read: |source, options| nccl_tests::read(&source.json, &source.lines, options),
    },
    Reader {
        tool: Tool::Nvbandwidth,
        looks_like: |source| nvbandwidth::looks_like(&source.json, &source.lines),
        read: |source, options| nvbandwidth::read(&source.json, &source.lines, options),
    },
    Reader {
        tool: Tool::P2pBandwidthLatencyTest,
        looks_like: |source| p2p_bandwidth_latency::looks_like(&source.lines),
        read: |source, options| p2p_bandwidth_latency::read(&source.lines, options),
    },
    Reader {
        tool: Tool::Osu,
        looks_like: |source| osu::looks_like(&source.lines),
        read: |source, options| osu::read(&source.lines, options),
    },
    Reader {
        tool: Tool::TransferBench,
        looks_like: |source| transfer_bench::looks_like(&source.lines),
        read: |source, options| transfer_bench::read(&source.lines, options),
    },
    Reader {
        tool: Tool::Perftest,
        looks_like: |source| perftest::looks_like(&source.json, &source.lines),
        read: |source, options| perftest::read(&source.json, &source.lines, options),
    },
    Reader {
        tool: Tool::MpiGraph,
        looks_like: |source| mpi_graph::looks_like(&source.lines),
        read: |source, options| mpi_graph::read(&source.lines, options),
    },
    Reader {
        tool: Tool::Csv,
        looks_like: |source| csv::looks_like(&source.lines),
        read: |source, options| csv::read(&source.lines, options),
    },
];

/// Reads the output of a benchmark: text or JSON, also several runs in a row.
///
/// Rates become bytes per second, times picoseconds, and sizes those of nccl-tests. A file has the runs of one benchmark; a note
/// names others. Takes linear time and memory.
///
/// ```
/// use lockstep_measure::format::{ReadOptions, read};
/// use lockstep_measure::{Figure, Tool};
///
/// let text = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n4194304            24500.00\n";
/// let reading = read(text, &ReadOptions::default())?;
/// assert_eq!(reading.runs[0].tool, Tool::Osu);
/// assert_eq!(reading.runs[0].samples[0].figure, Figure::BytesPerSecond(24_500_000_000));
/// # Ok::<(), lockstep_measure::format::ReadError>(())
/// ```
///
/// # Errors
///
/// [`ReadError`] if the text is the output of no known benchmark, is cut off, or has a value that cannot be read. Its message
/// names the line, the value and the remedy.
pub fn read(text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let text = lines::without_escapes(text);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let source = Source::new(&text);
    let mut found = READERS.iter().filter(|reader| (reader.looks_like)(&source));
    let Some(reader) = found.next() else {
        return Err(
            other_kind::error(&source.lines, &text).unwrap_or_else(|| ReadError::Unknown { benchmarks: benchmarks() })
        );
    };
    let mut reading = (reader.read)(&source, options)?;
    reading.notes.extend(failures::note(&source.lines));
    reading.notes.extend(wrong_data(&reading.runs));
    let zeros = remove_zeros(&mut reading.runs);
    if zeros > 0 {
        reading.notes.push(format!("left out: values of 0 ({zeros})"));
    }
    if reading.runs.is_empty() {
        reading.notes.push("the output has no measurement that can be used".to_owned());
    }
    for other in found {
        let (read, other) = (reader.tool, other.tool);
        reading.notes.push(format!(
            "not read: the output of {other} in the same file; only that of {read} was read; give each a file of its own"
        ));
    }
    Ok(reading)
}

/// Returns the note on values with wrong data.
fn wrong_data(runs: &[Run]) -> Option<String> {
    let mut lines: Vec<u32> =
        runs.iter().flat_map(|run| &run.samples).filter(|sample| sample.is_wrong).map(|sample| sample.line).collect();
    lines.dedup();
    (!lines.is_empty())
        .then(|| format!("the benchmark found wrong data in {}; such values do not count", values::line_names(&lines)))
}

/// Removes samples without a time or rate, and returns their number.
fn remove_zeros(runs: &mut Vec<Run>) -> usize {
    let mut zeros = 0;
    for run in runs.iter_mut() {
        let before = run.samples.len();
        run.samples.retain(|sample| !matches!(sample.figure, Figure::Picoseconds(0) | Figure::BytesPerSecond(0)));
        zeros += before - run.samples.len();
    }
    runs.retain(|run| !run.samples.is_empty());
    zeros
}

/// Returns the benchmark of a text; `None` if it is unknown. Takes linear time.
pub fn detect(text: &str) -> Option<Tool> {
    let text = lines::without_escapes(text);
    let source = Source::new(&text);
    READERS.iter().find(|reader| (reader.looks_like)(&source)).map(|reader| reader.tool)
}

/// Returns the names of all benchmarks that are read.
fn benchmarks() -> String {
    let names: Vec<String> =
        READERS.iter().filter(|reader| reader.tool != Tool::Csv).map(|reader| reader.tool.to_string()).collect();
    names.join(", ")
}
