//! Outputs of nvbandwidth: matrices of bandwidths between GPUs, as text or JSON (`-j`).
//!
//! # Grammar
//!
//! - `Running device_to_device_memcpy_read_ce.` names the test, `SUM device_to_device_memcpy_read_ce 175.70` ends a matrix.
//! - `Device 0: NAME (00000000:07:00)` lists the GPUs.
//! - A title ends with `bandwidth (GB/s)`. A matrix follows: column numbers, then rows with their number. `N/A` is no value.
//! - In JSON, a bidirectional test has its matrices below each other in one `bandwidth_matrix`.
//!
//! # Directions
//!
//! The name of the test gives the direction, because the arrows of the titles point against the data in releases 0.1 to 0.8. A read
//! moves data from the GPU of the column to that of the row, and a write from the row to the column. The tests `all_to_one` and
//! `one_to_all` print the sum of all transfers that enter or leave a GPU.
//!
//! # Source
//!
//! `testcases_ce.cpp`, `testcases_sm.cpp` and `json/` of github.com/NVIDIA/nvbandwidth, releases 0.1 to 0.8.

mod json;
mod test_matrices;
mod text;

use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::{FlowCount, GB, first_few};

pub(super) fn looks_like(text: &str, lines: &[Line<'_>]) -> bool {
    json::looks_like(text) || lines.iter().any(|line| text::is_mark(line.text))
}

/// Reads the tests between GPUs.
pub(super) fn read(text: &str, lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let unit = options.rate_unit.unwrap_or(GB);
    let mut notes = Vec::new();
    let tests = if json::looks_like(text) { json::tests(text, unit, &mut notes)? } else { text::tests(lines, unit)? };
    let (mut runs, mut flows) = (Vec::new(), FlowCount::default());
    let (mut left_out, mut has_total) = (Vec::new(), false);
    for test in tests {
        has_total |= test.has_sum();
        match test.direction() {
            Some(direction) => runs.push(test.into_run(direction, &mut flows, &mut notes)?),
            None => left_out.push(test.name),
        }
    }
    if !left_out.is_empty() {
        left_out.sort_unstable();
        left_out.dedup();
        notes.push(format!("left out: {}; only bandwidths between GPUs are read", first_few(&left_out)));
    }
    if has_total {
        notes.push("left out: the matrices Total, which are the sums of both directions".to_owned());
    }
    if !runs.is_empty() {
        notes
            .push("the pairs of a matrix were measured one at a time, so it does not show what pairs share".to_owned());
    }
    Ok(Reading { runs, notes })
}
