//! Outputs of nccl-tests, rccl-tests and mscclpp-test: tables of sizes and times, as text or JSON (`-J FILE`).
//!
//! # Grammar
//!
//! - `# Collective test starting: all_gather_perf` names the test; old releases do not, and the columns tell most tests.
//! - `#  Rank  0 Group  0 Pid 41 on HOST device  0 [0000:07:00] NAME` lists the ranks.
//! - The head names the columns: `size count type redop root`, then twice, out of place and in place, `time algbw busbw #wrong`.
//!   Columns of other releases are found by their names, such as `i_min` and `i_max`.
//! - The line above the head has `out-of-place` and `in-place`, or one of them.
//!   In mscclpp-test, times in place are the first ones, and a row has one of both: spaces are in the place of the other one.
//! - A row has the size of the whole buffer in bytes, and times in microseconds. The rates follow from them, so they are not read.
//! - `# Out of bounds values : 0 OK` ends a run.
//!
//! rccl-tests also write a file (`-x FILE`) with an entry per size, out of place or in place, as JSON or CSV. It names the test.
//! `ranksPerNode` processes with `gpusPerRank` GPUs each take part; `ranks` has all processes, also if they form several groups.
//!
//! The field `env` of JSON has the whole environment of the user and is not read.
//!
//! # Source
//!
//! `src/util.cu` and `src/common.cu` of github.com/NVIDIA/nccl-tests, releases 2.0 to 2.20, and rccl-tests of
//! github.com/ROCm/rocm-systems. `test/mscclpp-test/common.cc` of github.com/microsoft/mscclpp.

mod json;
mod operation;
mod report;
mod table;
mod text;

use self::table::Table;
use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::FlowCount;

/// Where the rows are.
#[derive(Clone, Copy)]
enum Form {
    Json,
    ReportJson,
    ReportCsv,
    Text,
}

impl Form {
    fn new(text: &str, lines: &[Line<'_>]) -> Option<Self> {
        let has = |is_head: fn(&str) -> bool| lines.iter().any(|line| is_head(line.text));
        if json::looks_like(text) {
            Some(Self::Json)
        } else if report::is_json(text) {
            Some(Self::ReportJson)
        } else if has(text::is_head) {
            Some(Self::Text)
        } else {
            has(report::is_csv_head).then_some(Self::ReportCsv)
        }
    }
}

/// Returns true if a text is the JSON or has the head of a table of nccl-tests.
pub(super) fn looks_like(text: &str, lines: &[Line<'_>]) -> bool {
    Form::new(text, lines).is_some()
}

/// Reads all runs.
pub(super) fn read(text: &str, lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut notes = Vec::new();
    let tables = match Form::new(text, lines) {
        Some(Form::Json) => json::tables(text, &mut notes)?,
        Some(Form::ReportJson) => report::json_tables(text)?,
        Some(Form::ReportCsv) => report::csv_tables(lines, &mut notes)?,
        Some(Form::Text) | None => text::tables(lines, &mut notes)?,
    };
    let (mut runs, mut flows) = (Vec::new(), FlowCount::default());
    for table in tables {
        runs.extend(Table::into_run(table, options, &mut flows, &mut notes)?);
    }
    Ok(Reading { runs, notes })
}
