//! The JSON output of perftest (`--out_json`). Releases before 2023 write it without quotes.

use std::borrow::Cow;

use lockstep_files::one_line;
use serde::Deserialize;

use super::test::{Measure, atomic_note, measure_of, rate_sample, round_trip_note, run, time_sample};
use crate::format::error::{ReadError, ReadFault};
use crate::format::json::{documents, has_key, key_lines};
use crate::format::reading::{ReadOptions, Reading};
use crate::format::values::{MIB, MICROSECOND, scaled};

#[derive(Deserialize)]
struct Document {
    test_info: TestInfo,
    results: Results,
}

#[derive(Deserialize)]
struct TestInfo {
    test: String,
}

#[derive(Deserialize)]
struct Results {
    #[serde(rename = "MsgSize")]
    bytes: u64,
    #[serde(rename = "BW_average")]
    rate: Option<f64>,
    /// Millions of messages per second.
    #[serde(rename = "MsgRate")]
    messages: Option<f64>,
    t_min: Option<f64>,
    t_max: Option<f64>,
    t_typical: Option<f64>,
    t_avg: Option<f64>,
}

/// Bytes per second of `Gb/sec`.
const GIGABIT: u64 = 125_000_000;

pub(super) fn looks_like(text: &str) -> bool {
    let has = |key: &str| has_key(text, key) || text.lines().any(|line| is_unquoted(line, key));
    text.trim_start().starts_with('{') && has("test_info") && has("MsgSize")
}

/// Returns true for a line that begins with a key without quotes.
fn is_unquoted(line: &str, key: &str) -> bool {
    line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Returns the JSON of releases that write keys and texts without quotes, and a comma behind the last field. A field is on a line of
/// its own.
fn with_quotes(text: &str) -> String {
    let mut json = String::new();
    let mut is_first = true;
    for line in text.lines() {
        let line = line.trim().trim_end_matches(',');
        if let Some((key, value)) = line.split_once(':') {
            let (key, value) = (key.trim().trim_matches('"'), value.trim());
            let is_raw = value == "{" || value.parse::<f64>().is_ok_and(f64::is_finite);
            let value = if is_raw { value.to_owned() } else { quoted(value.trim_matches('"')) };
            json += if is_first { "" } else { "," };
            json.extend([&quoted(key), ": ", &value]);
        } else {
            json += line;
        }
        is_first = line.ends_with('{');
        json.push('\n');
    }
    json
}

/// Returns a text in the quotes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let is_old = text.lines().any(|line| is_unquoted(line, "test_info"));
    let text = &if is_old { Cow::Owned(with_quotes(text)) } else { Cow::Borrowed(text) };
    let documents: Vec<Document> = documents(text)?;
    let mut lines = key_lines(text, "MsgSize").into_iter();
    let mut reading = Reading::default();
    for document in documents {
        let line = lines.next().unwrap_or(1);
        let (results, name) = (document.results, name_of(&document.test_info.test));
        let missing = |field: &str| {
            let fault = ReadFault::Unexpected {
                found: "no number".to_owned(),
                expected: "a number that is not negative".to_owned(),
            };
            ReadError::Field { field: format!("results.{field}"), line, fault }
        };
        match measure_of(&name) {
            None => reading.notes.push(format!("left out: the test '{name}' of line {line}, which is not supported")),
            Some(Measure::RoundTrip) => reading.notes.push(round_trip_note(line)),
            Some(Measure::Atomic) => reading.notes.push(atomic_note(line)),
            Some(Measure::Bandwidth(transfer)) => {
                let unit = results.unit();
                let rate = results.rate.and_then(|rate| scaled(rate, unit.or(options.rate_unit).unwrap_or(MIB)));
                let rate = rate.ok_or_else(|| missing("BW_average"))?;
                if unit.is_none() && options.rate_unit.is_none() {
                    reading.notes.push(format!(
                        "line {line}: the rate is read in MiB/s, because MsgRate does not show its unit; --rate-unit sets another one"
                    ));
                }
                reading.runs.push(run(name, vec![rate_sample(transfer, results.bytes, rate, line)]));
            }
            Some(Measure::Latency) => {
                let picoseconds = |time: Option<f64>| time.and_then(|time| scaled(time, MICROSECOND));
                let time = picoseconds(results.t_typical.or(results.t_avg)).ok_or_else(|| missing("t_typical"))?;
                let spread = picoseconds(results.t_min).zip(picoseconds(results.t_max));
                let spread = spread.map(|(least, greatest)| [least, greatest]);
                reading.runs.push(run(name, vec![time_sample(results.bytes, time, spread, line)]));
            }
        }
    }
    Ok(reading)
}

/// Returns the name of a test as the text output has it: `RDMA_Write BW` for `RDMA_Write_BW_Test`.
fn name_of(test: &str) -> String {
    let name = one_line(test.strip_suffix("_Test").unwrap_or(test));
    name.replace('_', " ").replacen("RDMA ", "RDMA_", 1)
}

impl Results {
    /// Returns the bytes per second of 1 in `BW_average`: that of the two units in which the rate is nearer to the rate of messages
    /// times their size. `None` if neither is near.
    fn unit(&self) -> Option<u64> {
        let bytes_per_second = self.messages? * 1e6 * self.bytes as f64;
        let unit = bytes_per_second / self.rate?;
        [MIB, GIGABIT].into_iter().find(|&known| (0.5..2.0).contains(&(unit / known as f64)))
    }
}
