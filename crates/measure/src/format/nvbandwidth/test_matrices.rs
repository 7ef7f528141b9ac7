//! The matrices of a test of nvbandwidth, and the run that they are.

use crate::format::error::ReadError;
use crate::format::matrix::{Matrix, RowCount};
use crate::format::values::{FlowCount, both_ways, unnamed_devices};
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
    } else {
        None
    }
}

/// Returns the rows that the matrices of a test have.
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
    pub(super) matrices: Vec<(Part, Matrix)>,
    pub(super) devices: Vec<Device>,
}

impl TestMatrices {
    pub(super) fn direction(&self) -> Option<Direction> {
        direction_of(&self.name).filter(|_| !self.matrices.is_empty())
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

    /// Converts the matrices to a run.
    pub(super) fn into_run(
        self,
        direction: Direction,
        flow_count: &mut FlowCount,
        notes: &mut Vec<String>,
    ) -> Result<Run, ReadError> {
        let kind = if self.name.ends_with("_sm") { TransferKind::Kernel } else { TransferKind::Copy };
        let matrix = self.rates().unwrap_or(Matrix { rows: Vec::new() });
        let width = matrix.width();
        let others = (width as u64).saturating_sub(1).max(1);
        let mut samples = Vec::new();
        let mut add = |flows: Vec<Flow>, rate: u64, line: u32| {
            samples.push(Sample {
                workload: Workload::Flows(flows),
                bytes: None,
                figure: Figure::BytesPerSecond(rate),
                spread: None,
                in_place: false,
                is_wrong: false,
                line,
            });
        };
        let mut missing = 0;
        if rows_of(direction) == RowCount::One {
            for (line, values) in &matrix.rows {
                for (at, rate) in (0..).zip(values) {
                    let Some(rate) = rate else { continue };
                    flow_count.add(*line, others)?;
                    let flow = |other| match direction {
                        Direction::Inbound => Flow { from: other, to: at },
                        _ => Flow { from: at, to: other },
                    };
                    add((0..width as u32).filter(|&other| other != at).map(flow).collect(), rate / others, *line);
                }
            }
        } else {
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
                add(flows, rate, line);
            }
        }
        if missing > 0 {
            notes.push(format!(
                "{}: no bandwidth for {missing} pairs of GPUs, which have no access to each other",
                self.name
            ));
        }
        let devices = if self.devices.len() == width { self.devices } else { unnamed_devices(width) };
        let ranks = Some(width as u32);
        Ok(Run { tool: Tool::Nvbandwidth, test: self.name, kind, algorithm: None, devices, ranks, samples })
    }
}
