//! The document on designing an interconnect by multi-objective evolution.

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
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, ensure};
use lockstep::design::{CablingCode, Machine, PortRule};
use lockstep::flow::Workload;
use lockstep::pareto::SelectionAlgorithm;
use lockstep_report::{BarChart, BarSeries, bars_svg};

use crate::reproduce::{Arguments, Method};
use columns::{Budget, Runs};
use figures::Figures;
use simulated::{Entry, ROUTINGS, Times, irregular};

/// Links whose objectives are compared as predictors.
const PREDICTED_LINKS: [u32; 3] = [4, 8, 12];

/// Networks of Figure 5 as the document names them: f1 and f2 of 8 links, and the share of cables that may leave.
const FIGURE_5: [([f64; 2], f64); 3] = [([106.0, 13.0], 0.25), ([124.0, 12.0], 0.5), ([150.0, 11.0], 0.75)];

/// Tasks on a router, fewer and more.
const TASKS: [NonZeroU32; 2] = [NonZeroU32::MIN, NonZeroU32::new(4).expect("not 0")];

/// Reproduces tables and figures, writes the report, and fails if something does not come out as it must.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { table, runs, seed, engine, quick, .. } = arguments;
    ensure!(
        table.is_none_or(|table| (2..=3).contains(&table)),
        "--table {}: the document has Tables II and III, 2 and 3",
        table.unwrap_or_default()
    );
    ensure!(*engine == Method::Auto, "--engine: the document's algorithms are all there; leave it out");
    let figures = Figures::read()?;
    let runs = runs.unwrap_or(if *quick { 1 } else { figures.runs });
    let wanted: Vec<_> = figures.columns.iter().filter(|one| table.is_none_or(|table| table == one.table)).collect();

    let mut clock = Clock::start();
    let columns = columns::reproduce(&wanted, &Budget::ALL, runs, *seed)?;
    clock.lap("Tables II and III");
    let machine = Machine::new(8, 16, 1)?;
    let drawn = networks::drawn(&figures.figure2)?;
    let enumeration = networks::surveyed(machine, figures.survey.links)?;
    let picks = networks::measured(machine, &figures.picks)?;
    clock.lap("all networks of 4 links, and the picks");
    let mut claims = claims::of_networks(&figures, drawn, &enumeration, &picks);
    claims.extend(claims::of_columns(&columns));
    if table.is_some() {
        let report =
            report::Report { runs, seed: *seed, columns, enumeration, picks, claims, ..report::Report::default() };
        return finish(arguments, &report, Vec::new());
    }

    let overrated = match first(&columns) {
        Some(runs) => overrated::overrated(runs)?,
        None => Vec::new(),
    };
    clock.lap("the luck of Kernighan and Lin's algorithm");
    let figure_4 = figure_4(machine, &figures)?;
    let figure_5 = figure_5(&columns)?;
    clock.lap("Figures 4 and 5");
    claims.extend(claims::of_figure_4(&figure_4[0]));
    claims.extend(claims::of_figure_5(&figure_5[0]));
    let charts = vec![
        ("exanest-figure-4", chart("Figure 4: 32 routers, one task each", &figure_4[0])),
        ("exanest-figure-5", chart("Figure 5: 128 routers, one task each", &figure_5[0])),
    ];
    let beyond = if *quick { None } else { Some(beyond(machine, &figures, *seed, &mut clock)?) };
    let report = report::Report {
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
    finish(arguments, &report, charts)
}

/// Writes what came out.
fn finish(arguments: &Arguments, report: &report::Report<'_>, charts: Vec<(&str, String)>) -> Result<ExitCode> {
    print!("{}", report.summary());
    arguments.write("exanest", &[("md", report.markdown()), ("csv", report.csv())])?;
    for (stem, chart) in charts {
        arguments.write(stem, &[("svg", chart)])?;
    }
    if report.claims.iter().all(claims::Claim::holds) {
        return Ok(ExitCode::SUCCESS);
    }
    for claim in report.claims.iter().filter(|claim| !claim.holds()) {
        eprintln!("not as it must be: {}: {}", claim.about, claim.ours);
    }
    Ok(ExitCode::FAILURE)
}

/// What is done when, for people who wait.
struct Clock {
    begin: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Clock {
    fn start() -> Self {
        Self { begin: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, what: &'static str) {
        let seconds = self.begin.elapsed().as_secs_f64() - self.laps.iter().map(|(_, seconds)| seconds).sum::<f64>();
        eprintln!("{what}: {seconds:.1} s");
        self.laps.push((what, seconds));
    }
}

/// The runs of the document's first column, as stated.
fn first<'a, 'b>(columns: &'a [Runs<'b>]) -> Option<&'a Runs<'b>> {
    columns.iter().find(|runs| {
        (runs.column.table, runs.column.algorithm, runs.budget) == (2, SelectionAlgorithm::Nsga2, Budget::Stated)
    })
}

/// The networks of Figure 4, by tasks on a router.
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

/// Networks like those of Figure 5, by tasks on a router.
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

/// What goes beyond the document.
fn beyond(machine: Machine, figures: &Figures, seed: u64, clock: &mut Clock) -> Result<report::Beyond> {
    let honest = beyond::honest(machine, PortRule::Any, seed)?;
    let equal_ports = beyond::honest(machine, PortRule::Equal, seed)?;
    clock.lap("honest fronts");
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
        let alike = honest.iter().filter(|design| design.links == links);
        named
            .extend(alike.map(|one| (format!("{}-{:.1}-{links}, honest", one.width.cut, one.paths), one.code.clone())));
        rivals.push((links, beyond::rivals(machine, links, &named, seed)?));
    }
    clock.lap("against random networks");
    Ok(report::Beyond { honest, equal_ports, predictors, rivals })
}
