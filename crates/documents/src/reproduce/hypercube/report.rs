//! The report: the formulas and tables of the lecture with our figures.

use std::time::Duration;

use lockstep_report::Table;

use super::cube::CubeFigures;
use super::figures::Figures;
use super::lecture::LectureTables;
use super::planned::PlannedBroadcast;
use super::torus::TorusBroadcast;
use crate::reproduce::figure_table::{Column, Compared, FigureTable};
use crate::reproduce::report_text::ReportText;
use crate::template::Template;

const TEMPLATE: Template = Template::new(include_str!("../../../templates/hypercube.md"));

/// The columns of the figures.
const COLUMNS: [Column; 9] = [
    Column("part", Compared::Key),
    Column("network", Compared::Key),
    Column("case", Compared::Key),
    Column("document_rounds", Compared::Equal),
    Column("rounds", Compared::Fewer),
    Column("bound", Compared::More),
    Column("document_transmissions", Compared::Equal),
    Column("transmissions", Compared::Equal),
    Column("verdict", Compared::Derived),
];

/// The results for all formulas and tables.
pub(super) struct HypercubeReport<'a> {
    pub(super) figures: &'a Figures,
    /// By dimension.
    pub(super) cubes: Vec<Vec<CubeFigures>>,
    pub(super) lecture: LectureTables,
    pub(super) tilings: Vec<TorusBroadcast>,
    pub(super) diagonals: Vec<TorusBroadcast>,
    /// Only the sides that have a subgroup chain.
    pub(super) chains: Vec<TorusBroadcast>,
    pub(super) planned: Vec<PlannedBroadcast>,
}

impl HypercubeReport<'_> {
    /// Returns true if each figure of the lecture is reached.
    pub(super) fn holds(&self) -> bool {
        let above = self.figures.torus.diagonals.rounds_above_the_bound;
        self.cubes.iter().flatten().all(CubeFigures::holds)
            && self.lecture.links_agree
            && self.tilings.iter().all(|tiling| tiling.holds(0))
            && self.chains.iter().all(|chain| chain.holds(above))
            && self.diagonals.iter().all(|diagonals| diagonals.holds(above.min(1)))
    }

    /// Returns the report.
    pub(super) fn text(&self) -> ReportText {
        let mut report = ReportText::new(TEMPLATE);
        report.add("head", &[]);
        for formulas in &self.figures.collectives {
            report.add(
                "collective",
                &[
                    ("collective", &formulas.collective.to_uppercase()),
                    ("rounds", &formulas.rounds),
                    ("transmissions", &formulas.transmissions),
                    ("table", &self.collective(&formulas.collective).to_markdown()),
                ],
            );
        }
        let lecture = &self.lecture;
        report.add(
            "lecture",
            &[
                ("division", &lecture.division.to_markdown()),
                ("links", &lecture.links.to_markdown()),
                ("routing", &lecture.routing.to_markdown()),
            ],
        );
        for (dimension, table) in &lecture.exchange {
            report.add("exchange", &[("dimension", dimension), ("table", &table.to_markdown())]);
        }
        let torus = &self.figures.torus;
        report.add(
            "tori",
            &[
                ("tiling_rounds", &torus.tiling.rounds),
                ("tiling_transmissions", &torus.tiling.transmissions),
                ("tilings", &broadcasts(&self.tilings).to_markdown()),
                ("diagonal_rounds", &torus.diagonals.rounds),
                ("above", &torus.diagonals.rounds_above_the_bound),
                ("diagonals", &broadcasts(&self.diagonals).to_markdown()),
                ("chains", &broadcasts(&self.chains).to_markdown()),
                ("planned", &self.planned().to_markdown()),
            ],
        );
        for (title, table) in self.methods_and_times() {
            report.add_uncompared("methods-and-times", &[("title", &title), ("table", &table.to_markdown())]);
        }
        report
    }

    fn collective(&self, name: &str) -> Table {
        let mut table = Table::new([
            "d",
            "formula",
            "schedule",
            "bound",
            "formula, transmissions",
            "schedule, transmissions",
            "verified",
            "verdict",
        ]);
        for row in self.cubes.iter().flatten().filter(|row| row.collective.abbreviation() == name) {
            table.push([
                row.dimension.to_string(),
                row.formula.rounds.to_string(),
                row.verified.rounds.to_string(),
                row.bound.to_string(),
                row.formula.transmissions.to_string(),
                row.verified.transmissions.to_string(),
                if row.is_explicit { "explicit" } else { "symmetric" }.to_owned(),
                cube_verdict(row),
            ]);
        }
        table
    }

    /// Returns one row per collective on a hypercube, and one per broadcast.
    pub(super) fn figure_table(&self) -> FigureTable {
        let mut table = FigureTable::new(&COLUMNS);
        for row in self.cubes.iter().flatten() {
            table.push([
                "hypercube".to_owned(),
                format!("hypercube:{}", row.dimension),
                row.collective.abbreviation().to_owned(),
                row.formula.rounds.to_string(),
                row.verified.rounds.to_string(),
                row.bound.to_string(),
                row.formula.transmissions.to_string(),
                row.verified.transmissions.to_string(),
                cube_verdict(row),
            ]);
        }
        for (part, broadcast) in self.torus_broadcasts() {
            table.push([
                part.to_owned(),
                format!("torus:{0}x{0}", broadcast.side),
                String::new(),
                String::new(),
                broadcast.rounds.to_string(),
                broadcast.bound.to_string(),
                String::new(),
                broadcast.transmissions.to_string(),
                verdict(broadcast.rounds, broadcast.bound),
            ]);
        }
        for planned in &self.planned {
            table.push([
                "planned".to_owned(),
                planned.spec.to_owned(),
                planned.routing.to_owned(),
                String::new(),
                planned.steps.to_string(),
                planned.bound.to_string(),
                String::new(),
                String::new(),
                verdict(planned.steps, planned.bound),
            ]);
        }
        table
    }

    /// Returns the broadcasts on square tori with the names of their constructions.
    fn torus_broadcasts(&self) -> impl Iterator<Item = (&'static str, &TorusBroadcast)> {
        let parts = [("tiling", &self.tilings), ("diagonals", &self.diagonals), ("subgroup chain", &self.chains)];
        parts.into_iter().flat_map(|(part, broadcasts)| broadcasts.iter().map(move |broadcast| (part, broadcast)))
    }

    fn planned(&self) -> Table {
        let mut table = Table::new(["network", "routing", "rounds", "bound", "verdict"]);
        for planned in &self.planned {
            table.push([
                planned.spec.to_owned(),
                planned.routing.to_owned(),
                planned.steps.to_string(),
                planned.bound.to_string(),
                verdict(planned.steps, planned.bound),
            ]);
        }
        table
    }

    /// Returns tables with their titles: the rules of the bounds, the methods of the planner, and the times.
    fn methods_and_times(&self) -> [(&'static str, Table); 4] {
        let by_dimension = |cell: &dyn Fn(&CubeFigures) -> String| {
            let names = self.figures.collectives.iter().map(|formulas| formulas.collective.to_uppercase());
            let mut table = Table::new(["d".to_owned()].into_iter().chain(names));
            for rows in &self.cubes {
                let dimension = rows.first().map(|row| row.dimension.to_string()).unwrap_or_default();
                table.push([dimension].into_iter().chain(rows.iter().map(cell)));
            }
            table
        };
        let mut tori = Table::new(["torus", "construction", "time"]);
        for (name, broadcast) in self.torus_broadcasts() {
            tori.push([format!("{0} x {0}", broadcast.side), name.to_owned(), milliseconds(broadcast.time)]);
        }
        let mut planned = Table::new(["network", "routing", "found by", "time"]);
        for one in &self.planned {
            planned.push([one.spec.to_owned(), one.routing.to_owned(), one.finder.clone(), milliseconds(one.time)]);
        }
        [
            ("Hypercubes: rules of the bounds", by_dimension(&|row| row.rule.clone())),
            ("Hypercubes: times", by_dimension(&|row| milliseconds(row.time))),
            ("Tori: times", tori),
            ("Other broadcasts: methods and times", planned),
        ]
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn cube_verdict(row: &CubeFigures) -> String {
    if row.holds() { "optimal" } else { "differs" }.to_owned()
}

fn verdict(rounds: u32, bound: u32) -> String {
    match rounds.checked_sub(bound) {
        Some(0) => "optimal".to_owned(),
        Some(above) => format!("bound + {above}"),
        None => "differs".to_owned(),
    }
}

fn broadcasts(broadcasts: &[TorusBroadcast]) -> Table {
    let mut table = Table::new(["torus", "rounds", "ceil(log5 of the nodes)", "transmissions", "verdict"]);
    for broadcast in broadcasts {
        table.push([
            format!("{0} x {0}", broadcast.side),
            broadcast.rounds.to_string(),
            broadcast.bound.to_string(),
            broadcast.transmissions.to_string(),
            verdict(broadcast.rounds, broadcast.bound),
        ]);
    }
    table
}
