//! The times of a schedule on a network with bandwidths and latencies, for several sizes of its collective.

use std::num::NonZeroU64;

use anyhow::Context;
use lockstep::schedule::{AsynchronousCost, CollectiveSize, Picoseconds, Schedule, TransferSpeed};
use lockstep::topology::{Quantity, Sizes};
use lockstep::{Problem, Topology};
use lockstep_report::Table;
use serde::Serialize;

/// Returns the bandwidth of one unit of capacity in bytes per second: the given one, or that of the network.
pub(super) fn unit(topology: &Topology, given: Option<u64>) -> anyhow::Result<NonZeroU64> {
    let unit = given.or(topology.unit_bytes_per_second()).and_then(NonZeroU64::new);
    unit.with_context(|| {
        let name = topology.name();
        format!("{name}: the network has no bandwidths; give that of one unit of capacity, such as --unit 25GB/s")
    })
}

/// Returns the times of a schedule for the sizes of a table.
pub(super) fn of_sizes(problem: &Problem<'_>, schedule: &Schedule, unit: NonZeroU64, sizes: &Sizes) -> Vec<Time> {
    let cost = AsynchronousCost::unlimited(problem, schedule);
    let time = |bytes| Time::new(problem, &cost, unit, CollectiveSize::new(problem, bytes));
    sizes.table().into_iter().map(time).collect()
}

/// The time of one size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Time {
    pub(super) bytes: u64,
    chunk_bytes: u64,
    synchronous_ps: u128,
    asynchronous_ps: u128,
    algbw_bytes_per_second: u64,
    busbw_bytes_per_second: u64,
}

impl Time {
    /// Returns the time of a schedule for one size.
    pub(super) fn new(
        problem: &Problem<'_>,
        cost: &AsynchronousCost<'_>,
        unit_bytes_per_second: NonZeroU64,
        size: CollectiveSize,
    ) -> Self {
        let chunk_bytes = problem.collective().chunk_size(size.message_bytes);
        let speed = TransferSpeed { chunk_bytes, unit_bytes_per_second };
        let asynchronous = cost.time(speed);
        Self {
            bytes: size.bytes,
            chunk_bytes,
            synchronous_ps: cost.synchronous().time(speed).number(),
            asynchronous_ps: asynchronous.number(),
            algbw_bytes_per_second: size.algorithm_bandwidth(asynchronous),
            busbw_bytes_per_second: size.bus_bandwidth(asynchronous),
        }
    }

    /// Returns the values for people: size, chunk, synchronous and asynchronous time, algorithm and bus bandwidth.
    pub(super) fn columns(&self) -> [String; 6] {
        let time = |picoseconds| format!("{:.3}", Picoseconds::new(picoseconds));
        let bandwidth = |bytes: u64| format!("{:.3} GB/s", bytes as f64 / 1e9);
        [
            Quantity::Size.format(self.bytes),
            Quantity::Size.format(self.chunk_bytes),
            time(self.synchronous_ps),
            time(self.asynchronous_ps),
            bandwidth(self.algbw_bytes_per_second),
            bandwidth(self.busbw_bytes_per_second),
        ]
    }
}

/// Returns the table of times, with the columns of nccl-tests.
pub(super) fn table(times: &[Time]) -> String {
    let mut table = Table::new(["size", "chunk", "synchronous", "asynchronous", "algbw", "busbw"]);
    for time in times {
        table.push(time.columns());
    }
    table.to_text()
}
