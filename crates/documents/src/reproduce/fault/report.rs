//! The report: the document's tables, ours beside.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use lockstep::schedule::{Routing, ScatterRule};
use lockstep_report::Table;

use super::cells::{COLLECTIVES, Cell, Figure, RULES, Reproduced, Row, Verdict};
use super::figures::Figures;
use super::speed::{Replanned, Speed};

/// Everything that came out.
pub(super) struct Report<'a> {
    pub(super) figures: &'a Figures,
    pub(super) seed: u64,
    pub(super) results: Vec<Reproduced<'a>>,
    /// Of a whole reproduction only.
    pub(super) speed: Option<Speed>,
}

const ABOUT: &str = "Wormhole switching, all ports. A Kautz12 fault is one channel, a mesh link is both of its channels, and \
a failed node is no terminal any more. Every fault is there, not only those that the document prints. Under the document's \
rules, minimal routing and direct scatter, paths are shortest ones of the network with its fault. Every schedule passed the \
verifier in the run that wrote this file, and every bound its check.\n\n\
**Cells**: one figure is the document's and ours; `22 -> 16` is the document's, then ours, which is proved optimal unless a gap \
is given; `8 ! 15` is a figure of the document that no schedule can reach, then ours; `(15)` has no figure in the document.\n\n";

impl Report<'_> {
    /// Whether every schedule under the document's rules is optimal.
    pub(super) fn holds(&self) -> bool {
        let cells = self.results.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
        cells.filter_map(|cell| cell.figures.first()).all(Figure::is_optimal)
    }

    /// For a terminal.
    pub(super) fn summary(&self) -> String {
        self.text(Table::to_text, "", "")
    }

    /// The report file.
    pub(super) fn markdown(&self) -> String {
        let mut text = String::from("# Collective communication on Kautz networks and meshes with faults\n\n");
        let _ = write!(
            text,
            "The tables of the document, ours beside. Written by `cargo xtask reproduce-paper fault`, seed {}, {} threads.\n\n",
            self.seed,
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        text + ABOUT + &self.text(Table::to_markdown, "## ", "\n")
    }

    /// All figures, one a line.
    pub(super) fn csv(&self) -> String {
        let header = "table,network,fault,collective,root,document_steps,routing,scatter,our_steps,bound,rule,certificate,found_by,verdict";
        let mut table = Table::new(header.split(','));
        for reproduced in &self.results {
            for (row, cell) in cells(reproduced) {
                for (&(routing, scatter), figure) in RULES.iter().zip(&cell.figures) {
                    table.push([
                        reproduced.table.number.to_string(),
                        reproduced.table.spec.clone(),
                        row.fault.clone(),
                        cell.collective.abbreviation().to_owned(),
                        cell.root.clone().unwrap_or_default(),
                        cell.document.map(|steps| steps.to_string()).unwrap_or_default(),
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
        table.to_csv()
    }

    fn text(&self, write: fn(&Table) -> String, heading: &str, gap: &str) -> String {
        let mut text = String::new();
        let mut section = |title: &str, body: String| {
            let _ = write!(text, "{heading}{title}\n{gap}{body}\n");
        };
        for reproduced in &self.results {
            let table = reproduced.table;
            let kind = table.kind().map_or("no fault".to_owned(), |kind| format!("one {kind} at a time fails"));
            let title = format!("Table {}: {} ({}), {kind}", table.number, table.name, table.spec);
            section(&title, write(&under_document_rules(reproduced)));
            section(&format!("Table {}: what proves our figures", table.number), write(&proofs(reproduced)));
            section(
                &format!("Table {}: {} under other rules", table.number, table.name),
                write(&under_all_rules(reproduced)),
            );
            let differences = differences(reproduced);
            if !differences.rows().is_empty() {
                section(&format!("Table {}: where the document differs", table.number), write(&differences));
            }
        }
        if let Some(speed) = &self.speed {
            section("Planning anew after a fault", write(&self.replanned(&speed.replanned)));
            let doubles = &speed.doubles;
            let words = format!(
                "All single faults of the tables above, four collectives, planned anew and verified: {}.\n{gap}\
                 All {} sets of two {}s of {} at once, {}: {} optimal, at most {} steps, {} that cut terminals off, {}.\n",
                seconds(speed.sweeps),
                doubles.sets,
                doubles.kind,
                doubles.network,
                doubles.collective.abbreviation().to_uppercase(),
                doubles.optimal,
                doubles.most_steps,
                doubles.lost,
                seconds(doubles.time),
            );
            section("Sweeps", words);
        }
        text
    }

    fn replanned(&self, replanned: &[Replanned]) -> Table {
        let mut table = Table::new([
            "Network",
            "Fault",
            "Collective",
            "Faults",
            "Repaired",
            "Transfers kept",
            "Mean time",
            "Longest",
            "Document's",
        ]);
        for row in replanned {
            let percent = if row.kept[1] == 0 { 0.0 } else { 100.0 * row.kept[0] as f64 / row.kept[1] as f64 };
            table.push([
                row.network.clone(),
                row.kind.to_string(),
                row.collective.abbreviation().to_uppercase(),
                row.faults.to_string(),
                row.repaired.to_string(),
                format!("{percent:.0} %"),
                milliseconds(row.mean),
                milliseconds(row.longest),
                if row.network.starts_with("kautz") {
                    format!("{} s", self.figures.seconds_to_plan_anew)
                } else {
                    String::new()
                },
            ]);
        }
        table
    }
}

fn cells<'a>(reproduced: &'a Reproduced<'_>) -> impl Iterator<Item = (&'a Row, &'a Cell)> {
    reproduced.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
}

fn under_document_rules(reproduced: &Reproduced<'_>) -> Table {
    let names = COLLECTIVES.map(|collective| collective.abbreviation().to_uppercase());
    let mut table = Table::new(std::iter::once("Fault".to_owned()).chain(names));
    for row in &reproduced.rows {
        let of = |collective| {
            let cells = row.cells.iter().filter(move |cell| cell.collective == collective);
            cells.map(beside).collect::<Vec<_>>().join(", ")
        };
        table.push(std::iter::once(row.fault.clone()).chain(COLLECTIVES.map(of)));
    }
    table
}

/// What proves the bounds under the document's rules, in how many cells, with the certificate of the first one.
fn proofs(reproduced: &Reproduced<'_>) -> Table {
    let mut proofs: BTreeMap<(usize, u32, &str), (usize, &Row, &Figure)> = BTreeMap::new();
    for (row, cell) in cells(reproduced) {
        let Some(figure) = cell.figures.first() else { continue };
        let collective = COLLECTIVES.iter().position(|&one| one == cell.collective).unwrap_or_default();
        proofs.entry((collective, figure.bound, &figure.rule)).or_insert((0, row, figure)).0 += 1;
    }
    let mut table = Table::new(["Collective", "Bound", "Rule", "Cells", "The first, at fault", "Because"]);
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

/// The document's figure and ours.
fn beside(cell: &Cell) -> String {
    let Some(figure) = cell.figures.first() else { return "root failed".to_owned() };
    let ours = ours(figure);
    match (cell.document, cell.verdict()) {
        (Some(_), Some(Verdict::Right)) => ours,
        (Some(document), Some(Verdict::Beaten)) => format!("{document} -> {ours}"),
        (Some(document), Some(Verdict::Impossible)) => format!("{document} ! {ours}"),
        _ => format!("({ours})"),
    }
}

fn ours(figure: &Figure) -> String {
    if figure.is_optimal() { figure.steps.to_string() } else { format!("{} ({})", figure.steps, gap(figure)) }
}

fn gap(figure: &Figure) -> String {
    format!("gap {}", figure.steps - figure.bound)
}

fn under_all_rules(reproduced: &Reproduced<'_>) -> Table {
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

/// The cells with another figure than the document's, and why.
fn differences(reproduced: &Reproduced<'_>) -> Table {
    let mut table =
        Table::new(["Fault", "Collective", "Document", "Ours", "The document's figure", "Why no fewer than ours"]);
    for (row, cell) in cells(reproduced) {
        let (Some(document), Some(figure), Some(verdict)) = (cell.document, cell.figures.first(), cell.verdict())
        else {
            continue;
        };
        let words = match verdict {
            Verdict::Right => continue,
            Verdict::Beaten => "is more than needed",
            Verdict::Impossible => "is impossible",
        };
        table.push([
            row.fault.clone(),
            cell.collective.abbreviation().to_uppercase(),
            document.to_string(),
            ours(figure),
            words.to_owned(),
            figure.why.clone(),
        ]);
    }
    table
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
