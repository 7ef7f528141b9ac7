//! Outputs of mpiGraph: rates of all shifts.
//!
//! # Grammar
//!
//! - `MsgSize 1048576` is the size of a message, in other versions `MsgSize: 1048576` or `Msg Size: 1048576 Bytes`.
//! - `Send a:0 b:1`, then a row `a:0 to 0.0 11500.0` per task, separated by tabs: the rate at which the row sends to the column.
//! - `Recv a:0 b:1` with rows `a:0 from`: the same transfers at their receivers.
//!
//! - `END mpiGraph` ends the output.
//!
//! In step d, each task sends to the one d places behind it, and receives from the one d places before it. So the values of a step
//! are rates under load. The run has one sample per step, with the least rate. MB/s are 2^20 bytes per second.
//!
//! # Source
//!
//! `mpiGraph.c` of github.com/LLNL/mpiGraph.

use lockstep_files::one_line;

use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::{FlowCount, MIB, check_devices, is_cut_off, number, parse_whole};
use crate::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

pub(super) fn looks_like(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| line.text.starts_with("START mpiGraph"))
        || lines.iter().any(|line| names_of(line.text).is_some())
}

/// Returns the names of the tasks in `Send a:0 b:1`.
fn names_of(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.strip_prefix("Send")?.split_whitespace().collect();
    let is_task =
        |(place, name): (usize, &&str)| name.rsplit_once(':').and_then(|(_, task)| task.parse().ok()) == Some(place);
    (!names.is_empty() && names.iter().enumerate().all(is_task)).then_some(names)
}

/// Reads the rates of senders.
pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let (mut bytes, mut flows) = (None, FlowCount::default());
    let last = lines.last().map_or(1, |line| line.number);
    for (at, line) in lines.iter().enumerate() {
        if let Some(size) = line.text.strip_prefix("MsgSize").or_else(|| line.text.strip_prefix("Msg Size")) {
            bytes = size.trim_start_matches(':').split_whitespace().next().and_then(parse_whole);
        } else if let Some(names) = names_of(line.text) {
            let count = names.len();
            check_devices(line.number, count as u64)?;
            flows.add(line.number, (count as u64).saturating_mul(count as u64))?;
            let mut rates = Vec::new();
            for (row, name) in names.iter().enumerate() {
                let Some(line) = lines.get(at + 1 + row) else {
                    return Err(ReadError::truncated(last, format!("the row of task '{}' is missing", one_line(name))));
                };
                rates.push(rates_of(*line, name, count, options.rate_unit.unwrap_or(MIB))?);
            }
            let devices = names.iter().map(|name| {
                let host = name.rsplit_once(':').map(|(host, _)| host.to_owned());
                Device { host, bus_id: None }
            });
            reading.runs.push(Run {
                tool: Tool::MpiGraph,
                test: "shifts".to_owned(),
                kind: TransferKind::Message,
                algorithm: None,
                devices: devices.collect(),
                ranks: Some(count as u32),
                samples: (1..count).filter_map(|shift| sample(&rates, shift, bytes, line.number)).collect(),
            });
        }
    }
    if reading.runs.is_empty() {
        return Err(ReadError::truncated(last, "the output has no line 'Send host:0 host:1'"));
    }
    if options.rate_unit.is_none() {
        reading
            .notes
            .push("MB/s are 2^20 bytes per second, as mpiGraph counts; --rate-unit sets another one".to_owned());
    }
    let has = |begin: &str| lines.iter().any(|line| line.text.starts_with(begin));
    if has("START mpiGraph") && !has("END mpiGraph") {
        let text = "the output has no line 'END mpiGraph', so the run did not end or the output is cut off";
        reading.notes.push(text.to_owned());
    }
    let text = "all tasks send at the same time, each to the one d places behind it; a sample is the least rate of such a shift";
    reading.notes.push(text.to_owned());
    reading.notes.push("left out: the matrix Recv, which has the same transfers at their receivers".to_owned());
    Ok(reading)
}

/// Reads the row `a:0 to 0.0 11500.0`.
fn rates_of(line: Line<'_>, name: &str, count: usize, unit: u64) -> Result<Vec<u64>, ReadError> {
    let expected = || format!("the row '{} to' with {count} rates", one_line(name));
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [task, "to", values @ ..] = &words[..] else {
        return Err(ReadError::unexpected(line.number, line.text, expected()));
    };
    if *task == name && values.len() < count {
        let what = format!("the row '{} to' has {} rates, expected {count}", one_line(name), values.len());
        return Err(ReadError::truncated(line.number, what));
    }
    if *task != name || values.len() != count {
        return Err(ReadError::unexpected(line.number, line.text, expected()));
    }
    if is_cut_off(values) {
        let what = format!("the last value of the row '{} to' has fewer decimals than the others", one_line(name));
        return Err(ReadError::truncated(line.number, what));
    }
    let rate = |(column, word): (usize, &&str)| number(line.number, column, word, unit);
    values.iter().enumerate().map(rate).collect()
}

/// Returns the sample of the step in which each task sends to the one `shift` places behind it.
fn sample(rates: &[Vec<u64>], shift: usize, bytes: Option<u64>, line: u32) -> Option<Sample> {
    let count = rates.len();
    let to = |from: usize| (from + shift) % count;
    let of_shift = || (0..count).map(|from| rates[from][to(from)]);
    let (least, greatest) = of_shift().min().zip(of_shift().max())?;
    Some(Sample {
        workload: Workload::Flows((0..count).map(|from| Flow { from: from as u32, to: to(from) as u32 }).collect()),
        bytes,
        figure: Figure::BytesPerSecond(least),
        spread: Some([least, greatest]),
        in_place: false,
        is_wrong: false,
        line: line + 1,
    })
}
