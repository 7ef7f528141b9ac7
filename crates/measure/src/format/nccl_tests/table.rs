//! A run of nccl-tests: its rows, and the run that they are.

use std::collections::BTreeMap;

use lockstep_files::one_line;

use super::operation::{Operation, Signature};
use crate::format::error::ReadError;
use crate::format::reading::ReadOptions;
use crate::format::values::FlowCount;
use crate::{Device, Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// A time of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Time {
    pub(super) in_place: bool,
    pub(super) picoseconds: u64,
    pub(super) spread: Option<[u64; 2]>,
    pub(super) is_wrong: bool,
}

/// A row: one size.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) line: u32,
    pub(super) signature: Signature,
    pub(super) times: Vec<Time>,
}

/// The rows of a run, and what is known of it.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The line of the head.
    pub(super) line: u32,
    /// The program without `_perf`.
    pub(super) program: Option<String>,
    pub(super) algorithm: Option<String>,
    pub(super) devices: BTreeMap<u32, Device>,
    /// The number of ranks, if the list of devices does not have all.
    pub(super) ranks: Option<u32>,
    pub(super) rows: Vec<Row>,
}

impl Table {
    /// Converts the rows to a run. `None` if they are left out, with a note.
    pub(super) fn into_run(
        self,
        options: &ReadOptions,
        flows: &mut FlowCount,
        notes: &mut Vec<String>,
    ) -> Result<Option<Run>, ReadError> {
        let line = self.line;
        if self.rows.is_empty() {
            notes.push(format!("line {line}: the table has no rows"));
            return Ok(None);
        }
        let Some(operation) = self.operation(notes)? else { return Ok(None) };
        let listed = self.devices.last_key_value().map(|(&rank, _)| rank.saturating_add(1));
        let ranks = self.ranks.or(listed).or(options.ranks);
        if ranks == Some(1) {
            notes.push(format!(
                "left out: the run of line {line} has one rank, which transfers no data; build nccl-tests with MPI=1 to use several processes"
            ));
            return Ok(None);
        }
        let is_complete = ranks.is_some_and(|ranks| ranks as usize == self.devices.len());
        let devices: Vec<Device> = if is_complete { self.devices.into_values().collect() } else { Vec::new() };
        let mut run = Run {
            tool: Tool::NcclTests,
            test: operation.word().to_owned(),
            kind: TransferKind::Kernel,
            algorithm: self.algorithm,
            devices,
            ranks,
            samples: Vec::new(),
        };
        if operation == Operation::SendRecv && run.devices.is_empty() {
            let count = ranks.ok_or_else(|| {
                let text = "the output has no lines 'Rank 0 … device 0', so the number of ranks is unknown; state it";
                ReadError::unsupported(line, text)
            })?;
            flows.add(line, u64::from(count))?;
            run.devices = vec![Device::default(); count as usize];
        } else if ranks.is_none() {
            notes.push(format!("line {line}: the number of ranks is not in the output; state it"));
        }
        let mut empty = 0;
        for row in self.rows {
            if row.signature.bytes == 0 {
                empty += 1;
                continue;
            }
            for time in row.times {
                let workload = match operation {
                    Operation::Collective(name) => Workload::Collective(name),
                    Operation::SendRecv => {
                        let count = run.devices.len() as u32;
                        flows.add(row.line, u64::from(count))?;
                        Workload::Flows((0..count).map(|from| Flow { from, to: (from + 1) % count }).collect())
                    }
                };
                run.samples.push(Sample {
                    workload,
                    bytes: Some(row.signature.bytes),
                    figure: Figure::Picoseconds(time.picoseconds),
                    spread: time.spread,
                    in_place: time.in_place,
                    is_wrong: time.is_wrong,
                    line: row.line,
                });
            }
        }
        if empty > 0 {
            notes.push(format!("left out: rows of 0 bytes ({empty})"));
        }
        Ok(Some(run))
    }

    /// Returns the test. `None` if it is left out, with a note.
    fn operation(&self, notes: &mut Vec<String>) -> Result<Option<Operation>, ReadError> {
        if let Some(program) = &self.program {
            let operation = Operation::of_program(program);
            if operation.is_none() {
                let (line, program) = (self.line, one_line(program));
                notes.push(format!(
                    "left out: {program}_perf (line {line}), which is none of the collectives of Lockstep"
                ));
            }
            return Ok(operation);
        }
        let Some(row) = self.rows.iter().max_by_key(|row| row.signature.bytes) else { return Ok(None) };
        match Operation::of_columns(row.signature) {
            [operation] => {
                let (line, word) = (self.line, operation.word());
                notes.push(format!("line {line}: the output does not name its test; its columns are those of {word}"));
                Ok(Some(*operation))
            }
            several => {
                let words: Vec<&str> = several.iter().map(|operation| operation.word()).collect();
                let text = format!(
                    "the output does not name its test, which may be {}; add a line with the name of the program before it, such as '# all_gather_perf'",
                    words.join(" or ")
                );
                Err(ReadError::unsupported(self.line, text))
            }
        }
    }
}
