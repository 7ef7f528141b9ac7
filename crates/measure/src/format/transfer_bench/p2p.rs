//! The tables of the preset `p2p`.

use std::borrow::Cow;

use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::reading::Reading;
use crate::format::values::{both_ways, check_devices, is_cut_off, number, parse_whole, unnamed_devices};
use crate::{Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// The rates of a row, by column.
type Rates = Vec<Option<u64>>;

/// The rows of a source.
struct Source {
    line: u32,
    /// The place of the GPU; `None` for a CPU.
    gpu: Option<u32>,
    forward: Rates,
    backward: Option<Rates>,
    least: Option<Rates>,
    greatest: Option<Rates>,
}

/// A table of rates.
struct Table {
    line: u32,
    is_both_ways: bool,
    kind: TransferKind,
    bytes: Option<u64>,
    /// The GPU of each column; `None` for a CPU.
    columns: Vec<Option<u32>>,
    sources: Vec<Source>,
}

/// Returns true for the title of a table.
pub(super) fn is_title(line: &str) -> bool {
    line.contains("directional copy peak bandwidth GB/s [") && line.contains("GPU-Executor")
}

/// Reads the tables of rates between GPUs.
pub(super) fn read(lines: &[Line<'_>], unit: u64) -> Result<Reading, ReadError> {
    let mut tables: Vec<Table> = Vec::new();
    let (mut bytes, mut has_averages) = (None, true);
    let last = lines.iter().rfind(|line| !line.text.is_empty()).map_or(1, |line| line.number);
    for line in lines {
        // A comma ends the rows of a table with commas.
        let has_commas = line.text.ends_with(',');
        let text = if has_commas { Cow::Owned(line.text.replace(',', " ")) } else { Cow::Borrowed(line.text) };
        if let Some(size) = text.strip_prefix("Bytes Per Direction") {
            bytes = parse_whole(size.trim_start_matches([',', ' ']));
        } else if is_title(line.text) {
            has_averages = false;
            tables.push(Table {
                line: line.number,
                is_both_ways: line.text.contains("Bidirectional"),
                kind: if line.text.contains("DMA") { TransferKind::Copy } else { TransferKind::Kernel },
                bytes,
                columns: Vec::new(),
                sources: Vec::new(),
            });
        } else if let Some(table) = tables.last_mut() {
            let words: Vec<&str> = text.split_whitespace().collect();
            match words[..] {
                [corner, ..] if corner.starts_with("SRC") && table.columns.is_empty() => {
                    table.columns = columns(line.number, &words[1..])?;
                    // With commas, no averages follow.
                    has_averages |= has_commas;
                }
                [device @ ("CPU" | "GPU"), number, row @ ("->" | "<-" | "<->" | "min" | "max" | "sd"), ..] => {
                    if line.number == last && is_cut_off(&words[3..]) {
                        let what = "the last value of the row has fewer decimals than the others";
                        return Err(ReadError::truncated(line.number, what));
                    }
                    let rates = rates(line.number, &words[3..], table.columns.len(), unit)?;
                    let gpu = if device == "GPU" { Some(gpu_number(line.number, number)?) } else { None };
                    if gpu.is_some() && !table.columns.contains(&gpu) {
                        return Err(ReadError::value(line.number, "GPU", number, "the number of a GPU of the columns"));
                    }
                    table.add(line.number, gpu, row, rates);
                }
                ["Averages", ..] => has_averages = true,
                _ => {}
            }
        }
    }
    let mut reading = Reading::default();
    let has_cpus = tables.iter().any(|table| table.columns.contains(&None));
    if let Some(line) = tables.last().map(|table| table.line).filter(|_| !has_averages) {
        reading.notes.push(format!(
            "the table of line {line} has no line 'Averages' behind it, so the run did not end or the output is cut off"
        ));
    }
    for table in tables {
        reading.runs.push(table.into_run()?);
    }
    if has_cpus {
        reading.notes.push("left out: transfers from and to CPUs; only bandwidths between GPUs are read".to_owned());
    }
    Ok(reading)
}

fn gpu_number(line: u32, number: &str) -> Result<u32, ReadError> {
    number.parse().map_err(|_| ReadError::value(line, "GPU", number, "the number of a GPU"))
}

/// Reads the columns `CPU 00 GPU 00`. The GPUs are numbered from 0 on.
fn columns(line: u32, words: &[&str]) -> Result<Vec<Option<u32>>, ReadError> {
    check_devices(line, words.len() as u64 / 2)?;
    let mut columns = Vec::new();
    let mut gpus = 0;
    for pair in words.chunks(2) {
        match pair {
            ["CPU", _] => columns.push(None),
            ["GPU", number] if gpu_number(line, number)? == gpus => {
                columns.push(Some(gpus));
                gpus += 1;
            }
            _ => {
                return Err(ReadError::unexpected(
                    line,
                    &pair.join(" "),
                    "columns such as 'CPU 00' and 'GPU 00', from 00 on",
                ));
            }
        }
    }
    Ok(columns)
}

fn rates(line: u32, words: &[&str], count: usize, unit: u64) -> Result<Rates, ReadError> {
    if words.len() != count {
        return Err(ReadError::truncated(line, format!("the row has {} values, expected {count}", words.len())));
    }
    let rate = |(column, word): (usize, &&str)| {
        if *word == "N/A" { Ok(None) } else { number(line, column, word, unit).map(Some) }
    };
    words.iter().enumerate().map(rate).collect()
}

impl Table {
    /// Adds a row.
    fn add(&mut self, line: u32, gpu: Option<u32>, row: &str, rates: Rates) {
        match (row, self.sources.last_mut()) {
            ("->", _) => {
                let source = Source { line, gpu, forward: rates, backward: None, least: None, greatest: None };
                self.sources.push(source);
            }
            ("<-", Some(source)) => source.backward = Some(rates),
            ("min", Some(source)) if source.backward.is_none() => source.least = Some(rates),
            ("max", Some(source)) if source.backward.is_none() => source.greatest = Some(rates),
            _ => {}
        }
    }

    fn into_run(self) -> Result<Run, ReadError> {
        let width = self.columns.iter().flatten().count();
        for gpu in 0..width as u32 {
            if !self.sources.iter().any(|source| source.gpu == Some(gpu)) {
                return Err(ReadError::truncated(self.line, format!("the table has no row of GPU {gpu:02}")));
            }
        }
        let mut samples = Vec::new();
        for source in &self.sources {
            let Some(from) = source.gpu else { continue };
            for (column, &to) in self.columns.iter().enumerate() {
                let Some(to) = to.filter(|&to| to != from) else { continue };
                let entry = |rates: &Option<Rates>| rates.as_ref().and_then(|rates| rates[column]);
                let Some(forward) = source.forward[column] else { continue };
                let rate = if self.is_both_ways {
                    let Some(backward) = entry(&source.backward) else { continue };
                    forward.min(backward)
                } else {
                    forward
                };
                let spread = entry(&source.least).zip(entry(&source.greatest)).filter(|_| !self.is_both_ways);
                samples.push(Sample {
                    workload: Workload::Flows(if self.is_both_ways {
                        both_ways(from, to)
                    } else {
                        vec![Flow { from, to }]
                    }),
                    bytes: self.bytes,
                    figure: Figure::BytesPerSecond(rate),
                    spread: spread.map(|(least, greatest)| [least, greatest]),
                    in_place: false,
                    is_wrong: false,
                    line: source.line,
                });
            }
        }
        Ok(Run {
            tool: Tool::TransferBench,
            test: if self.is_both_ways { "bidirectional p2p" } else { "unidirectional p2p" }.to_owned(),
            kind: self.kind,
            algorithm: None,
            devices: unnamed_devices(width),
            ranks: Some(width as u32),
            samples,
        })
    }
}
