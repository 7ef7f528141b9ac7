//! The document on designing an interconnect by multi-objective evolution.

mod columns;
mod figures;

use std::process::ExitCode;

use anyhow::Result;

use crate::reproduce::Arguments;
use figures::Figures;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let figures = Figures::read()?;
    let columns: Vec<_> = figures.columns.iter().filter(|column| arguments.table.is_none_or(|table| table == column.table)).collect();
    let begin = std::time::Instant::now();
    let results = columns::reproduce(&columns, arguments.runs.unwrap_or(10), arguments.seed)?;
    for runs in &results {
        println!("table {} {} {} {:?} longest {:?}", runs.column.table, runs.column.external, runs.column.algorithm, runs.budget.generations(runs.column.algorithm), runs.longest);
        for group in &runs.column.groups {
            let (cut, paths) = (runs.cut(group.links), runs.paths(group.links));
            if let (Some(cut), Some(paths)) = (cut, paths) {
                println!("{:3} {:4} | {:7.2} {:7.2} ({:+5.1}%) sd {:5.2} | {:6.2} {:8.2} sd {:6.2}", group.links, cut.count, group.cut[0], cut.mean, 100.0*(cut.mean/group.cut[0]-1.0), cut.deviation, group.paths[0], paths.mean, paths.deviation);
            }
        }
        println!("hv {:?}", runs.hypervolume()?.map(|s| (s.mean, s.deviation)));
    }
    println!("{:?}", begin.elapsed());
    Ok(ExitCode::SUCCESS)
}
