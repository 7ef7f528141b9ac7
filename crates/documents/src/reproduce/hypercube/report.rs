//! The report: the lecture's formulas and tables, ours beside.

use std::fmt::Write;

use lockstep_report::Table;

use super::cube::Row;
use super::figures::Figures;
use super::lecture::Tables;
use super::planned::Planned;
use super::torus::Broadcast;

/// Everything that came out.
pub(super) struct Report<'a> {
    pub(super) figures: &'a Figures,
    /// One entry a dimension.
    pub(super) cubes: Vec<Vec<Row>>,
    pub(super) lecture: Tables,
    pub(super) tilings: Vec<Broadcast>,
    pub(super) diagonals: Vec<Broadcast>,
    /// Where there is one.
    pub(super) chains: Vec<Broadcast>,
    pub(super) planned: Vec<Planned>,
}

const ABOUT: &str = "# Collectives on hypercubes, broadcasts on tori\n\n\
The formulas and example tables of the lecture, ours beside. Written by `cargo xtask reproduce-paper hypercube`.\n\n\
**Hypercubes**: store-and-forward, all ports, full duplex. *Formula* is the lecture's, for rounds and for \
transmissions; *schedule* is what the judge counted. An *explicit* schedule has every transfer written down and passed \
the verifier; a *symmetric* one is the part of one source, judged by the translation principle. *Bound* is the number of \
rounds that no schedule can beat; its certificate was checked in the run that wrote this file.\n\n\
**Tori**: wormhole switching, all ports, full duplex; every transfer went through the streaming judge.\n\n";

impl Report<'_> {
    /// Whether every figure of the lecture is reached.
    pub(super) fn holds(&self) -> bool {
        let above = self.figures.torus.diagonals.rounds_above_the_bound;
        self.cubes.iter().flatten().all(Row::holds)
            && self.lecture.links_agree
            && self.tilings.iter().all(|tiling| tiling.holds(0))
            && self.chains.iter().all(|chain| chain.holds(above))
            && self.diagonals.iter().all(|diagonals| diagonals.holds(above.min(1)))
    }

    /// For a terminal.
    pub(super) fn summary(&self) -> String {
        self.text(Table::to_text, "", "")
    }

    /// The report file.
    pub(super) fn markdown(&self) -> String {
        ABOUT.to_owned() + &self.text(Table::to_markdown, "## ", "\n")
    }

    fn text(&self, write: fn(&Table) -> String, heading: &str, gap: &str) -> String {
        let mut text = String::new();
        let mut section = |title: String, body: String| {
            let _ = write!(text, "{heading}{title}\n{gap}{body}\n");
        };
        for formulas in &self.figures.collectives {
            let name = formulas.collective.to_uppercase();
            let title = format!("{name}: {} rounds, {} transmissions", formulas.rounds, formulas.transmissions);
            section(title, write(&self.collective(&formulas.collective)));
        }
        let lecture = &self.lecture;
        section("Numbering and division of the space 0..31".to_owned(), write(&lecture.division));
        section("m(t) on the 4-cube".to_owned(), write(&lecture.links));
        section(
            "AAB: routing table of node 0110 of the 4-cube, sources by round and link".to_owned(),
            write(&lecture.routing),
        );
        for (dimension, table) in &lecture.exchange {
            let title = format!("AAS: what node 0 of the {dimension}-cube sends, receivers by round and link");
            section(title, write(table));
        }
        let torus = &self.figures.torus;
        let tiling = format!(
            "Torus 5^k x 5^k by tiling: {} rounds, {} transmissions",
            torus.tiling.rounds, torus.tiling.transmissions
        );
        section(tiling, write(&broadcasts(&self.tilings)));
        let diagonals = format!(
            "Torus n x n by diagonals: the lecture {} rounds for n = 5^k, and up to {} above the bound for others",
            torus.diagonals.rounds, torus.diagonals.rounds_above_the_bound
        );
        section(diagonals, write(&broadcasts(&self.diagonals)));
        let chains = "Torus n x n by subgroup chains, which generalise the tiling".to_owned();
        section(chains, write(&broadcasts(&self.chains)));
        let planned = "Other broadcasts, by what the planner picks".to_owned();
        section(planned, write(&self.planned()));
        text
    }

    fn planned(&self) -> Table {
        let mut table = Table::new(["network", "routing", "rounds", "bound", "verdict", "found by", "time"]);
        for planned in &self.planned {
            table.push([
                planned.spec.to_owned(),
                planned.routing.to_owned(),
                planned.steps.to_string(),
                planned.bound.to_string(),
                verdict(planned.steps, planned.bound),
                planned.finder.clone(),
                format!("{:.1} ms", planned.time.as_secs_f64() * 1e3),
            ]);
        }
        table
    }

    fn collective(&self, name: &str) -> Table {
        let mut table = Table::new([
            "d",
            "formula",
            "schedule",
            "bound",
            "rule",
            "formula, transmissions",
            "schedule, transmissions",
            "judged",
            "verdict",
            "time",
        ]);
        for row in self.cubes.iter().flatten().filter(|row| row.collective.abbreviation() == name) {
            table.push([
                row.dimension.to_string(),
                row.formula.rounds.to_string(),
                row.judged.rounds.to_string(),
                row.bound.to_string(),
                row.rule.clone(),
                row.formula.transmissions.to_string(),
                row.judged.transmissions.to_string(),
                if row.explicit { "explicit" } else { "symmetric" }.to_owned(),
                if row.holds() { "optimal" } else { "differs" }.to_owned(),
                format!("{:.1} ms", row.time.as_secs_f64() * 1e3),
            ]);
        }
        table
    }
}

fn verdict(rounds: u32, bound: u32) -> String {
    match rounds.checked_sub(bound) {
        Some(0) => "optimal".to_owned(),
        Some(above) => format!("bound + {above}"),
        None => "differs".to_owned(),
    }
}

fn broadcasts(broadcasts: &[Broadcast]) -> Table {
    let mut table = Table::new(["torus", "rounds", "ceil(log5 of the nodes)", "transmissions", "verdict", "time"]);
    for broadcast in broadcasts {
        table.push([
            format!("{0} x {0}", broadcast.side),
            broadcast.rounds.to_string(),
            broadcast.bound.to_string(),
            broadcast.transmissions.to_string(),
            verdict(broadcast.rounds, broadcast.bound),
            format!("{:.1} ms", broadcast.time.as_secs_f64() * 1e3),
        ]);
    }
    table
}
