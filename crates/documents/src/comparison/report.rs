//! The document `docs/benchmarks.md`.

use std::fmt::Display;

use super::comparison_table::{self, misses};
use super::files::Files;
use super::growth::{self, Curve};
use super::large::{self, LargeRun};
use super::measure::{MeasuredRow, PROGRAMME_LIMIT};
use super::others_win::others_win;
use super::rows::RowTable;
use super::search::Searches;
use super::seeds::Seeds;
use super::simulation::{self, SimulationCurve};
use super::stages::StageTimes;
use super::targets::Targets;
use super::threads::{self, ThreadTimes};
use crate::machine::machine;
use crate::template::{Template, Values};

const TEMPLATE: Template = Template::new(include_str!("../../templates/benchmarks.md"));

/// All measurements. Sections that were not measured are empty.
pub(super) struct ComparisonReport<'a> {
    pub(super) source: &'a str,
    pub(super) targets: &'a Targets,
    pub(super) seeds: Seeds,
    pub(super) tables: Vec<(&'a RowTable, Vec<MeasuredRow<'a>>)>,
    pub(super) large: Vec<LargeRun>,
    pub(super) files: Option<Files>,
    pub(super) searches: Option<Searches>,
    pub(super) simulations: Vec<SimulationCurve>,
    pub(super) growth: Vec<Curve>,
    pub(super) stages: Vec<StageTimes>,
}

impl ComparisonReport<'_> {
    /// Returns the document.
    pub(super) fn markdown(mut self) -> String {
        let head: Values<'_> = &[
            ("seeds", &self.seeds.count),
            ("seed", &self.seeds.first),
            ("machine", &machine()),
            ("source", &self.source),
            ("limit", &PROGRAMME_LIMIT.as_secs()),
        ];
        let mut blocks = vec![TEMPLATE.fill("head", head)];
        for (table, measured) in &self.tables {
            let rows = comparison_table::table(measured).to_markdown();
            blocks.push(TEMPLATE.fill("table", &[("title", &table.title), ("about", &table.about), ("rows", &rows)]));
            let misses = misses(measured).join("; ");
            blocks.extend((!misses.is_empty()).then(|| TEMPLATE.fill("misses", &[("misses", &misses)])));
        }
        blocks.extend(self.sections_with_targets());
        let rows = threads::table(self.threads()).map(|table| table.to_markdown());
        blocks.extend(rows.map(|rows| TEMPLATE.fill("threads", &[("rows", &rows)])));
        blocks.push(self.others());
        let simulated = std::mem::take(&mut self.simulations).into_iter().map(SimulationCurve::into_curve);
        self.growth.extend(simulated);
        let rows = |growth: &[Curve]| growth::table(growth).to_markdown();
        blocks.extend((!self.growth.is_empty()).then(|| TEMPLATE.fill("growth", &[("rows", &rows(&self.growth))])));
        blocks.extend(self.stages());
        blocks.join("\n\n") + "\n"
    }

    fn sections_with_targets(&self) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut add = |block, rows: &[(&str, &dyn Display)]| blocks.push(TEMPLATE.fill(block, rows));
        if !self.large.is_empty() {
            add("large", &[("rows", &large::table(&self.large).to_markdown())]);
        }
        if let Some(files) = &self.files {
            add("files", &[("rows", &files.table(&self.targets.files).to_markdown())]);
        }
        if let Some(searches) = &self.searches {
            let speeds = searches.speeds(&self.targets.search).to_markdown();
            let (records, graphs) = (&self.targets.search.records, searches.graphs().to_markdown());
            add("search", &[("speeds", &speeds), ("records", records), ("graphs", &graphs)]);
        }
        if !self.simulations.is_empty() {
            let rows = simulation::table(&self.simulations).to_markdown();
            add("simulation", &[("network", &self.targets.simulation.network), ("rows", &rows)]);
        }
        blocks
    }

    /// Returns the times of all runs that were measured on one and on two threads.
    fn threads(&self) -> Vec<ThreadTimes> {
        // A row above its bound uses its whole budget on any number of threads.
        let ends = |row: &&MeasuredRow<'_>| row.runs.iter().all(|run| run.steps == row.bound);
        let times = |row: &MeasuredRow<'_>| ThreadTimes {
            name: format!("{}, {}", row.row.name, row.row.collective),
            by: row.engine.clone(),
            one: row.process.time,
            two: row.two_threads.time,
        };
        let compared = self.tables.iter().flat_map(|(_, measured)| measured).filter(ends).map(times);
        let large = self.large.iter().filter_map(LargeRun::threads);
        let files = self.files.iter().flat_map(Files::threads);
        let simulations = self.simulations.iter().filter_map(|curve| curve.threads.clone());
        compared.chain(large).chain(files).chain(simulations).collect()
    }

    /// Lists what other programs do better, and the targets that were not reached.
    fn others(&self) -> String {
        let wins = self.tables.iter().flat_map(|(_, measured)| others_win(measured));
        let wins = wins.chain(self.searches.iter().flat_map(Searches::others_win));
        let files = self.files.iter().flat_map(|files| files.missed(&self.targets.files));
        let searches = self.searches.iter().flat_map(|searches| searches.missed(&self.targets.search));
        let simulations = self.simulations.iter().filter_map(SimulationCurve::missed);
        let missed = self.large.iter().filter_map(LargeRun::missed_line).chain(files).chain(searches);
        let wins = list(wins, "No row qualifies.");
        let missed = list(missed.chain(simulations), "No target was missed.");
        TEMPLATE.fill("others", &[("wins", &wins), ("missed", &missed)])
    }

    fn stages(&self) -> Vec<String> {
        if self.stages.is_empty() {
            return Vec::new();
        }
        let run = |run: &StageTimes| {
            let note = TEMPLATE.fill(run.block, &[]);
            let functions = run.functions.as_ref().map(|functions| functions.table().to_markdown());
            let rows = [Some(run.table().to_markdown()), functions].into_iter().flatten().collect::<Vec<_>>();
            let rows = rows.iter().map(|table| table.trim_end()).collect::<Vec<_>>().join("\n\n");
            TEMPLATE.fill("run", &[("title", &run.title), ("rows", &rows), ("note", &note)])
        };
        [TEMPLATE.fill("stages", &[])].into_iter().chain(self.stages.iter().map(run)).collect()
    }
}

/// Returns one list item per line, or this text without lines.
fn list(lines: impl Iterator<Item = String>, none: &str) -> String {
    let items: Vec<String> = lines.map(|line| format!("- {line}")).collect();
    if items.is_empty() { none.to_owned() } else { items.join("\n") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::files::fake_files;
    use super::super::integer_programme::Answer;
    use super::super::large::fake_run;
    use super::super::measure::fake_row;
    use super::super::search::fake_searches;
    use super::super::simulation::fake_simulation;
    use super::super::stages::fake_stages;
    use super::super::targets::Target;
    use super::*;

    const ANSWERS: [Option<Answer>; 5] =
        [None, Some(Answer::Optimal(4)), Some(Answer::TimeLimit), Some(Answer::TooLarge(9)), Some(Answer::Numerical)];

    fn one_table() -> RowTable {
        let text = r#"{"title": "Some networks", "about": "Store-and-forward.", "rows": [
            {"name": "a ring", "network": "ring:10", "collective": "aas", "tacos": {"steps": 4, "time": "1 ms"}}]}"#;
        serde_json::from_str(text).unwrap()
    }

    /// Every block of the template gets the values that it needs.
    #[test]
    fn a_document_has_all_blocks() {
        let (table, targets) = (one_table(), Targets::read().unwrap());
        let row = &table.rows[0];
        let rows = ANSWERS.map(|answer| fake_row(row, &[4, 5], answer));
        let rows = rows.into_iter().chain([fake_row(row, &[4, 4], None)]).collect();
        let points = [10, 20].map(|nodes| (nodes, Duration::from_millis(nodes as u64))).to_vec();
        let target = Target { seconds: Some(1.0), ..Target::default() };
        let report = ComparisonReport {
            source: "a paper",
            targets: &targets,
            seeds: Seeds { first: 7, count: 2 },
            tables: vec![(&table, rows)],
            large: vec![fake_run(target, Some(5), 4)],
            files: Some(fake_files()),
            searches: Some(fake_searches()),
            simulations: vec![fake_simulation(1.0)],
            growth: vec![Curve { quantity: "plans".to_owned(), unit: "nodes", points }],
            stages: fake_stages(),
        };
        let text = report.markdown();
        for expected in [
            "seeds per row: 2,",
            "Figures of other programs: a paper.",
            "for at\nmost 60 s.",
            "| 4 / 4.50 | 1 of 2 ",
            "| 4, 50 ms ",
            "none in 60 s",
            "too large: 9 variables",
            "the solver failed numerically",
            "Seeds of the runs above the bound: a ring: 8; ",
            "| no: 10.00 s ",
            "| program start ",
            "| ring:10 aas ",
            "- a ring, aas: TACOS needs the same 4 steps and 1.00 ms, and we need 20 ms\n",
            "- a ring, aab: 10.00 s; target 1.00 s\n",
            "- program start: 1.50 ms; target 1.00 ms\n",
            "- UMDA, ring:10 aas: 0.50 million evaluations per second; ",
            "- simulation, max-min, ring:10: 2000 flows in 2.00 s; target 1.00 s\n",
            "| plans ",
            "| other stages (2) ",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        // The rows, a large problem and a verification.
        let compared = text.split("## Two threads").nth(1).unwrap();
        for name in ["a ring, aas ", "a ring, aab ", "verify, ring:1000 "] {
            assert!(compared.contains(name), "{name}: {compared}");
        }
    }

    #[test]
    fn a_document_of_few_sections_has_no_others() {
        let targets = Targets::read().unwrap();
        let report = ComparisonReport {
            source: "a paper",
            targets: &targets,
            seeds: Seeds { first: 7, count: 2 },
            tables: Vec::new(),
            large: Vec::new(),
            files: None,
            searches: None,
            simulations: Vec::new(),
            growth: Vec::new(),
            stages: Vec::new(),
        };
        let text = report.markdown();
        assert!(text.contains("No row qualifies.") && text.contains("No target was missed."), "{text}");
        assert!(!text.contains("## Growth") && !text.contains("## Large problems"), "{text}");
    }
}
