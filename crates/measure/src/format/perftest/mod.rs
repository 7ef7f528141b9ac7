//! Outputs of perftest (`ib_write_bw`, `ib_send_bw`, `ib_read_bw`, `ib_write_lat`, `ib_send_lat`), as text or JSON (`--out_json`).
//!
//! # Grammar
//!
//! - A title: `RDMA_Write BW Test`, `Send Bidirectional BW Test`, `RDMA_Write Post List BW Test`, `RDMA_Write Latency Test`.
//! - The head: `#bytes #iterations BW peak[MiB/sec] BW average[MiB/sec] MsgRate[Mpps]`, or `#bytes #iterations t_min[usec] …`.
//! - With `--report-unsorted` and `--report-histogram`, lines such as `1, 1.35` have single times. `#, cycles` before them shows that
//!   times are cycles.
//! - Rows that begin with a size. `MiB/sec` and `MB/sec` are 2^20 bytes per second, `Gb/sec` 10^9 bits per second.
//!
//! Device 0 is the client, and device 1 the server. The client writes and sends; a read moves data from the server. Bidirectional
//! rates are sums of both directions. Latencies of writes and sends are half of a round trip. Those of reads and atomic operations
//! are whole round trips, and are left out, as are the rates of atomic operations.
//!
//! The JSON does not state the unit. It follows from the rate and the size of messages.
//!
//! # Source
//!
//! `src/perftest_parameters.c` of github.com/linux-rdma/perftest, releases 4.5 to 25.

mod json;
mod test;
mod text;

use super::error::ReadError;
use super::lines::Line;
use super::reading::{ReadOptions, Reading};

pub(super) fn looks_like(text: &str, lines: &[Line<'_>]) -> bool {
    json::looks_like(text) || lines.iter().any(|line| text::is_head(line.text))
}

/// Reads all tests.
pub(super) fn read(text: &str, lines: &[Line<'_>], options: &ReadOptions) -> Result<Reading, ReadError> {
    if json::looks_like(text) { json::read(text, options) } else { text::read(lines, options) }
}
