//! The tests of perftest.

use crate::format::values::{both_ways, unnamed_devices};
use crate::{Figure, Flow, Run, Sample, Tool, TransferKind, Workload};

/// What a test transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Transfer {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
    /// Both at the same time.
    BothWays,
}

/// A test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// Rates.
    Bandwidth(Transfer),
    /// Times of half of a round trip.
    Latency,
    /// Times of whole round trips.
    RoundTrip,
    /// Rates of atomic operations, which move 8 bytes there and back.
    Atomic,
}

/// Returns the test of a title: `RDMA_Write BW Test`, or `RDMA_Write_BW_Test` in JSON.
pub(super) fn measure_of(title: &str) -> Option<Measure> {
    let has = |word: &str| title.contains(word);
    let is_read = has("Read");
    if !["RDMA_", "Send", "Atomic", "Raw"].iter().any(|word| title.starts_with(word)) {
        None
    } else if has("Latency") {
        Some(if is_read || title.starts_with("Atomic") { Measure::RoundTrip } else { Measure::Latency })
    } else if title.starts_with("Atomic") {
        Some(Measure::Atomic)
    } else if has("BW") || has("Bandwidth") {
        Some(Measure::Bandwidth(match (has("Bidirectional"), is_read) {
            (true, _) => Transfer::BothWays,
            (false, true) => Transfer::ToClient,
            (false, false) => Transfer::ToServer,
        }))
    } else {
        None
    }
}

/// Returns the sample of a rate. A bidirectional rate is the sum.
pub(super) fn rate_sample(transfer: Transfer, bytes: u64, rate: u64, line: u32) -> Sample {
    let (flows, rate) = match transfer {
        Transfer::ToServer => (vec![Flow { from: 0, to: 1 }], rate),
        Transfer::ToClient => (vec![Flow { from: 1, to: 0 }], rate),
        Transfer::BothWays => (both_ways(0, 1), rate / 2),
    };
    sample(flows, bytes, Figure::BytesPerSecond(rate), line)
}

/// Returns the sample of a time.
pub(super) fn time_sample(bytes: u64, picoseconds: u64, spread: Option<[u64; 2]>, line: u32) -> Sample {
    Sample { spread, ..sample(vec![Flow { from: 0, to: 1 }], bytes, Figure::Picoseconds(picoseconds), line) }
}

fn sample(flows: Vec<Flow>, bytes: u64, figure: Figure, line: u32) -> Sample {
    let workload = Workload::Flows(flows);
    Sample { workload, bytes: Some(bytes), figure, spread: None, in_place: false, is_wrong: false, line }
}

/// Returns the run of a test.
pub(super) fn run(test: String, samples: Vec<Sample>) -> Run {
    Run {
        tool: Tool::Perftest,
        test,
        kind: TransferKind::Message,
        algorithm: None,
        devices: unnamed_devices(2),
        ranks: Some(2),
        samples,
    }
}

/// The note on a test of whole round trips.
pub(super) fn round_trip_note(line: u32) -> String {
    format!("left out: the times of line {line}, which are whole round trips; measure with ib_write_lat or ib_send_lat")
}

/// The note on a test of atomic operations.
pub(super) fn atomic_note(line: u32) -> String {
    format!(
        "left out: the rates of line {line}, which are of atomic operations; measure with ib_write_bw or ib_read_bw"
    )
}
