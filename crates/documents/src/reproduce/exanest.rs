//! The paper on interconnects designed by multi-objective evolution.

mod beyond;
mod claims;
mod columns;
mod figures;
mod networks;
mod overrated;
mod report;
mod simulated;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::time::Instant;

use anyhow::{Result, ensure};
use lockstep::design::{CablingCode, Machine, PortRule};
use lockstep::flow::Workload;
use lockstep::pareto::SelectionAlgorithm;
use lockstep_report::{BarChart, BarSeries, bars_svg};

use super::arguments::{Arguments, Method};
use super::reproduction::Reproduction;
use super::tally::Tally;
use beyond::PREDICTED_LINKS;
use columns::{Budget, Runs};
use figures::Figures;
use report::ExanestReport;
use simulated::{Entry, ROUTINGS, Times, irregular};

/// The networks of Figure 5: published f1 and f2 with 8 links, and the share of external cables.
const FIGURE_5: [([f64; 2], f64); 3] = [([106.0, 13.0], 0.25), ([124.0, 12.0], 0.5), ([150.0, 11.0], 0.75)];

/// Tasks per router.
const TASKS: [NonZeroU32; 2] = [NonZeroU32::MIN, NonZeroU32::new(4).expect("4 is not 0")];

/// Reproduces tables and figures. A failure is a claim whose verdict is not the expected one.
pub(super) fn run(arguments: &Arguments) -> Result<Reproduction> {
    let Arguments { table, runs, seed, engine, quick, .. } = arguments;
    ensure!(
        table.is_none_or(|table| (2..=3).contains(&table)),
        "--table {}: the paper has Tables II and III: 2 and 3",
        table.unwrap_or_default()
    );
    ensure!(*engine == Method::Auto, "--engine: all algorithms of the paper are run; leave the option out");
    let figures = Figures::read()?;
    let runs = runs.unwrap_or(if *quick { 1 } else { figures.runs });
    let wanted: Vec<_> = figures.columns.iter().filter(|one| table.is_none_or(|table| table == one.table)).collect();

    let parts = if table.is_some() {
        2
    } else if *quick {
        4
    } else {
        7
    };
    let mut clock = Clock::start(parts);
    let columns = columns::reproduce(&wanted, &Budget::ALL, runs, *seed)?;
    clock.lap("Tables II and III");
    let machine = Machine::new(8, 16, 1)?;
    let drawn = networks::drawn(&figures.figure2)?;
    let enumeration = networks::enumerated(machine, figures.survey.links)?;
    let picks = networks::measured(machine, &figures.picks)?;
    clock.lap("all networks of 4 links, and the picks");
    let mut claims = claims::of_networks(&figures, drawn, &enumeration, &picks);
    claims.extend(claims::of_columns(&columns));
    if table.is_some() {
        let report =
            ExanestReport { runs, seed: *seed, columns, enumeration, picks, claims, ..ExanestReport::default() };
        return Ok(reproduction(&report, Vec::new()));
    }

    let overrated = match first(&columns) {
        Some(runs) => overrated::overrated(runs)?,
        None => Vec::new(),
    };
    clock.lap("bisection widths of the highest f1");
    let figure_4 = figure_4(machine, &figures)?;
    let figure_5 = figure_5(&columns)?;
    clock.lap("Figures 4 and 5");
    claims.extend(claims::of_figure_4(&figure_4[0]));
    claims.extend(claims::of_figure_5(&figure_5[0]));
    let charts = vec![
        ("exanest-figure-4.svg".to_owned(), chart("Figure 4: 32 routers, one task each", &figure_4[0])),
        ("exanest-figure-5.svg".to_owned(), chart("Figure 5: 128 routers, one task each", &figure_5[0])),
    ];
    let beyond = if *quick { None } else { Some(beyond(machine, &figures, *seed, &mut clock)?) };
    let report = ExanestReport {
        runs,
        seed: *seed,
        columns,
        enumeration,
        picks,
        overrated,
        figure_4,
        figure_5,
        beyond,
        claims,
        laps: clock.laps,
    };
    Ok(reproduction(&report, charts))
}

fn reproduction(report: &ExanestReport<'_>, charts: Vec<(String, String)>) -> Reproduction {
    let unexpected = report.claims.iter().filter(|claim| !claim.holds());
    let failures = unexpected.map(|claim| format!("unexpected: {}: {}", claim.about(), claim.ours)).collect();
    Reproduction { stem: "exanest", report: report.text(), figures: report.figure_table(), pictures: charts, failures }
}

/// The times of the parts, printed as they end.
struct Clock {
    begin: Instant,
    tally: Tally,
    laps: Vec<(&'static str, f64)>,
}

impl Clock {
    /// Begins work of this number of parts.
    fn start(parts: usize) -> Self {
        Self { begin: Instant::now(), tally: Tally::new(parts), laps: Vec::new() }
    }

    fn lap(&mut self, part: &'static str) {
        let seconds = self.begin.elapsed().as_secs_f64() - self.laps.iter().map(|(_, seconds)| seconds).sum::<f64>();
        self.tally.done(None, None, part);
        self.laps.push((part, seconds));
    }
}

/// Returns the runs of the first published column with the stated budget.
fn first<'a, 'b>(columns: &'a [Runs<'b>]) -> Option<&'a Runs<'b>> {
    columns.iter().find(|runs| {
        (runs.column.table, runs.column.algorithm, runs.budget) == (2, SelectionAlgorithm::Nsga2, Budget::Stated)
    })
}

/// Simulates the networks of Figure 4, by tasks per router.
fn figure_4(machine: Machine, figures: &Figures) -> Result<[Vec<Times>; 2]> {
    let pick = |name: &str| -> Result<Option<Entry>> {
        let Some(pick) = figures.picks.iter().find(|pick| pick.name == name) else { return Ok(None) };
        Ok(Some(Entry { name: pick.name.clone(), networks: vec![machine.topology(&pick.code)?] }))
    };
    let mut entries = Vec::new();
    for (names, links) in [(&["22-2-4", "8-33-4"][..], 4), (&["38-14-8"], 8), (&["74-6-12", "72-16-12"], 12)] {
        for name in names {
            entries.extend(pick(name)?);
        }
        entries.push(irregular(machine.router_count(), links)?);
    }
    let [few, many] = TASKS.map(|tasks| simulated::times(&entries, Workload::Chained, tasks));
    Ok([few?, many?])
}

/// Simulates networks like those of Figure 5, by tasks per router.
fn figure_5(columns: &[Runs<'_>]) -> Result<[Vec<Times>; 2]> {
    let mut entries = networks::alike(columns, 8, &FIGURE_5)?;
    entries.push(irregular(128, 8)?);
    let [few, many] = TASKS.map(|tasks| simulated::times(&entries, Workload::Chained, tasks));
    Ok([few?, many?])
}

fn chart(title: &str, times: &[Times]) -> String {
    let series = |(routing, (name, _)): (usize, &(&str, _))| BarSeries {
        name: (*name).to_owned(),
        values: times.iter().map(|entry| entry.means()[routing]).collect(),
    };
    bars_svg(&BarChart {
        title: title.to_owned(),
        y: "time units".to_owned(),
        groups: times.iter().map(|entry| entry.name.clone()).collect(),
        series: ROUTINGS.iter().enumerate().map(series).collect(),
    })
}

/// Computes the results beyond the paper.
fn beyond(machine: Machine, figures: &Figures, seed: u64, clock: &mut Clock) -> Result<report::Beyond> {
    let designs = beyond::proved_front(machine, PortRule::Any, seed)?;
    let equal_ports = beyond::proved_front(machine, PortRule::Equal, seed)?;
    clock.lap("fronts with proved widths");
    let predictors = beyond::predictors(machine, &PREDICTED_LINKS, seed)?;
    clock.lap("predictors");
    let mut rivals = Vec::new();
    for links in PREDICTED_LINKS {
        let is_it = |name: &str| name.rsplit('-').next() == Some(links.to_string().as_str());
        let mut named: Vec<(String, CablingCode)> = figures
            .picks
            .iter()
            .filter(|pick| is_it(&pick.name) && pick.name != "20-3-4")
            .map(|pick| (pick.name.clone(), pick.code.clone()))
            .collect();
        let alike = designs.iter().filter(|design| design.links == links);
        named
            .extend(alike.map(|one| (format!("{}-{:.1}-{links}, proved", one.width.cut, one.paths), one.code.clone())));
        rivals.push((links, beyond::rivals(machine, links, &named, seed)?));
    }
    clock.lap("against random networks");
    Ok(report::Beyond { designs, equal_ports, predictors, rivals })
}
