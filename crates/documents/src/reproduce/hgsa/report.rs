//! The report: the tables of the paper with our figures.

use std::cmp::Ordering;
use std::time::Duration;

use lockstep_report::Table;

use super::cells::{HgsaOutcome, VARIANTS};
use crate::reproduce::figure_table::{Column, Compared, FigureTable};
use crate::reproduce::report_text::ReportText;
use crate::template::Template;

const TEMPLATE: Template = Template::new(include_str!("../../../templates/hgsa.md"));

/// The columns of the figures.
const COLUMNS: [Column; 13] = [
    Column("table", Compared::Key),
    Column("network", Compared::Key),
    Column("spec", Compared::Key),
    Column("terminals", Compared::Equal),
    Column("document_steps", Compared::Equal),
    Column("document_bound", Compared::Equal),
    Column("bound", Compared::More),
    Column("rule", Compared::Uncompared),
    Column("variant", Compared::Key),
    Column("runs", Compared::Uncompared),
    Column("successes", Compared::Successes),
    Column("auto_steps", Compared::Fewer),
    Column("auto_found_by", Compared::Uncompared),
];

/// The results for both tables.
pub(super) struct HgsaReport<'a> {
    pub(super) runs: u32,
    pub(super) seed: u64,
    pub(super) results: Vec<HgsaOutcome<'a>>,
}

impl HgsaReport<'_> {
    /// Returns true if each run with our moves reaches the steps of the paper and the bound.
    pub(super) fn holds(&self) -> bool {
        self.results.iter().all(HgsaOutcome::holds)
    }

    /// Returns the report.
    pub(super) fn text(&self) -> ReportText {
        let mut report = ReportText::new(TEMPLATE);
        let runs = if self.runs == 1 { "1 run".to_owned() } else { format!("{} runs", self.runs) };
        report.add("head", &[("runs", &runs), ("seed", &self.seed)]);
        for number in [1, 2] {
            let outcomes: Vec<_> = self.results.iter().filter(|outcome| outcome.table == number).collect();
            if outcomes.is_empty() {
                continue;
            }
            report.add(
                "table",
                &[
                    ("number", &number),
                    ("steps", &steps(&outcomes).to_markdown()),
                    ("doubts", &doubts(&outcomes)),
                    ("rates", &rates(&outcomes).to_markdown()),
                ],
            );
            report.add_uncompared("times", &[("number", &number), ("times", &times(&outcomes).to_markdown())]);
        }
        self.add_claim(&mut report);
        report
    }

    /// Returns one row per network and variant.
    pub(super) fn figure_table(&self) -> FigureTable {
        let mut table = FigureTable::new(&COLUMNS);
        for outcome in &self.results {
            for ((variant, _), runs) in VARIANTS.iter().zip(&outcome.runs) {
                table.push([
                    outcome.table.to_string(),
                    outcome.row.name.clone(),
                    outcome.row.spec.clone(),
                    outcome.terminals.to_string(),
                    outcome.row.steps.to_string(),
                    outcome.row.bound.map(|bound| bound.to_string()).unwrap_or_default(),
                    outcome.bound.to_string(),
                    outcome.rule.clone(),
                    (*variant).to_owned(),
                    runs.all.to_string(),
                    runs.successes.to_string(),
                    outcome.planned.steps.to_string(),
                    outcome.planned.finder.clone(),
                ]);
            }
        }
        table
    }

    /// Compares the success rates with the claim of the paper.
    fn add_claim(&self, report: &mut ReportText) {
        let successes =
            |variant: usize| -> u32 { self.results.iter().map(|outcome| outcome.runs[variant].successes).sum() };
        let count = |variant: usize, order: Ordering| {
            let compared = |outcome: &HgsaOutcome<'_>| outcome.runs[variant].successes.cmp(&outcome.runs[0].successes);
            self.results.iter().filter(|outcome| compared(outcome) == order).count()
        };
        let other = |(variant, (name, _)): (usize, &(&str, _))| {
            TEMPLATE.fill(
                "other",
                &[
                    ("successes", &successes(variant)),
                    ("variant", name),
                    ("better", &count(variant, Ordering::Greater)),
                    ("worse", &count(variant, Ordering::Less)),
                ],
            )
        };
        let others: String = VARIANTS.iter().enumerate().skip(1).map(other).collect();
        let verdict = match successes(1).cmp(&successes(0)) {
            Ordering::Greater => "The claim holds here",
            Ordering::Equal => "The claim is neither shown nor refuted here",
            Ordering::Less => "The claim does not hold here",
        };
        let runs: u32 = self.results.iter().map(|outcome| outcome.runs[0].all).sum();
        report.add("claim", &[("runs", &runs), ("plain", &successes(0)), ("others", &others), ("verdict", &verdict)]);
    }
}

fn steps(outcomes: &[&HgsaOutcome<'_>]) -> Table {
    let mut table = Table::new(["Network", "Spec", "Nodes", "Paper", "Its bound", "Ours", "Bound", "Auto"]);
    for outcome in outcomes {
        let is_reached = outcome.runs.iter().any(|runs| runs.successes > 0);
        table.push([
            outcome.row.name.clone(),
            format!("`{}`", outcome.row.spec),
            outcome.terminals.to_string(),
            outcome.row.steps.to_string(),
            outcome.row.bound.map_or("-".to_owned(), |bound| bound.to_string()),
            if is_reached { outcome.bound.to_string() } else { "-".to_owned() },
            outcome.bound.to_string(),
            outcome.planned.steps.to_string(),
        ]);
    }
    table
}

fn doubts(outcomes: &[&HgsaOutcome<'_>]) -> String {
    let doubt = |outcome: &&HgsaOutcome<'_>| {
        let doubt = outcome.row.doubt.as_ref()?;
        Some(TEMPLATE.fill("doubt", &[("network", &outcome.row.name), ("doubt", doubt)]))
    };
    outcomes.iter().filter_map(doubt).collect::<Vec<_>>().join("\n\n")
}

fn rates(outcomes: &[&HgsaOutcome<'_>]) -> Table {
    let mut table = Table::new(["Spec"].into_iter().chain(VARIANTS.map(|(name, _)| name)));
    for outcome in outcomes {
        let cells = outcome.runs.iter().map(|runs| format!("{}/{}", runs.successes, runs.all));
        table.push([format!("`{}`", outcome.row.spec)].into_iter().chain(cells));
    }
    table
}

/// Returns the mean and the longest time of each variant, and the time and the method of the planner.
fn times(outcomes: &[&HgsaOutcome<'_>]) -> Table {
    let names = VARIANTS.iter().flat_map(|(name, _)| [(*name).to_owned(), "longest".to_owned()]);
    let mut table =
        Table::new(["Spec".to_owned()].into_iter().chain(names).chain(["Auto", "found by"].map(str::to_owned)));
    for outcome in outcomes {
        let cells = outcome.runs.iter().flat_map(|runs| [runs.total / runs.all.max(1), runs.longest]);
        let cells = cells.chain([outcome.planned.time]).map(milliseconds);
        let finder = outcome.planned.finder.clone();
        table.push([format!("`{}`", outcome.row.spec)].into_iter().chain(cells).chain([finder]));
    }
    table
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
