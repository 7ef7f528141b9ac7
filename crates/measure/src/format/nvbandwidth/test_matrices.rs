//! The matrices of a test of nvbandwidth, and the run that they are.

use lockstep_files::one_line;

use crate::format::error::ReadError;
use crate::format::matrix::{DeviceList, Matrix, RowCount};
use crate::format::values::{FlowCount, both_ways};
use crate::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// The transfers of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// From the GPU of the row to that of the column.
    RowToColumn,
    /// From the GPU of the column to that of the row.
    ColumnToRow,
    /// Both at the same time.
    BothWays,
    /// From all other GPUs to that of the column.
    Inbound,
    /// From the GPU of the column to all others.
    Outbound,
    /// From half of all GPUs further on to the GPU of each row, all at the same time.
    Bisection,
}

/// Returns the transfers of a test by its name; `None` if they are not between GPUs.
pub(super) fn direction_of(name: &str) -> Option<Direction> {
    let has = |part: &str| name.contains(part);
    let is_read = has("_read");
    if has("host") || has("local") || has("latency") || !(is_read || has("_write")) {
        None
    } else if has("device_to_device_bidirectional_memcpy") {
        Some(Direction::BothWays)
    } else if has("device_to_device_memcpy") {
        Some(if is_read { Direction::ColumnToRow } else { Direction::RowToColumn })
    } else if has("all_to_one") {
        Some(if is_read { Direction::Outbound } else { Direction::Inbound })
    } else if has("one_to_all") {
        Some(if is_read { Direction::Inbound } else { Direction::Outbound })
    } else if has("all_from_one") {
        is_read.then_some(Direction::Outbound)
    } else if has("bisect") {
        Some(Direction::Bisection)
    } else {
        None
    }
}

/// Returns the rows that the matrices of a test have. Those of a bisection have one column.
pub(super) fn rows_of(direction: Direction) -> RowCount {
    if matches!(direction, Direction::Inbound | Direction::Outbound) { RowCount::One } else { RowCount::Square }
}

/// The part of a test that a matrix has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Whole,
    /// One direction of a bidirectional test.
    First,
    /// The other direction.
    Second,
    /// The sum of both.
    Total,
}

/// The matrices of a test.
#[derive(Debug)]
pub(super) struct TestMatrices {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) matrices: Vec<(Part, Matrix)>,
    pub(super) devices: Vec<Device>,
}

impl TestMatrices {
    pub(super) fn new(name: &str, line: u32) -> Self {
        Self { name: one_line(name), line, matrices: Vec::new(), devices: Vec::new() }
    }

    /// Returns the matrix of the rates of pairs, in whole units.
    pub(super) fn pairs(&self) -> Option<Matrix> {
        let is_of_pairs = direction_of(&self.name).is_some_and(|direction| {
            matches!(direction, Direction::RowToColumn | Direction::ColumnToRow | Direction::BothWays)
        });
        if is_of_pairs { self.rates() } else { None }
    }

    /// Returns true if the test has the sum of both directions besides them.
    pub(super) fn has_sum(&self) -> bool {
        self.matrix(Part::Total).is_some() && self.matrix(Part::First).is_some()
    }

    fn matrix(&self, part: Part) -> Option<&Matrix> {
        self.matrices.iter().find(|(of, _)| *of == part).map(|(_, matrix)| matrix)
    }

    /// Returns the matrix with the rates of one transfer.
    fn rates(&self) -> Option<Matrix> {
        if let (Some(first), Some(second)) = (self.matrix(Part::First), self.matrix(Part::Second)) {
            return Some(first.combined(second, u64::min));
        }
        let one = self.matrix(Part::Whole).or_else(|| self.matrix(Part::First)).or_else(|| self.matrix(Part::Second));
        one.cloned().or_else(|| self.matrix(Part::Total).map(|total| total.combined(total, |sum, _| sum / 2)))
    }

    /// Converts the matrices to a run. `pairs` has the rates of pairs of the same GPUs, where there are any.
    pub(super) fn into_run(
        self,
        direction: Direction,
        pairs: Option<&Matrix>,
        flow_count: &mut FlowCount,
        notes: &mut Vec<String>,
    ) -> Result<Run, ReadError> {
        let kind = if self.name.ends_with("_sm") { TransferKind::Kernel } else { TransferKind::Copy };
        let matrix = self.rates().unwrap_or_default();
        let width = if direction == Direction::Bisection { matrix.rows.len() } else { matrix.width() };
        let mut samples = Vec::new();
        match direction {
            Direction::Inbound | Direction::Outbound => {
                for (line, values) in &matrix.rows {
                    for (at, rate) in (0..).zip(values) {
                        let others = accessible(at, width as u32, pairs);
                        let Some(rate) = rate.filter(|_| !others.is_empty()) else { continue };
                        flow_count.add(*line, others.len() as u64)?;
                        let flow = |&other: &u32| match direction {
                            Direction::Inbound => Flow { from: other, to: at },
                            _ => Flow { from: at, to: other },
                        };
                        samples.push(sample(others.iter().map(flow).collect(), rate / others.len() as u64, *line));
                    }
                }
            }
            Direction::Bisection => samples.extend(bisection(&matrix, flow_count)?),
            Direction::BothWays | Direction::ColumnToRow | Direction::RowToColumn => {
                let mut missing = 0;
                for (line, row, column, rate) in matrix.pairs() {
                    let Some(rate) = rate.filter(|&rate| rate > 0) else {
                        missing += 1;
                        continue;
                    };
                    let flows = match direction {
                        Direction::BothWays => both_ways(row, column),
                        Direction::ColumnToRow => vec![Flow { from: column, to: row }],
                        _ => vec![Flow { from: row, to: column }],
                    };
                    samples.push(sample(flows, rate, line));
                }
                if missing > 0 {
                    notes.push(format!(
                        "{}: no bandwidth for {missing} pairs of GPUs, which have no access to each other",
                        self.name
                    ));
                }
            }
        }
        let devices = if self.devices.len() == width { self.devices } else { DeviceList::default().of_width(width) };
        let ranks = Some(width as u32);
        Ok(Run { tool: Tool::Nvbandwidth, test: self.name, kind, algorithm: None, devices, ranks, samples })
    }
}

fn sample(flows: Vec<Flow>, rate: u64, line: u32) -> Sample {
    Sample {
        workload: Workload::Flows(flows),
        bytes: None,
        figure: Figure::BytesPerSecond(rate),
        spread: None,
        in_place: false,
        is_wrong: false,
        line,
    }
}

/// Returns the other GPUs that a GPU has access to: those with a rate in a matrix of pairs, or all of them.
fn accessible(gpu: u32, width: u32, pairs: Option<&Matrix>) -> Vec<u32> {
    let pairs = pairs.filter(|pairs| pairs.rows.len() == width as usize);
    let has_rate = |other: u32| {
        let rate = |row: u32, column: u32| {
            let (_, row) = pairs?.rows.get(row as usize)?;
            *row.get(column as usize)?
        };
        pairs.is_none() || [rate(gpu, other), rate(other, gpu)].into_iter().flatten().any(|rate| rate > 0)
    };
    (0..width).filter(|&other| other != gpu && has_rate(other)).collect()
}

/// Returns the sample of a bisection, with the least rate.
fn bisection(matrix: &Matrix, flow_count: &mut FlowCount) -> Result<Option<Sample>, ReadError> {
    let count = matrix.rows.len();
    let rates = || matrix.rows.iter().flat_map(|(_, row)| row.iter().flatten().copied());
    let (Some((line, _)), Some((least, greatest))) = (matrix.rows.first(), rates().min().zip(rates().max())) else {
        return Ok(None);
    };
    if count < 2 || rates().count() != count {
        return Ok(None);
    }
    flow_count.add(*line, count as u64)?;
    // The test passes the partner of each GPU as the source of its copy, although the label of the row has it behind the arrow.
    let flow = |to: usize| Flow { from: ((to + count / 2) % count) as u32, to: to as u32 };
    let flows = (0..count).map(flow).collect();
    Ok(Some(Sample { spread: Some([least, greatest]), ..sample(flows, least, *line) }))
}

/// Returns the note on a test that nvbandwidth waived.
pub(super) fn waived_note(name: &str, line: u32) -> String {
    format!("left out: {} (line {line}), which nvbandwidth waived, because no two GPUs support it", one_line(name))
}
