//! The JSON output of nccl-tests (`-J FILE`), version 3.

use lockstep_files::one_line;
use serde::Deserialize;

use super::operation::{Signature, element_bytes};
use super::table::{Row, Table, Time};
use crate::Device;
use crate::format::error::{ReadError, ReadFault};
use crate::format::json::{documents, has_key, key_lines};
use crate::format::values::{MICROSECOND, bus_id, expected_number, scaled};

/// The parts of a document that are read. The environment of the user is not among them.
#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    config: Option<Config>,
    results: Vec<Measurement>,
    #[serde(default)]
    end_time: Option<String>,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    nthreads: Option<u32>,
    #[serde(default)]
    ngpus: Option<u32>,
    #[serde(default)]
    devices: Vec<Process>,
}

#[derive(Deserialize)]
struct Process {
    rank: u32,
    #[serde(default)]
    hostname: Option<String>,
    #[serde(default)]
    device_hex: Option<String>,
}

#[derive(Deserialize)]
struct Measurement {
    size: u64,
    count: u64,
    #[serde(rename = "type")]
    element: String,
    redop: String,
    root: String,
    #[serde(default)]
    out_of_place: Option<Body>,
    #[serde(default)]
    in_place: Option<Body>,
    #[serde(default)]
    out_of_place_per_iter: Option<Iterations>,
    #[serde(default)]
    in_place_per_iter: Option<Iterations>,
}

#[derive(Deserialize)]
struct Body {
    #[serde(alias = "cpu_time")]
    time: Number,
    #[serde(default)]
    nwrong: Option<Number>,
}

#[derive(Deserialize)]
struct Iterations {
    min_us: Number,
    max_us: Number,
}

/// A number, or a text such as `nan`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(f64),
    Text(String),
}

impl Number {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    fn picoseconds(&self) -> Option<u64> {
        match self {
            Self::Number(number) => scaled(*number, MICROSECOND),
            Self::Text(_) => None,
        }
    }
}

/// Returns true for a JSON text of nccl-tests.
pub(super) fn looks_like(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && has_key(text, "results")
        && (has_key(text, "nccl_version") || has_key(text, "alg_bw"))
}

/// Reads all documents: one per run.
pub(super) fn tables(text: &str, notes: &mut Vec<String>) -> Result<Vec<Table>, ReadError> {
    let documents: Vec<Document> = documents(text)?;
    let (mut lines, mut heads) = (key_lines(text, "size").into_iter(), key_lines(text, "results").into_iter());
    let mut tables = Vec::new();
    for document in documents {
        let mut table = Table { line: heads.next().unwrap_or(1), ..Table::default() };
        let program = document.args.first().and_then(|program| program.strip_suffix("_perf"));
        table.program = program.map(|program| program.rsplit('/').next().unwrap_or_default().to_owned());
        if let Some(config) = document.config {
            table.ranks = config.ranks();
            table.devices = config.devices.into_iter().map(Process::device).collect();
        }
        for (place, size) in document.results.into_iter().enumerate() {
            table.rows.push(size.row(place, lines.next().unwrap_or(table.line))?);
        }
        if document.end_time.is_none() {
            notes.push(format!("the document of line {} has no end_time, so the run did not end", table.line));
        }
        tables.push(table);
    }
    Ok(tables)
}

impl Config {
    /// Returns the number of ranks. The list has one device per process, or all of them.
    fn ranks(&self) -> Option<u32> {
        let last = self.devices.iter().map(|device| device.rank).max()?;
        let per_process = self.nthreads.unwrap_or(1).saturating_mul(self.ngpus.unwrap_or(1)).max(1);
        let is_first_of_process = self.devices.iter().all(|device| device.rank.is_multiple_of(per_process));
        Some(last.saturating_add(if is_first_of_process { per_process } else { 1 }))
    }
}

impl Process {
    fn device(self) -> (u32, Device) {
        (self.rank, Device { host: self.hostname, bus_id: self.device_hex.as_deref().and_then(bus_id) })
    }
}

impl Measurement {
    fn row(self, place: usize, line: u32) -> Result<Row, ReadError> {
        let rank_bytes = element_bytes(&self.element).and_then(|bytes| bytes.checked_mul(self.count));
        let signature = Signature {
            bytes: self.size,
            rank_bytes,
            is_reduction: Some(self.redop != "none"),
            has_root: !self.root.trim().starts_with('-'),
        };
        let mut times = Vec::new();
        let parts = [
            (false, "out_of_place", self.out_of_place, self.out_of_place_per_iter),
            (true, "in_place", self.in_place, self.in_place_per_iter),
        ];
        for (in_place, name, body, iterations) in parts {
            let Some(body) = body else { continue };
            let picoseconds = body.time.picoseconds().ok_or_else(|| {
                let field = format!("results[{place}].{name}.time");
                let fault = ReadFault::Unexpected {
                    found: format!("'{}'", one_line(&body.time.text())),
                    expected: expected_number(&body.time.text(), MICROSECOND),
                };
                ReadError::Field { field, line, fault }
            })?;
            let spread = iterations.and_then(|times| Some([times.min_us.picoseconds()?, times.max_us.picoseconds()?]));
            let is_wrong = matches!(body.nwrong, Some(Number::Number(wrong)) if wrong != 0.0);
            times.push(Time { in_place, picoseconds, spread, is_wrong });
        }
        Ok(Row { line, signature, times })
    }
}
