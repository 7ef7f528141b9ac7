//! The sizes for which each schedule of a front is best.

use lockstep::topology::Quantity;
use lockstep::{Front, FrontPlan};
use serde::Serialize;

/// A row of the table of sizes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Range {
    pub(super) from_bytes: u64,
    pub(super) to_bytes: u64,
    pub(super) file: String,
    chunks: u32,
    steps: u32,
    width_sum: u64,
    latency_ps: u128,
    engine: String,
}

/// Returns the ranges of sizes in which each schedule is best.
pub(super) fn ranges(front: &Front, sizes: [u64; 2]) -> Vec<Range> {
    let ends = front.plans.iter().skip(1).map(|next| next.least_size - 1).chain([sizes[1]]);
    let range = |(place, (plan, to_bytes)): (usize, (&FrontPlan, u64))| Range {
        from_bytes: plan.least_size,
        to_bytes,
        file: plan_name(place),
        chunks: plan.file.collective().chunks().get(),
        steps: plan.steps,
        width_sum: plan.cost.width_sum,
        latency_ps: plan.cost.latency_ps,
        engine: plan.engine.clone(),
    };
    front.plans.iter().zip(ends).enumerate().map(range).collect()
}

/// Returns the name of the file of a plan. `place` counts from 0.
pub(super) fn plan_name(place: usize) -> String {
    format!("plan-{}.json", place + 1)
}

/// Returns a size in bytes, with at most three decimals.
pub(super) fn size(bytes: u64) -> String {
    let exact = Quantity::Size.format(bytes);
    let is_short = exact.split_once('.').is_none_or(|(_, fraction)| fraction.len() <= 5);
    if is_short {
        return exact;
    }
    let (unit, name) = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
        .into_iter()
        .find(|&(unit, _)| bytes >= unit)
        .unwrap_or((1, "B"));
    format!("{:.3}{name}", bytes as f64 / unit as f64)
}
