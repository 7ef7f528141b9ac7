//! The tables that compare our schedules with those of other programs.

use std::time::Duration;

use lockstep_report::Table;

use super::amounts::{memory, time};
use super::integer_programme::Answer;
use super::measure::{MeasuredRow, PROGRAMME_LIMIT};

/// Returns one row per network.
pub(super) fn table(measured: &[MeasuredRow<'_>]) -> Table {
    let others = measured.iter().any(|one| one.row.tacos.is_some() || one.row.sccl.is_some());
    let header = ["network", "nodes", "bound", "rule", "steps", "at the bound", "time", "process", "memory", "by"];
    let programmes = measured.iter().any(|one| one.programme.is_some());
    let rivals = others.then_some(["TACOS", "SCCL"]).into_iter().flatten();
    let mut table = Table::new(header.into_iter().chain(rivals).chain(programmes.then_some("integer programme")));
    for one in measured {
        let steps = || one.runs.iter().map(|run| run.steps);
        let (runs, least) = (one.runs.len(), steps().min().unwrap_or(0));
        let mean = steps().map(f64::from).sum::<f64>() / runs as f64;
        let reached = steps().filter(|&steps| steps == one.bound).count();
        let steps = if mean > f64::from(least) { format!("{least} / {mean:.2}") } else { least.to_string() };
        let mut cells = vec![
            one.row.name.clone(),
            one.terminals.to_string(),
            one.bound.to_string(),
            one.rule.clone(),
            steps,
            format!("{reached} of {runs}"),
            time(one.time),
            time(one.process.time),
            memory(one.process.peak),
            one.engine.clone(),
        ];
        if others {
            cells.extend(
                [&one.row.tacos, &one.row.sccl]
                    .map(|figure| figure.as_ref().map_or("-".to_owned(), ToString::to_string)),
            );
        }
        if programmes {
            cells.push(one.programme.map_or("-".to_owned(), |(answer, taken)| programme(answer, taken)));
        }
        table.push(cells);
    }
    table
}

fn programme(answer: Answer, taken: Duration) -> String {
    match answer {
        Answer::Optimal(steps) => format!("{steps}, {}", time(taken)),
        Answer::TimeLimit => format!("none in {} s", PROGRAMME_LIMIT.as_secs()),
        Answer::Numerical => "the solver failed numerically".to_owned(),
        Answer::TooLarge(variables) => format!("too large: {variables} variables"),
    }
}

/// Lists the seeds of the runs above the bound, for each row where some runs meet it.
pub(super) fn misses(measured: &[MeasuredRow<'_>]) -> Vec<String> {
    let of = |one: &MeasuredRow<'_>| {
        let missed: Vec<String> =
            one.runs.iter().filter(|run| run.steps > one.bound).map(|run| run.seed.to_string()).collect();
        let is_mixed = !missed.is_empty() && missed.len() < one.runs.len();
        is_mixed.then(|| format!("{}: {}", one.row.name, missed.join(", ")))
    };
    measured.iter().filter_map(of).collect()
}
