//! The report: the tables of the paper with our figures.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep::schedule::{Routing, ScatterRule};
use lockstep_report::Table;

use super::cells::{COLLECTIVES, Cell, FaultRow, Figure, RULES, ReproducedTable, Verdict};
use super::figures::Figures;
use super::speed::{PairSweep, ReplannedFaults, ReplanningSpeed};
use crate::reproduce::figure_table::{Column, Compared, FigureTable};
use crate::reproduce::report_text::ReportText;
use crate::template::Template;

/// The results for all tables.
pub(super) struct FaultReport<'a> {
    pub(super) figures: &'a Figures,
    pub(super) seed: u64,
    pub(super) results: Vec<ReproducedTable<'a>>,
    /// `None` in a partial reproduction.
    pub(super) speed: Option<ReplanningSpeed>,
}

/// The columns of the figures.
const COLUMNS: [Column; 14] = [
    Column("table", Compared::Key),
    Column("network", Compared::Key),
    Column("fault", Compared::Key),
    Column("collective", Compared::Key),
    Column("root", Compared::Key),
    Column("document_steps", Compared::Equal),
    Column("routing", Compared::Key),
    Column("scatter", Compared::Key),
    Column("our_steps", Compared::Fewer),
    Column("bound", Compared::More),
    Column("rule", Compared::Uncompared),
    Column("certificate", Compared::Uncompared),
    Column("found_by", Compared::Uncompared),
    Column("verdict", Compared::Derived),
];

const TEMPLATE: Template = Template::new(include_str!("../../../templates/fault.md"));

impl FaultReport<'_> {
    /// Returns true if each schedule under the rules of the paper is optimal, and each after a pair of faults.
    pub(super) fn holds(&self) -> bool {
        let cells = self.results.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
        cells.filter_map(|cell| cell.figures.first()).all(Figure::is_optimal)
            && self.speed.as_ref().is_none_or(|speed| speed.pairs.all_optimal())
    }

    /// Returns the report.
    pub(super) fn text(&self) -> ReportText {
        let mut report = ReportText::new(TEMPLATE);
        report.add("head", &[("seed", &self.seed)]);
        for reproduced in &self.results {
            let table = reproduced.table;
            let faults = table.kind().map_or("no fault".to_owned(), |kind| format!("one {kind} at a time fails"));
            report.add(
                "table",
                &[
                    ("number", &table.number),
                    ("name", &table.name),
                    ("spec", &table.spec),
                    ("faults", &faults),
                    ("under_published_rules", &under_published_rules(reproduced).to_markdown()),
                    ("under_all_rules", &under_all_rules(reproduced).to_markdown()),
                ],
            );
            let number = &table.number;
            let proofs = proofs(reproduced).to_markdown();
            report.add_uncompared("proofs", &[("number", number), ("name", &table.name), ("proofs", &proofs)]);
            let [differences, reasons] = differences(reproduced);
            if !differences.rows().is_empty() {
                report.add("differences", &[("number", number), ("differences", &differences.to_markdown())]);
                let reasons = reasons.to_markdown();
                report.add_uncompared("reasons", &[("number", number), ("name", &table.name), ("reasons", &reasons)]);
            }
        }
        if let Some(speed) = &self.speed {
            self.add_speed(&mut report, speed);
        }
        report
    }

    /// Returns one row per figure.
    pub(super) fn figure_table(&self) -> FigureTable {
        let mut table = FigureTable::new(&COLUMNS);
        for reproduced in &self.results {
            for (row, cell) in cells(reproduced) {
                for (&(routing, scatter), figure) in RULES.iter().zip(&cell.figures) {
                    table.push([
                        reproduced.table.number.to_string(),
                        reproduced.table.spec.clone(),
                        row.fault.clone(),
                        cell.collective.abbreviation().to_owned(),
                        cell.root.clone().unwrap_or_default(),
                        cell.published.map(|steps| steps.to_string()).unwrap_or_default(),
                        routing_name(routing).to_owned(),
                        scatter_name(scatter).to_owned(),
                        figure.steps.to_string(),
                        figure.bound.to_string(),
                        figure.rule.clone(),
                        figure.why.clone(),
                        figure.finder.clone(),
                        if figure.is_optimal() { "optimal".to_owned() } else { gap(figure) },
                    ]);
                }
            }
        }
        table
    }

    fn add_speed(&self, report: &mut ReportText, speed: &ReplanningSpeed) {
        let PairSweep { network, kind, collective, sets, optimal, lost, most_steps, time } = &speed.pairs;
        report.add(
            "pairs",
            &[
                ("sets", sets),
                ("kind", kind),
                ("network", network),
                ("collective", &collective.abbreviation().to_uppercase()),
                ("optimal", optimal),
                ("most_steps", most_steps),
                ("lost", lost),
            ],
        );
        report.add_uncompared(
            "replanned",
            &[
                ("replanned", &self.replanned(&speed.replanned).to_markdown()),
                ("sweeps", &seconds(speed.sweeps)),
                ("doubles", &seconds(*time)),
            ],
        );
    }

    fn replanned(&self, replanned: &[ReplannedFaults]) -> Table {
        let mut table = Table::new([
            "Network",
            "Fault",
            "Collective",
            "Faults",
            "Repaired",
            "Transfers kept",
            "Mean time",
            "Longest",
            "Paper",
        ]);
        for row in replanned {
            let percent = if row.kept[1] == 0 { 0.0 } else { 100.0 * row.kept[0] as f64 / row.kept[1] as f64 };
            let published = format!("{} s", self.figures.seconds_to_replan);
            table.push([
                row.network.clone(),
                row.kind.to_string(),
                row.collective.abbreviation().to_uppercase(),
                row.faults.to_string(),
                row.repaired.to_string(),
                format!("{percent:.0} %"),
                milliseconds(row.mean),
                milliseconds(row.longest),
                if row.network.starts_with("kautz") { published } else { String::new() },
            ]);
        }
        table
    }
}

fn cells<'a>(reproduced: &'a ReproducedTable<'_>) -> impl Iterator<Item = (&'a FaultRow, &'a Cell)> {
    reproduced.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
}

fn under_published_rules(reproduced: &ReproducedTable<'_>) -> Table {
    let names = COLLECTIVES.map(|collective| collective.abbreviation().to_uppercase());
    let mut table = Table::new(std::iter::once("Fault".to_owned()).chain(names));
    for row in &reproduced.rows {
        let of = |collective| {
            let cells = row.cells.iter().filter(move |cell| cell.collective == collective);
            cells.map(cell_text).collect::<Vec<_>>().join(", ")
        };
        table.push(std::iter::once(row.fault.clone()).chain(COLLECTIVES.map(of)));
    }
    table
}

/// Counts the cells under the rules of the paper by bound and rule, with the certificate of the first cell.
fn proofs(reproduced: &ReproducedTable<'_>) -> Table {
    let mut proofs: BTreeMap<(usize, u32, &str), (usize, &FaultRow, &Figure)> = BTreeMap::new();
    for (row, cell) in cells(reproduced) {
        let Some(figure) = cell.figures.first() else { continue };
        let collective = COLLECTIVES.iter().position(|&one| one == cell.collective).unwrap_or_default();
        proofs.entry((collective, figure.bound, &figure.rule)).or_insert((0, row, figure)).0 += 1;
    }
    let mut table = Table::new(["Collective", "Bound", "Rule", "Cells", "First at fault", "Certificate"]);
    for ((collective, bound, rule), (count, row, figure)) in proofs {
        table.push([
            COLLECTIVES[collective].abbreviation().to_uppercase(),
            bound.to_string(),
            rule.to_owned(),
            count.to_string(),
            row.fault.clone(),
            figure.why.clone(),
        ]);
    }
    table
}

/// Returns the text of a cell: the published figure and ours.
fn cell_text(cell: &Cell) -> String {
    let Some(figure) = cell.figures.first() else { return "root failed".to_owned() };
    let ours = ours(figure);
    match (cell.published, cell.verdict()) {
        (Some(_), Some(Verdict::Right)) => ours,
        (Some(published), Some(Verdict::Beaten)) => format!("{published} -> {ours}"),
        (Some(published), Some(Verdict::Impossible)) => format!("{published} ! {ours}"),
        _ => format!("({ours})"),
    }
}

fn ours(figure: &Figure) -> String {
    if figure.is_optimal() { figure.steps.to_string() } else { format!("{} ({})", figure.steps, gap(figure)) }
}

fn gap(figure: &Figure) -> String {
    format!("gap {}", figure.steps - figure.bound)
}

fn under_all_rules(reproduced: &ReproducedTable<'_>) -> Table {
    let of_cell = |cell: &Cell| -> Vec<String> {
        let root = cell.root.as_ref().map(|root| format!(" {root}")).unwrap_or_default();
        let name = format!("{}{root}", cell.collective.abbreviation().to_uppercase());
        let rules = RULES.iter().skip(1).take(cell.figures.len().saturating_sub(1));
        rules.map(|&(routing, scatter)| format!("{name} {}", rule_name(routing, scatter))).collect()
    };
    let widest =
        reproduced.rows.iter().max_by_key(|row| row.cells.iter().map(|cell| cell.figures.len()).sum::<usize>());
    let header = widest.map(|row| row.cells.iter().flat_map(of_cell).collect::<Vec<_>>()).unwrap_or_default();
    let mut table = Table::new(std::iter::once("Fault".to_owned()).chain(header.iter().cloned()));
    for row in &reproduced.rows {
        let figures: Vec<(String, String)> = row
            .cells
            .iter()
            .flat_map(|cell| of_cell(cell).into_iter().zip(cell.figures.iter().skip(1).map(ours)))
            .collect();
        let of = |column: &String| {
            figures.iter().find(|(name, _)| name == column).map(|(_, figure)| figure.clone()).unwrap_or_default()
        };
        table.push(std::iter::once(row.fault.clone()).chain(header.iter().map(of)));
    }
    table
}

/// Lists the cells whose published figure is not the optimum, and the reasons why ours is minimal.
fn differences(reproduced: &ReproducedTable<'_>) -> [Table; 2] {
    let mut differences = Table::new(["Fault", "Collective", "Paper", "Ours", "The published figure"]);
    let mut reasons = Table::new(["Fault", "Collective", "Rule", "Certificate"]);
    for (row, cell) in cells(reproduced) {
        let (Some(published), Some(figure), Some(verdict)) = (cell.published, cell.figures.first(), cell.verdict())
        else {
            continue;
        };
        let words = match verdict {
            Verdict::Right => continue,
            Verdict::Beaten => "is not minimal",
            Verdict::Impossible => "is impossible",
        };
        let collective = cell.collective.abbreviation().to_uppercase();
        differences.push([&row.fault, &collective, &published.to_string(), &ours(figure), words]);
        reasons.push([&row.fault, &collective, &figure.rule, &figure.why]);
    }
    [differences, reasons]
}

fn rule_name(routing: Routing, scatter: ScatterRule) -> &'static str {
    match (routing, scatter) {
        (Routing::Minimal, ScatterRule::Direct) => "minimal",
        (Routing::Any, ScatterRule::Direct) => "any",
        (Routing::Minimal, ScatterRule::Relay) => "relay",
        (Routing::Any, ScatterRule::Relay) => "any relay",
    }
}

fn routing_name(routing: Routing) -> &'static str {
    rule_name(routing, ScatterRule::Direct)
}

fn scatter_name(scatter: ScatterRule) -> &'static str {
    if scatter == ScatterRule::Direct { "direct" } else { "relay" }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
