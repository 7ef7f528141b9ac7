//! Outputs of nccl-tests and rccl-tests: tables of sizes and times, as text or JSON (`-J FILE`).
//!
//! # Grammar
//!
//! - `# Collective test starting: all_gather_perf` names the test; old releases do not, and the columns tell most tests.
//! - `#  Rank  0 Group  0 Pid 41 on HOST device  0 [0000:07:00] NAME` lists the ranks.
//! - The head names the columns: `size count type redop root`, then twice, out of place and in place, `time algbw busbw #wrong`.
//!   Columns of other releases are found by their names, such as `i_min` and `i_max`.
//! - The line above the head has `out-of-place` and `in-place`, or one of them.
//! - A row has the size of the whole buffer in bytes, and times in microseconds. The rates follow from them, so they are not read.
//! - `# Out of bounds values : 0 OK` ends a run.
//!
//! The field `env` of JSON has the whole environment of the user and is not read.
//!
//! # Source
//!
//! `src/util.cu` and `src/common.cu` of github.com/NVIDIA/nccl-tests, releases 2.0 to 2.20, and rccl-tests of
//! github.com/ROCm/rocm-systems.

mod json;
mod operation;
mod table;
mod text;

use self::table::Table;
use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::FlowCount;

/// Returns true if a text is the JSON or has the head of a table of nccl-tests.
pub(super) fn looks_like(text: &str, lines: &[Line<'_>]) -> bool {
    json::looks_like(text) || lines.iter().any(|line| text::is_head(line.text))
}

/// Reads all runs.
pub(super) fn read(text: &str, lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut notes = Vec::new();
    let tables =
        if json::looks_like(text) { json::tables(text, &mut notes)? } else { text::tables(lines, &mut notes)? };
    let (mut runs, mut flows) = (Vec::new(), FlowCount::default());
    for table in tables {
        runs.extend(Table::into_run(table, options, &mut flows, &mut notes)?);
    }
    Ok(Reading { runs, notes })
}
