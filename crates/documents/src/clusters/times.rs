//! Times of all-gathers beside published ones.

use std::time::Instant;

use anyhow::{Context, Result};
use lockstep::topology::Quantity;
use lockstep::{Budget, Collective, CommunicationModel, FrontOptions, Problem, Timing, Topology, front};
use lockstep_report::Table;

use super::page::TEMPLATE;
use super::published::{TimeRow, Times};

const PICOSECONDS_PER_MICROSECOND: f64 = 1e6;

pub(super) fn block(published: &Times) -> Result<String> {
    let mut table = Table::new(["network", "size", "published", "solver", "ours", "our search", "at least", "ratio"]);
    for rows in published.rows.chunk_by(|row, next| row.network == next.network) {
        for cells in table_rows(rows)? {
            table.push(cells);
        }
    }
    let rows = table.to_markdown();
    Ok(TEMPLATE.fill("times", &[("source", &published.source), ("rows", &rows)]))
}

/// Returns the cells of the rows of one network.
fn table_rows(rows: &[TimeRow]) -> Result<Vec<[String; 8]>> {
    let network = &rows.first().context("a row")?.network;
    eprintln!("{network}");
    let topology: Topology = network.parse()?;
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward().on(&topology))?;
    let sizes: Vec<u64> = rows.iter().map(|row| Quantity::Size.parse(&row.size)).collect::<Result<_, _>>()?;
    let range = [sizes.iter().min(), sizes.iter().max()].map(|size| size.copied().unwrap_or(1));
    let options = FrontOptions { sizes: range, timing: Timing::Asynchronous, ..FrontOptions::default() };
    let started = Instant::now();
    let found = front(&problem, &options, &Budget::unlimited(), |_| {})?;
    let seconds = started.elapsed().as_secs_f64();
    let cells = rows.iter().zip(sizes).map(|(row, size)| {
        let microseconds = |time: lockstep::schedule::Picoseconds| time.number() as f64 / PICOSECONDS_PER_MICROSECOND;
        let ours = found.plans.iter().map(|plan| plan.time(Timing::Asynchronous, size)).min().context("a schedule")?;
        Ok([
            network.clone(),
            row.size.clone(),
            format!("{} us", row.microseconds),
            format!("{} s", row.solver_seconds),
            format!("{:.3} us", microseconds(ours)),
            format!("{seconds:.1} s"),
            format!("{:.3} us", microseconds(found.bound.time(Timing::Asynchronous, size))),
            format!("{:.2}", microseconds(ours) / row.microseconds),
        ])
    });
    cells.collect()
}
