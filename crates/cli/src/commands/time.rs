//! `lockstep time`: the time of a schedule on a network with bandwidths and latencies.

use std::num::NonZeroU64;

use anyhow::Context;
use lockstep::files::to_json_rows;
use lockstep::schedule::{CollectiveSize, Picoseconds, ScheduleFile, TransferSpeed};
use lockstep::topology::Quantity;
use lockstep_report::Table;
use serde::Serialize;

use crate::args::TimeArgs;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::text::one_line;
use crate::{input, output};

/// The sizes of the table, in bytes, unless others are given: 1 KiB to 1 GiB, each four times the one before.
const SIZES: [u64; 11] = {
    let mut sizes = [1 << 10; 11];
    let mut place = 1;
    while place < sizes.len() {
        sizes[place] = 4 * sizes[place - 1];
        place += 1;
    }
    sizes
};

pub(crate) fn run(args: &TimeArgs) -> anyhow::Result<ExitStatus> {
    CommandFiles::new().read("the schedule", &args.file)?;
    let name = || input::name(&args.file);
    let file = &input::schedule(&args.file)?;
    if let Err(violation) = lockstep::verify(&file.problem(), file.schedule()) {
        output::print(&format!("invalid: {}\n", one_line(&violation.to_string())))?;
        return Ok(ExitStatus::Negative);
    }
    let unit = args.unit.or(file.topology().unit_bytes_per_second()).and_then(NonZeroU64::new);
    let unit = unit.with_context(|| {
        format!("{}: the network has no bandwidths; give that of one unit of capacity, such as --unit 25GB/s", name())
    })?;
    let sizes = if args.size.is_empty() { &SIZES[..] } else { &args.size };
    let times: Vec<Time> = sizes.iter().map(|&bytes| Time::new(file, bytes, unit)).collect();
    output::print(&if args.json { to_json_rows(&times, 1) } else { table(&times) })?;
    Ok(ExitStatus::Success)
}

/// The time of one size.
#[derive(Serialize)]
struct Time {
    bytes: u64,
    chunk_bytes: u64,
    synchronous_ps: u128,
    asynchronous_ps: u128,
    algbw_bytes_per_second: u64,
    busbw_bytes_per_second: u64,
}

impl Time {
    fn new(file: &ScheduleFile, bytes: u64, unit_bytes_per_second: NonZeroU64) -> Self {
        let problem = file.problem();
        let size = CollectiveSize::new(&problem, bytes);
        let chunk_bytes = file.collective().chunk_size(size.message_bytes);
        let speed = TransferSpeed { chunk_bytes, unit_bytes_per_second };
        let asynchronous = speed.asynchronous_time(&problem, file.schedule());
        Self {
            bytes,
            chunk_bytes,
            synchronous_ps: speed.synchronous_time(file.topology(), file.schedule()).number(),
            asynchronous_ps: asynchronous.number(),
            algbw_bytes_per_second: size.algorithm_bandwidth(asynchronous),
            busbw_bytes_per_second: size.bus_bandwidth(asynchronous),
        }
    }
}

fn table(times: &[Time]) -> String {
    let mut table = Table::new(["size", "chunk", "synchronous", "asynchronous", "algbw", "busbw"]);
    let size = |bytes| Quantity::Size.format(bytes);
    let time = |picoseconds| format!("{:.3}", Picoseconds::new(picoseconds));
    let bandwidth = |bytes: u64| format!("{:.3} GB/s", bytes as f64 / 1e9);
    for row in times {
        table.push([
            size(row.bytes),
            size(row.chunk_bytes),
            time(row.synchronous_ps),
            time(row.asynchronous_ps),
            bandwidth(row.algbw_bytes_per_second),
            bandwidth(row.busbw_bytes_per_second),
        ]);
    }
    table.to_text()
}
