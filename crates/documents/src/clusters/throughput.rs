//! The least number of steps per chunk, and schedules that come close to it.

use anyhow::{Context, Result};
use lockstep::bounds::throughput;
use lockstep::{Budget, Collective, DEFAULT_EVALUATIONS, PlanOptions, Planner, Problem, Topology};
use lockstep_report::Table;

use super::page::TEMPLATE;
use super::published::Throughput;

/// Schedules have at most this number of chunks.
const MAX_CHUNKS: u64 = 64;

/// A number with many divisors: the quotient of a certificate for as many chunks is exact.
const CHUNKS: u64 = 60;

pub(super) fn block(published: &Throughput) -> Result<String> {
    let mut table = Table::new(["network", "switching", "published", "ours", "chunks", "steps", "at least", "above"]);
    for row in &published.rows {
        eprintln!("{}", row.network);
        let topology: Topology = row.network.parse()?;
        let (switching, model) = row.model();
        let model = model.on(&topology);
        let collective = |chunks: u64| {
            let chunks = u32::try_from(chunks).ok().and_then(|chunks| chunks.try_into().ok());
            Ok::<_, anyhow::Error>(Collective::all_gather().with_chunks(chunks.context("the number of chunks")?))
        };
        let in_many = collective(CHUNKS)?;
        let problem = Problem::new(&topology, &in_many, model)?;
        let bound = throughput(&problem, &Budget::unlimited()).context("no bound")?;
        bound.check(&problem)?;
        let [numerator, denominator] = bound.certificate.quotient().context("no quotient")?;
        let [numerator, denominator] = lowest_terms([numerator, denominator * CHUNKS]);
        let chunks = MAX_CHUNKS / denominator * denominator;
        let in_chunks = collective(chunks)?;
        let problem = Problem::new(&topology, &in_chunks, model)?;
        let plan =
            Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(DEFAULT_EVALUATIONS), |_| {})?;
        let (steps, optimum) = (u64::from(plan.step_count()), chunks / denominator * numerator);
        let [published_numerator, published_denominator] = row.steps_per_chunk;
        table.push([
            row.network.clone(),
            switching.to_owned(),
            format!("{published_numerator}/{published_denominator}"),
            format!("{numerator}/{denominator}"),
            chunks.to_string(),
            steps.to_string(),
            plan.lower_bound().steps.to_string(),
            format!("{:.1} %", (steps as f64 / optimum as f64 - 1.0) * 100.0),
        ]);
    }
    let rows = table.to_markdown();
    Ok(TEMPLATE.fill("throughput", &[("source", &published.source), ("rows", &rows)]))
}

fn lowest_terms([numerator, denominator]: [u64; 2]) -> [u64; 2] {
    let (mut a, mut b) = (numerator, denominator);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    [numerator, denominator].map(|number| number / a.max(1))
}
