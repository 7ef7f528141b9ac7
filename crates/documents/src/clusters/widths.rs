//! The front of DGX-1, as steps, widths and chunks.

use anyhow::Result;
use lockstep::{Budget, Collective, CommunicationModel, FrontOptions, Problem, Topology, front};
use lockstep_report::Table;

use super::page::TEMPLATE;
use super::published::Widths;

pub(super) fn block(published: &Widths) -> Result<String> {
    eprintln!("{}", published.network);
    let topology: Topology = published.network.parse()?;
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward())?;
    let found = front(&problem, &FrontOptions::default(), &Budget::unlimited(), |_| {})?;
    let triple = |[steps, width, chunks]: [u64; 3]| format!("({steps}, {width}, {chunks})");
    let ours = found.plans.iter().map(|plan| {
        let chunks = plan.file.collective().chunks().get();
        (plan.least_size, triple([plan.steps.into(), plan.cost.width_sum, chunks.into()]))
    });
    let mut table = Table::new(["best from", "ours: steps, width sum, chunks", "published"]);
    for (least_size, ours) in ours {
        let is_ours = |published: &&[u64; 3]| triple(**published) == ours;
        let published = published.schedules.iter().find(is_ours).map_or("-".to_owned(), |&schedule| triple(schedule));
        table.push([format!("{least_size} bytes"), ours, published]);
    }
    let [numerator, denominator] = found.bound.width_per_chunk(&problem);
    Ok(TEMPLATE.fill(
        "widths",
        &[
            ("network", &published.network),
            ("source", &published.source),
            ("rows", &table.to_markdown()),
            ("least", &format!("{numerator}/{denominator}")),
        ],
    ))
}
