//! The report: the document's tables, ours beside.

use std::fmt::Write;
use std::time::Duration;

use lockstep_report::Table;

use super::cells::{Outcome, Runs, VARIANTS};

/// Everything that came out.
pub(super) struct Report<'a> {
    pub(super) runs: u32,
    pub(super) seed: u64,
    pub(super) results: Vec<Outcome<'a>>,
}

const ABOUT: &str = "Store-and-forward switching, all ports, full duplex, all-to-all broadcast. Every run searches for a schedule of \
as many steps as the bound; every schedule passed the verifier in the run that wrote this file, and every bound its check.\n\n\
**HGSA**: annealed chains with crossover, 2^20 evaluations a run. *No prediction* anneals paths and steps together on the \
conflicts of the schedule; *equations 1 to 5* is the document's prediction, and *matching* the stronger one by Hall's theorem, both \
with its blind moves; *ours* has moves directed at conflicts, matching, and any path as the last resort.\n\n";

impl Report<'_> {
    /// Whether every run of ours reaches the document's steps and the bound.
    pub(super) fn holds(&self) -> bool {
        self.results.iter().all(Outcome::holds)
    }

    /// For a terminal.
    pub(super) fn summary(&self) -> String {
        self.text(Table::to_text, "", "")
    }

    /// The report file.
    pub(super) fn markdown(&self) -> String {
        let mut text = String::from("# All-gather with store-and-forward switching by HGSA\n\n");
        let _ = write!(
            text,
            "The tables of the document, ours beside. Written by `cargo xtask reproduce-paper hgsa`; {} a cell, seeds from {}, \
             {} threads.\n\n",
            if self.runs == 1 { "1 run".to_owned() } else { format!("{} runs", self.runs) },
            self.seed,
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        text + ABOUT + &self.text(Table::to_markdown, "## ", "\n")
    }

    /// All figures, one a line.
    pub(super) fn csv(&self) -> String {
        let header = "table,network,spec,terminals,document_steps,document_bound,bound,rule,variant,runs,successes,\
                      mean_seconds,longest_seconds,auto_steps,auto_found_by,auto_seconds";
        let mut table = Table::new(header.split(','));
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
                    seconds(runs.total / runs.all.max(1)),
                    seconds(runs.longest),
                    outcome.auto.steps.to_string(),
                    outcome.auto.finder.clone(),
                    seconds(outcome.auto.time),
                ]);
            }
        }
        table.to_csv()
    }

    fn text(&self, write: fn(&Table) -> String, heading: &str, gap: &str) -> String {
        let mut text = String::new();
        let mut section = |title: &str, body: String| {
            let _ = write!(text, "{heading}{title}\n{gap}{body}\n");
        };
        for number in [1, 2] {
            let outcomes: Vec<&Outcome<'_>> = self.results.iter().filter(|outcome| outcome.table == number).collect();
            if outcomes.is_empty() {
                continue;
            }
            section(&format!("Table {number}: steps"), write(&steps(&outcomes)) + &doubts(&outcomes, gap));
            section(
                &format!("Table {number}: runs that reach the bound, and their mean time"),
                write(&rates(&outcomes)),
            );
        }
        section("Does prediction raise the success rate?", self.claim());
        text
    }

    /// The document's claim, judged by the figures.
    fn claim(&self) -> String {
        let successes =
            |variant: usize| -> u32 { self.results.iter().map(|outcome| outcome.runs[variant].successes).sum() };
        let runs: u32 = self.results.iter().map(|outcome| outcome.runs[0].all).sum();
        let better = |variant: usize| {
            let raised = |outcome: &&Outcome<'_>| outcome.runs[variant].successes > outcome.runs[0].successes;
            let lowered = |outcome: &&Outcome<'_>| outcome.runs[variant].successes < outcome.runs[0].successes;
            let count = |is: &dyn Fn(&&Outcome<'_>) -> bool| self.results.iter().filter(|outcome| is(outcome)).count();
            (count(&raised), count(&lowered))
        };
        let mut text = format!("Of {runs} runs, {} reach the bound without prediction", successes(0));
        for (variant, (name, _)) in VARIANTS.iter().enumerate().skip(1) {
            let (raised, lowered) = better(variant);
            let _ = write!(text, ", {} with {name} ({raised} networks better, {lowered} worse)", successes(variant));
        }
        let verdict = match successes(1).cmp(&successes(0)) {
            std::cmp::Ordering::Greater => "The claim holds here",
            std::cmp::Ordering::Equal => "The claim is neither shown nor refuted here",
            std::cmp::Ordering::Less => "The claim does not hold here",
        };
        text + &format!(". {verdict}: same evaluations, same moves, with and without the document's prediction.\n")
    }
}

fn steps(outcomes: &[&Outcome<'_>]) -> Table {
    let mut table =
        Table::new(["Network", "Spec", "Nodes", "Document", "Its bound", "Ours", "Bound", "Auto", "Found by", "Time"]);
    for outcome in outcomes {
        let reached = outcome.runs.iter().any(|runs| runs.successes > 0);
        table.push([
            outcome.row.name.clone(),
            format!("`{}`", outcome.row.spec),
            outcome.terminals.to_string(),
            outcome.row.steps.to_string(),
            outcome.row.bound.map_or("-".to_owned(), |bound| bound.to_string()),
            if reached { outcome.bound.to_string() } else { "-".to_owned() },
            outcome.bound.to_string(),
            outcome.auto.steps.to_string(),
            outcome.auto.finder.clone(),
            milliseconds(outcome.auto.time),
        ]);
    }
    table
}

fn doubts(outcomes: &[&Outcome<'_>], gap: &str) -> String {
    let doubt = |outcome: &&Outcome<'_>| Some(format!("{gap}{}: {}.\n", outcome.row.name, outcome.row.doubt.as_ref()?));
    outcomes.iter().filter_map(doubt).collect()
}

fn rates(outcomes: &[&Outcome<'_>]) -> Table {
    let names = VARIANTS.iter().flat_map(|(name, _)| [(*name).to_owned(), "mean".to_owned(), "longest".to_owned()]);
    let mut table = Table::new(["Spec".to_owned()].into_iter().chain(names));
    for outcome in outcomes {
        let cells = outcome.runs.iter().flat_map(|runs: &Runs| {
            let mean = milliseconds(runs.total / runs.all.max(1));
            [format!("{}/{}", runs.successes, runs.all), mean, milliseconds(runs.longest)]
        });
        table.push([format!("`{}`", outcome.row.spec)].into_iter().chain(cells));
    }
    table
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}
