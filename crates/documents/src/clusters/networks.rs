//! Networks for all-gathers beside the published front.

use std::time::Instant;

use anyhow::Result;
use lockstep::design::{AllGatherSearch, ChannelRule};
use lockstep_report::Table;

use super::page::TEMPLATE;
use super::published::Networks;

pub(super) fn block(published: &Networks) -> Result<String> {
    let Networks { order, degree, .. } = *published;
    eprintln!("{order} nodes of degree {degree}");
    let started = Instant::now();
    let mut search = AllGatherSearch::new(order, degree, ChannelRule::Any, 1)?;
    while !search.is_over() {
        search.advance();
    }
    let seconds = format!("{:.1}", started.elapsed().as_secs_f64());
    let mut table = Table::new(["by", "stages", "bandwidth", "exact", "network"]);
    for row in &published.rows {
        let bandwidth = format!("{:.3}", row.bandwidth);
        table.push(["paper".to_owned(), row.stages.to_string(), bandwidth, "-".to_owned(), row.name.clone()]);
    }
    for design in search.front() {
        let [numerator, denominator] = design.bandwidth();
        table.push([
            "ours".to_owned(),
            design.stages().to_string(),
            format!("{:.3}", numerator as f64 / denominator as f64),
            format!("{numerator}/{denominator}"),
            format!("`{}`", design.spec()),
        ]);
    }
    Ok(TEMPLATE.fill(
        "networks",
        &[
            ("order", &order),
            ("degree", &degree),
            ("source", &published.source),
            ("seconds", &seconds),
            ("rows", &table.to_markdown()),
        ],
    ))
}
