//! Outputs of p2pBandwidthLatencyTest of the CUDA samples.
//!
//! # Grammar
//!
//! - `Device: 0, NAME, pciBusID: 7, pciDeviceID: 0, pciDomainID:0` lists the GPUs; the numbers are hexadecimal.
//! - `P2P Connectivity Matrix`, then a matrix whose corner is `D\D`: 1 if two GPUs have access to each other.
//! - `Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)` and similar titles, each with such a matrix.
//! - `P2P=Enabled Latency (P2P Writes) Matrix (us)`, with a matrix whose corner is `GPU`, and one whose corner is `CPU`. Releases
//!   before CUDA 9 have one matrix whose corner is `D\D`.
//!
//! Rows write to columns, and read from them with `--p2p_read`. Bidirectional bandwidths are the sums of both directions. The
//! diagonal is the memory of one GPU. With `--sm_copy`, kernels transfer the data. Only the command line shows it, so a log must
//! have it.
//!
//! # Source
//!
//! `Samples/5_Domain_Specific/p2pBandwidthLatencyTest` of github.com/NVIDIA/cuda-samples, releases 7 to 13.

use super::error::ReadError;
use super::lines::Line;
use super::matrix::{DeviceList, Matrix, MatrixForm, RowCount, read_matrix};
use super::reading::{ReadOptions, Reading};
use super::values::{GB, MICROSECOND, both_ways, bus_id};
use crate::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// The corner of most matrices.
const CORNER: &str = "D\\D";

/// The corners of matrices of latencies: releases before CUDA 9 have that of all matrices.
const LATENCY_CORNERS: [&str; 2] = ["GPU", CORNER];

/// The bytes of a transfer whose latency is measured: one `int4`.
const LATENCY_BYTES: u64 = 16;

/// What a matrix has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Table {
    OneWay,
    BothWays,
    Latency,
}

pub(super) fn looks_like(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| table_of(line.text).is_some() || is_head(line.text))
}

/// Returns true for the first line of the test.
fn is_head(line: &str) -> bool {
    line.starts_with("[P2P (Peer-to-Peer) GPU Bandwidth")
}

/// Returns the matrix that a title announces.
fn table_of(line: &str) -> Option<Table> {
    if !line.contains("P2P=") || !line.contains("Matrix (") {
        None
    } else if line.starts_with("Unidirectional") {
        Some(Table::OneWay)
    } else if line.starts_with("Bidirectional") {
        Some(Table::BothWays)
    } else {
        line.contains("Latency").then_some(Table::Latency)
    }
}

/// Reads `Device: 0, NAME, pciBusID: 7, pciDeviceID: 0, pciDomainID:0`.
fn device_of(line: &str) -> Option<(usize, Device)> {
    let (number, rest) = line.strip_prefix("Device: ")?.split_once(',')?;
    let field = |name: &str| rest.split_once(name)?.1.trim_start_matches([':', ' ']).split([',', ' ']).next();
    let bus = field("pciDomainID").zip(field("pciBusID")).zip(field("pciDeviceID"));
    let bus = bus.and_then(|((domain, bus), device)| bus_id(&format!("{domain}:{bus}:{device}")));
    Some((number.trim().parse().ok()?, Device { host: None, bus_id: bus }))
}

/// Reads the matrices with access between the GPUs.
pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut reading = Reading::default();
    let mut devices = DeviceList::default();
    let mut access: Option<Matrix> = None;
    let mut has_disabled = false;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if let Some((number, device)) = device_of(line.text) {
            devices.add(number, device);
        } else if line.text.starts_with("P2P Connectivity Matrix") {
            let form = MatrixForm { corners: &[CORNER], rows: RowCount::Square, unit: 1 };
            let (matrix, end) = read_matrix(lines, at, form)?;
            (access, at) = (Some(matrix), end);
        } else if let Some(table) = table_of(line.text) {
            if line.text.contains("P2P=Disabled") {
                has_disabled = true;
                continue;
            }
            let (corners, unit): (&[&str], u64) = match table {
                Table::Latency => (&LATENCY_CORNERS, MICROSECOND),
                _ => (&[CORNER], options.rate_unit.unwrap_or(GB)),
            };
            let (matrix, end) = read_matrix(lines, at, MatrixForm { corners, rows: RowCount::Square, unit })?;
            at = end;
            let is_read = line.text.contains("P2P Reads");
            let mut run = run(table, is_read, &matrix, &devices);
            if let Some(access) = &access {
                run.samples.retain(|sample| has_access(access, sample));
            }
            reading.runs.push(run);
        }
    }
    if lines.iter().any(|line| line.text.contains("--sm_copy")) {
        for run in &mut reading.runs {
            run.kind = TransferKind::Kernel;
        }
    }
    let has_latency = lines.iter().any(|line| line.text.starts_with("P2P=Enabled Latency"));
    if !has_latency && lines.iter().any(|line| is_head(line.text)) {
        let text =
            "the output has no latencies, which stand at its end, so the run did not end or the output is cut off";
        reading.notes.push(text.to_owned());
    }
    let without_access = access.map_or(0, |access| access.pairs().filter(|(.., entry)| *entry == Some(0)).count());
    if without_access > 0 {
        reading.notes.push(format!(
            "left out: GPUs without access to another one ({without_access} pairs); their data goes through the memory of the host"
        ));
    }
    if has_disabled {
        let text = "left out: the matrices of P2P=Disabled; their data goes through the memory of the host";
        reading.notes.push(text.to_owned());
    }
    Ok(reading)
}

/// Returns true if the GPUs of a sample have access to each other.
fn has_access(access: &Matrix, sample: &Sample) -> bool {
    let Workload::Flows(flows) = &sample.workload else { return true };
    let entry = |flow: &Flow| {
        let (_, row) = access.rows.get(flow.from as usize)?;
        *row.get(flow.to as usize)?
    };
    flows.iter().all(|flow| entry(flow) != Some(0))
}

fn run(table: Table, is_read: bool, matrix: &Matrix, devices: &DeviceList) -> Run {
    let width = matrix.width();
    let sample = |(line, row, column, value): (u32, u32, u32, Option<u64>)| {
        let value = value?;
        let [from, to] = if is_read { [column, row] } else { [row, column] };
        let (flows, bytes, figure) = match table {
            Table::OneWay => (vec![Flow { from, to }], None, Figure::BytesPerSecond(value)),
            Table::BothWays => (both_ways(from, to), None, Figure::BytesPerSecond(value / 2)),
            Table::Latency => (vec![Flow { from, to }], Some(LATENCY_BYTES), Figure::Picoseconds(value)),
        };
        let workload = Workload::Flows(flows);
        Some(Sample { workload, bytes, figure, spread: None, in_place: false, is_wrong: false, line })
    };
    let test = match table {
        Table::OneWay => "unidirectional bandwidth",
        Table::BothWays => "bidirectional bandwidth",
        Table::Latency => "latency",
    };
    Run {
        tool: Tool::P2pBandwidthLatencyTest,
        test: test.to_owned(),
        kind: TransferKind::Copy,
        algorithm: None,
        devices: devices.of_width(width),
        ranks: Some(width as u32),
        samples: matrix.pairs().filter_map(sample).collect(),
    }
}
