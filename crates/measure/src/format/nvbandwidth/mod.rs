//! Outputs of nvbandwidth: matrices of bandwidths between GPUs, as text or JSON (`-j`).
//!
//! # Grammar
//!
//! - `Running device_to_device_memcpy_read_ce.` names the test, `SUM device_to_device_memcpy_read_ce 175.70` ends a matrix, with
//!   `&&&& PERF` in the place of `SUM` if the option `--perfFormatter` is set.
//! - `Device 0: NAME (00000000:07:00)` lists the GPUs, and `Process 0 (HOST): device 0: NAME (00000000:07:00)` those of all nodes.
//! - A title ends with `bandwidth (GB/s)`. A matrix follows: column numbers, then rows with their number. `N/A` is no value.
//! - The test `multinode_bisect_write_ce` has one column, whose rows are `0->2   380.10`.
//! - `Waiving NAME.` is a test that did not run; from release 0.5 on, `Waived:` does not name it.
//! - In JSON, a bidirectional test has its matrices below each other in one `bandwidth_matrix`. From release 0.8 on,
//!   `GPU Device list` has the GPUs: `0: NAME (00000000:07:00): (HOST)`.
//!
//! # Directions
//!
//! The name of the test gives the direction, because the arrows of the titles point against the data in releases 0.1 to 0.8. A read
//! moves data from the GPU of the column to that of the row, and a write from the row to the column. Titles of releases 0.1 to 0.4
//! have one matrix for a bidirectional test: the rate of one direction under load. The tests `all_to_one`, `one_to_all` and
//! `all_from_one` print the sum of all transfers that enter or leave a GPU. It is divided by the number of its partners: the GPUs to
//! which it has access in a matrix of pairs of the same output, or all others.
//!
//! # Source
//!
//! `testcase.cpp`, `testcases_ce.cpp`, `testcases_sm.cpp`, `multinode_testcases.cpp`, `output.cpp` and `json_output.cpp` of
//! github.com/NVIDIA/nvbandwidth, releases 0.1 to 0.8.

mod json;
mod test_matrices;
mod text;

use self::test_matrices::{TestMatrices, direction_of};
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
    let tests = if json::looks_like(text) {
        json::tests(text, unit, &mut notes)?
    } else {
        text::tests(lines, unit, &mut notes)?
    };
    let pairs = tests.iter().find_map(TestMatrices::pairs);
    let (mut runs, mut flows) = (Vec::new(), FlowCount::default());
    let (mut left_out, mut has_total) = (Vec::new(), false);
    for test in tests {
        has_total |= test.has_sum();
        match direction_of(&test.name) {
            None => left_out.push(test.name),
            Some(_) if test.matrices.is_empty() => notes.push(format!(
                "left out: {} (line {}), which has no matrix: it failed, or the output is cut off",
                test.name, test.line
            )),
            Some(direction) => runs.push(test.into_run(direction, pairs.as_ref(), &mut flows, &mut notes)?),
        }
    }
    if !left_out.is_empty() {
        left_out.sort_unstable();
        left_out.dedup();
        notes.push(format!("left out: {}; only copies between GPUs are read", first_few(&left_out)));
    }
    if has_total {
        notes.push("left out: the matrices Total, which are the sums of both directions".to_owned());
    }
    if pairs.is_some() {
        notes
            .push("the pairs of a matrix were measured one at a time, so it does not show what pairs share".to_owned());
    }
    Ok(Reading { runs, notes })
}
