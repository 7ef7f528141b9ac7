//! Tests: transfers that run at the same time.

use crate::format::error::ReadError;
use crate::format::lines::Line;
use crate::format::reading::Reading;
use crate::format::values::{FlowCount, check_devices, line_names, number, unnamed_devices, whole};
use crate::{Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// A GPU, by its rank and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Gpu {
    rank: u32,
    number: u32,
}

/// A transfer.
struct Transfer {
    /// The GPUs; `None` for other memory.
    from: Option<Gpu>,
    to: Option<Gpu>,
    /// What moves the data; `None` for a CPU.
    kind: Option<TransferKind>,
    rate: u64,
    bytes: u64,
}

/// The transfers of a test.
#[derive(Default)]
struct Test {
    line: u32,
    transfers: Vec<Transfer>,
}

/// Returns the words of a line, without the separators of its fields. Commas are separators if there are no bars.
fn words(line: &str) -> Vec<&str> {
    let is_bar = |c: char| matches!(c, '|' | '\u{2502}');
    let has_bars = line.contains(is_bar);
    let is_separator = |c: char| c.is_whitespace() || is_bar(c) || matches!(c, '(' | ')') || (c == ',' && !has_bars);
    line.split(is_separator).filter(|word| !word.is_empty()).collect()
}

/// Returns true for `Transfer 00 | 33.520 GB/s | 2.002 ms | …`.
pub(super) fn is_transfer(line: &str) -> bool {
    line.contains("Transfer") && line.contains("GB/s") && matches!(words(line)[..], ["Transfer", _, _, "GB/s", ..])
}

/// Reads the tests.
pub(super) fn read(lines: &[Line<'_>], unit: u64) -> Result<Reading, ReadError> {
    let mut tests: Vec<Test> = Vec::new();
    let (mut test, mut flows) = (Test::default(), FlowCount::default());
    for line in lines {
        if is_transfer(line.text) {
            if test.transfers.is_empty() {
                test.line = line.number;
            }
            flows.add(line.number, 1)?;
            test.transfers.push(transfer(line, unit)?);
        } else if words(line.text).first() == Some(&"Aggregate") && !test.transfers.is_empty() {
            tests.push(std::mem::take(&mut test));
        } else if line.text.starts_with("Test ") && !test.transfers.is_empty() {
            return Err(without_end(&test));
        }
    }
    if !test.transfers.is_empty() {
        return Err(without_end(&test));
    }
    runs(&tests)
}

/// The error of a test without its last line: transfers that ran at the same time may be missing.
fn without_end(test: &Test) -> ReadError {
    ReadError::truncated(test.line, "the test that begins here has no line 'Aggregate', so transfers may be missing")
}

/// Reads `Transfer 00 | 33.520 GB/s | 2.002 ms | 67108864 bytes | G0 -> GPU00:004 -> G1`.
fn transfer(line: &Line<'_>, unit: u64) -> Result<Transfer, ReadError> {
    let words = words(line.text);
    let ["Transfer", _, rate, "GB/s", _, "ms", bytes, "bytes", from, "->", executor, "->", to, ..] = words[..] else {
        let expected = "the fields of a transfer, such as 'Transfer 00 | 33.5 GB/s | 2.0 ms | 67108864 bytes | G0 -> GPU00:004 -> G1'";
        return Err(ReadError::unexpected(line.number, line.text, expected));
    };
    Ok(Transfer {
        from: gpu(line.number, from)?,
        to: gpu(line.number, to)?,
        kind: kind_of(executor),
        rate: number(line.number, "GB/s", rate, unit)?,
        bytes: whole(line.number, "bytes", bytes)?,
    })
}

/// Returns the rank of `R1G0`, which is 0 without one, and the rest.
fn rank_and_rest(device: &str) -> Option<(u32, &str)> {
    let Some(rest) = device.strip_prefix('R') else { return Some((0, device)) };
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

/// Reads the memory of a transfer: `G0`, `F12` or `R1G0` is that of a GPU.
fn gpu(line: u32, memory: &str) -> Result<Option<Gpu>, ReadError> {
    let gpu = rank_and_rest(memory).and_then(|(rank, rest)| {
        let number = rest.strip_prefix(['G', 'F'])?.parse().ok()?;
        Some(Gpu { rank, number })
    });
    if let Some(Gpu { rank, number }) = gpu {
        check_devices(line, u64::from(rank.max(number)) + 1)?;
    }
    Ok(gpu)
}

/// Returns what moves the data by the executor `GPU00:004` or `R0G0:4`.
fn kind_of(executor: &str) -> Option<TransferKind> {
    let (_, name) = rank_and_rest(executor)?;
    match name.chars().next()? {
        'G' => Some(TransferKind::Kernel),
        'D' => Some(TransferKind::Copy),
        'N' | 'I' => Some(TransferKind::Message),
        _ => None,
    }
}

/// Converts the tests to runs: one of each kind.
fn runs(tests: &[Test]) -> Result<Reading, ReadError> {
    let gpus =
        || tests.iter().flat_map(|test| &test.transfers).flat_map(|transfer| [transfer.from, transfer.to]).flatten();
    let per_rank = gpus().map(|gpu| gpu.number + 1).max().unwrap_or(0);
    let ranks = gpus().map(|gpu| gpu.rank + 1).max().unwrap_or(0);
    let count = u64::from(ranks) * u64::from(per_rank);
    check_devices(tests.first().map_or(1, |test| test.line), count)?;
    let mut reading = Reading::default();
    if ranks > 1 {
        reading.notes.push(format!("GPU g of rank r is read as device {per_rank} r + g"));
    }
    let mut left_out = Vec::new();
    for test in tests {
        match sample(test, per_rank) {
            Some((kind, sample)) => {
                let place = reading.runs.iter().position(|run| run.kind == kind).unwrap_or_else(|| {
                    reading.runs.push(run(kind, count));
                    reading.runs.len() - 1
                });
                reading.runs[place].samples.push(sample);
            }
            None => left_out.push(test.line),
        }
    }
    if !reading.runs.is_empty() {
        let text = "the transfers of a test run at the same time; a sample is the least rate of them";
        reading.notes.push(text.to_owned());
    }
    if !left_out.is_empty() {
        let lines = line_names(&left_out);
        reading.notes.push(format!(
            "left out: the tests of {lines}, which have transfers of other memory than that of GPUs, or several kinds of executors or sizes"
        ));
    }
    Ok(reading)
}

fn run(kind: TransferKind, count: u64) -> Run {
    Run {
        tool: Tool::TransferBench,
        test: "transfers at the same time".to_owned(),
        kind,
        algorithm: None,
        devices: unnamed_devices(count as usize),
        ranks: Some(count as u32),
        samples: Vec::new(),
    }
}

/// Returns the sample of a test: its transfers between two GPUs, with their least rate. Copies within a GPU do not count. `None` if
/// it has other transfers, several kinds or several sizes.
fn sample(test: &Test, per_rank: u32) -> Option<(TransferKind, Sample)> {
    let between = |transfer: &&Transfer| transfer.from.is_none() || transfer.from != transfer.to;
    let transfers: Vec<&Transfer> = test.transfers.iter().filter(between).collect();
    let first = transfers.first()?;
    let kind = first.kind?;
    let place = |gpu: Gpu| gpu.rank * per_rank + gpu.number;
    let flow = |transfer: &&Transfer| {
        let is_alike = transfer.kind == first.kind && transfer.bytes == first.bytes;
        Some(Flow { from: place(transfer.from?), to: place(transfer.to?) }).filter(|_| is_alike)
    };
    let flows = transfers.iter().map(flow).collect::<Option<Vec<_>>>()?;
    let rates = || transfers.iter().map(|transfer| transfer.rate);
    let (least, greatest) = rates().min().zip(rates().max())?;
    let sample = Sample {
        workload: Workload::Flows(flows),
        bytes: Some(first.bytes),
        figure: Figure::BytesPerSecond(least),
        spread: (transfers.len() > 1).then_some([least, greatest]),
        in_place: false,
        is_wrong: false,
        line: test.line,
    };
    Some((kind, sample))
}
