//! Outputs of `TransferBench`, as text, in boxes or with commas (`OUTPUT_TO_CSV=1`).
//!
//! # Grammar
//!
//! The preset `p2p`:
//!
//! - `Bytes Per Direction 67108864`, the size of a transfer.
//! - `Unidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)`, or `Bidirectional …`.
//! - The head `SRC+EXE\DST CPU 00 GPU 00`, then rows such as `GPU 00 -> 50.00 N/A`. A bidirectional row `->` has the rates from
//!   the row to the column, `<-` those of the other direction at the same time, and `<->` the sums. With `SHOW_ITERATIONS=1`, rows
//!   `min`, `max` and `sd` follow. `Averages` ends a table without commas.
//!
//! Other presets, such as `a2a` and `sweep`, and configuration files have tests, whose transfers run at the same time:
//!
//! - `Test 1:`, then `Executor: GPU 00 | …` for each executor, and below it
//!   `Transfer 00 | 33.520 GB/s | 2.002 ms | 67108864 bytes | G0 -> GPU00:004 -> G1` for each of its transfers.
//! - Bars, commas, lines of boxes or blanks separate the fields. Releases from 1.60 on write `G0 -> G0:4 -> G1`, and put the number of
//!   the rank before a device if there are several: `R0G0 -> R0G0:4 -> R1G0`.
//! - `Aggregate (CPU) | …` ends a test.
//! - The memory of GPUs is `G` or `F`; other letters are memory of the host or none. The executors are `GPU` or `G` (kernel), `DMA` or
//!   `D` (copy engine), `NIC`, `N` or `I` (network card), and `CPU` or `C`.
//!
//! The executor `GFX` is a kernel, and `DMA` a copy engine.
//!
//! # Source
//!
//! `src/TransferBench.cpp`, `src/client/Utilities.hpp` and `src/client/Presets` of github.com/ROCm/TransferBench, releases 1.11 to
//! 1.66.

mod p2p;
mod test;

use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};
use super::values::GB;

pub(super) fn looks_like(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| {
        let is_version = line.text.starts_with("TransferBench v") || line.text.starts_with("TransferBench Client v");
        is_version || p2p::is_title(line.text) || test::is_transfer(line.text)
    })
}

/// Reads the tables and tests of transfers between GPUs.
pub(super) fn read(lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    let unit = options.rate_unit.unwrap_or(GB);
    let has_tables = lines.iter().any(|line| p2p::is_title(line.text));
    let has_tests = lines.iter().any(|line| test::is_transfer(line.text));
    if !has_tables && !has_tests {
        let line = lines.first().map_or(1, |line| line.number);
        let expected = "the tables of 'TransferBench p2p', or tests with lines such as 'Transfer 00 | 33.5 GB/s | …', which HIDE_ENV=1 hides";
        return Err(ReadError::unexpected(line, "", expected));
    }
    let mut reading = if has_tables { p2p::read(lines, unit)? } else { Reading::default() };
    if has_tests {
        let tests = test::read(lines, unit)?;
        reading.runs.extend(tests.runs);
        reading.notes.extend(tests.notes);
    }
    Ok(reading)
}
