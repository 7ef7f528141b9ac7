//! The report: tables as the document has them, ours beside.

use std::fmt::Write;
use std::time::Duration;

use lockstep::EngineChoice;
use lockstep::schedule::CostModel;
use lockstep_report::Table;

use super::cells::{Outcome, Settings, Verdict};
use super::document::Judged;
use super::figures::{Cell, Figures, Network};

/// Everything that came out.
pub(super) struct Report<'a> {
    pub(super) figures: &'a Figures,
    pub(super) settings: &'a Settings,
    /// The only table wanted, if any.
    pub(super) table: Option<u8>,
    pub(super) results: Vec<Outcome<'a>>,
    pub(super) judged: Vec<(u8, Judged)>,
}

/// The collectives in the document's order.
const COLLECTIVES: [&str; 4] = ["oab", "aab", "oas", "aas"];

impl Report<'_> {
    /// Whether no figure is worse than the document's and, where the planner was free, every one is optimal.
    pub(super) fn holds(&self) -> bool {
        let free = self.settings.engine == EngineChoice::Auto;
        self.results.iter().all(|outcome| outcome.verdict() != Verdict::Short && (outcome.is_optimal() || !free))
            && self.judged.iter().all(|(_, judged)| judged.holds())
            && self.equation_holds()
    }

    /// For a terminal: what each table says.
    pub(super) fn summary(&self) -> String {
        self.text(Table::to_text, "", "")
    }

    /// The report file.
    pub(super) fn markdown(&self) -> String {
        let Settings { engine, runs, seed, .. } = self.settings;
        let mut text = String::from("# Collective communication on multistage interconnection networks\n\n");
        text += "The tables of the document, ours beside. Written by `cargo xtask reproduce-paper min`";
        if engine.name() != "auto" {
            let _ = write!(text, " with `--engine {engine}`");
        }
        let _ = write!(
            text,
            "; {runs} {} a cell, seeds from {seed}, {} threads.\n\n",
            if *runs == 1 { "run" } else { "runs" },
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        text += "Model: wormhole switching, minimal routing, direct scatter; one injection and one ejection channel a \
                 terminal, but all ports in the full binary trees (FB-Tree), where every node is terminal and router. \
                 Every schedule passed the verifier in the run that wrote this file, and every bound its check.\n\n";
        text += "**Verdict**: *reached* is the document's number of steps, *beaten* fewer, *short* more; *optimal* \
                 says that the bound proves it. A figure `16 -> 15` is the document's, then ours.\n\n";
        if engine.name() == "umda" {
            text += METHOD;
        }
        text + &self.text(Table::to_markdown, "## ", "\n")
    }

    /// All figures, one a line.
    pub(super) fn csv(&self) -> String {
        let header = "table,network,spec,collective,place,document_steps,document_optimal,our_steps,bound,rule,found_by,verdict,\
                      runs,successes,document_success_percent,mean_seconds,document_seconds";
        let mut table = Table::new(header.split(','));
        for outcome in &self.results {
            let Outcome { network, cell, .. } = outcome;
            table.push([
                network.table.to_string(),
                network.name.clone(),
                network.spec.clone(),
                cell.collective.clone(),
                outcome.place.to_string(),
                outcome.document().to_string(),
                (!cell.suboptimal).to_string(),
                outcome.steps.map(|steps| steps.to_string()).unwrap_or_default(),
                outcome.bound.to_string(),
                outcome.rule.clone(),
                outcome.finder.clone(),
                verdict(outcome),
                outcome.runs.to_string(),
                outcome.successes.to_string(),
                cell.success_percent.to_string(),
                outcome.mean.map(|mean| format!("{:.6}", mean.as_secs_f64())).unwrap_or_default(),
                cell.seconds.map(|seconds| seconds.to_string()).unwrap_or_default(),
            ]);
        }
        table.to_csv()
    }

    fn text(&self, write: fn(&Table) -> String, heading: &str, gap: &str) -> String {
        let mut text = String::new();
        let mut section = |title: &str, body: String| {
            let _ = write!(text, "{heading}{title}\n{gap}{body}\n");
        };
        for number in 1..=6 {
            if self.table.is_some_and(|table| table != number) {
                continue;
            }
            match number {
                1 | 3 => {
                    let kind = if number == 1 { "unidirectional" } else { "bidirectional" };
                    let title = format!("Table {number}: steps on {kind} networks");
                    let mut body = write(&self.steps(number));
                    body += gap;
                    body += &write(&self.figures_of(number));
                    body += &self.doubts(number, gap);
                    section(&title, body);
                }
                2 | 4 => {
                    for (_, judged) in self.judged.iter().filter(|(table, _)| *table == number) {
                        section(&format!("Table {number}: the document's schedule"), in_words(judged));
                    }
                }
                5 => section("Table 5: runs that reach the document's steps, percent", write(&self.rates())),
                _ => section("Table 6: mean time of those runs", write(&self.times())),
            }
        }
        if self.table.is_none() {
            section("All cells together", self.together());
            section("Equation 1: time = steps (t0 + m t1)", self.equation());
        }
        text
    }

    /// The table as the document has it.
    fn steps(&self, number: u8) -> Table {
        self.by_network(
            |network| network.table == number,
            |outcomes| {
                let figures: Vec<String> = outcomes.iter().map(|outcome| steps_in_cell(outcome)).collect();
                figures.join(" / ")
            },
        )
    }

    fn rates(&self) -> Table {
        self.by_network(
            |_| true,
            |outcomes| {
                let runs: u32 = outcomes.iter().map(|outcome| outcome.runs).sum();
                let successes: u32 = outcomes.iter().map(|outcome| outcome.successes).sum();
                format!("{} -> {}", outcomes[0].cell.success_percent, 100 * successes / runs.max(1))
            },
        )
    }

    fn times(&self) -> Table {
        self.by_network(
            |_| true,
            |outcomes| {
                let document = outcomes[0].cell.seconds;
                let written = document.map_or_else(|| "<1 s".to_owned(), seconds);
                let Some(mean) = mean(outcomes) else { return format!("{written} -> none") };
                let ours = seconds(mean.as_secs_f64());
                format!("{written} -> {ours}")
            },
        )
    }

    fn by_network(&self, wanted: impl Fn(&Network) -> bool, cell: impl Fn(&[&Outcome]) -> String) -> Table {
        let mut table = Table::new(["Topology".to_owned()].into_iter().chain(COLLECTIVES.map(str::to_uppercase)));
        for network in self.figures.networks.iter().filter(|network| wanted(network)) {
            let cells = COLLECTIVES.map(|collective| {
                let of_cell =
                    |outcome: &&Outcome| outcome.network.name == network.name && outcome.cell.collective == collective;
                let outcomes: Vec<&Outcome> = self.results.iter().filter(of_cell).collect();
                if outcomes.is_empty() { String::new() } else { cell(&outcomes) }
            });
            if cells.iter().any(|cell| !cell.is_empty()) {
                table.push([network.name.clone()].into_iter().chain(cells));
            }
        }
        table
    }

    /// One line a figure.
    fn figures_of(&self, number: u8) -> Table {
        let mut table = Table::new([
            "Topology",
            "Collective",
            "Document",
            "Ours",
            "Bound",
            "Rule",
            "Found by",
            "Verdict",
            "Success %",
            "Document %",
            "Mean time",
            "Document's",
            "Ratio",
        ]);
        for outcome in self.results.iter().filter(|outcome| outcome.network.table == number) {
            let Outcome { network, cell, .. } = outcome;
            let levels = cell.steps.len();
            let root = match outcome.place {
                _ if levels == 1 => String::new(),
                0 => " from a leaf".to_owned(),
                place if place + 1 == levels => " from the root".to_owned(),
                place => format!(" from level {place}"),
            };
            table.push([
                network.name.clone(),
                cell.collective.to_uppercase() + &root,
                format!("{}{}", outcome.document(), if cell.suboptimal { "*" } else { "" }),
                outcome.steps.map_or_else(|| "none".to_owned(), |steps| steps.to_string()),
                outcome.bound.to_string(),
                outcome.rule.clone(),
                outcome.finder.clone(),
                verdict(outcome),
                outcome.success_percent().to_string(),
                cell.success_percent.to_string(),
                outcome.mean.map_or_else(|| "-".to_owned(), |mean| seconds(mean.as_secs_f64())),
                cell.seconds.map_or_else(|| "<1 s".to_owned(), seconds),
                ratio(cell, outcome.mean),
            ]);
        }
        table
    }

    fn doubts(&self, number: u8, gap: &str) -> String {
        let cells = self.figures.networks.iter().filter(|network| network.table == number);
        let cells = cells.flat_map(|network| network.cells.iter().map(move |cell| (network, cell)));
        let doubts = cells.filter_map(|(network, cell)| cell.doubt.as_ref().map(|doubt| (network, cell, doubt)));
        doubts.fold(String::new(), |mut text, (network, cell, doubt)| {
            let shown = self.results.iter().any(|outcome| std::ptr::eq(outcome.cell, cell));
            if shown {
                let _ = writeln!(text, "{gap}{} {}: {doubt}.", network.name, cell.collective.to_uppercase());
            }
            text
        })
    }

    /// One run of every figure.
    fn together(&self) -> String {
        let time: Duration = self.results.iter().filter_map(|outcome| outcome.mean).sum();
        let optimal = self.results.iter().filter(|outcome| outcome.is_optimal()).count();
        let figures = self.results.len();
        format!(
            "{figures} figures, {optimal} of them optimal; one run of each, planned and verified, takes {}.\n",
            seconds(time.as_secs_f64())
        )
    }

    fn equation(&self) -> String {
        let equation = &self.figures.equation1;
        let model = CostModel { start_up_ps: equation.start_up_ps, byte_ps: equation.byte_ps };
        equation.times_us.iter().fold(String::new(), |mut text, (steps, printed)| {
            let time = model.time_of_steps(*steps, equation.bytes);
            let _ = writeln!(text, "{steps} steps of {} bytes: document {printed} us, ours {time}.", equation.bytes);
            text
        })
    }

    /// The document cuts digits off.
    fn equation_holds(&self) -> bool {
        let equation = &self.figures.equation1;
        let model = CostModel { start_up_ps: equation.start_up_ps, byte_ps: equation.byte_ps };
        equation.times_us.iter().all(|(steps, printed)| {
            let digits = printed.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            format!("{:.digits$}", model.time_of_steps(*steps, equation.bytes)) == format!("{printed} us")
        })
    }
}

/// What was changed of the document's algorithm.
const METHOD: &str = "**Method**: UMDA with the document's parameters: 60 individuals, binary tournaments for the better \
half, univariate marginals, mutation of 90 in 100, replacement of the worse half, restoration of broadcasts, spreading \
over ports. As printed, it converges within some tens of generations, and from then on blind slot swaps do the work: \
hence the document's days. Changed: a mutation begins at a delivery in conflict and goes on as a chain of slot \
exchanges, kept by Metropolis's rule; the number of chains doubles whenever a generation brings nothing better; first \
individuals of a broadcast take the earliest free slots, nearest sender first. Each cell is run at the document's number \
of steps; where the bound is lower, further runs with a limit of evaluations try one step less at a time.\n\n";

fn steps_in_cell(outcome: &Outcome) -> String {
    let document = outcome.document();
    match outcome.steps {
        Some(steps) if steps == document => document.to_string(),
        Some(steps) => format!("{document} -> {steps}"),
        None => format!("{document} -> none"),
    }
}

fn verdict(outcome: &Outcome) -> String {
    let word = match outcome.verdict() {
        Verdict::Beaten => "beaten",
        Verdict::Reached => "reached",
        Verdict::Short => "short",
    };
    format!("{word}{}", if outcome.is_optimal() { ", optimal" } else { "" })
}

fn in_words(judged: &Judged) -> String {
    let Judged { spec, collective, steps, transfers, refusal, swaps, swaps_without_path, swaps_refused } = judged;
    let (collective, verdict) = (collective.to_uppercase(), refusal.as_deref().unwrap_or("accepted"));
    let refused = if refusal.is_some() { "refused: " } else { "" };
    format!(
        "{collective} in {steps} steps on `{spec}`, {transfers} transfers: {refused}{verdict}. Two cells of a column can be \
         swapped in {swaps} ways: {swaps_without_path} would send a terminal its own message, {swaps_refused} are \
         refused.\n"
    )
}

/// The mean time of the successful runs of several figures.
fn mean(outcomes: &[&Outcome]) -> Option<Duration> {
    let successes: u32 = outcomes.iter().map(|outcome| outcome.successes).sum();
    let spent: Duration = outcomes.iter().filter_map(|outcome| Some(outcome.mean? * outcome.successes)).sum();
    (successes > 0).then(|| spent / successes)
}

/// How many times shorter ours is; the document's "below one second" counts as at most one.
fn ratio(cell: &Cell, mean: Option<Duration>) -> String {
    let Some(mean) = mean.map(|mean| mean.as_secs_f64()).filter(|&mean| mean > 0.0) else { return "-".to_owned() };
    match cell.seconds {
        Some(seconds) => format!("{:.0}", seconds / mean),
        None => format!("< {:.0}", (1.0 / mean).max(1.0)),
    }
}

/// A time in a unit that a person would choose.
fn seconds(seconds: f64) -> String {
    match seconds {
        86_400.0.. => format!("{:.1} d", seconds / 86_400.0),
        3_600.0.. => format!("{:.1} h", seconds / 3_600.0),
        60.0.. => format!("{:.1} min", seconds / 60.0),
        1.0.. => format!("{seconds:.1} s"),
        _ => format!("{:.2} ms", seconds * 1_000.0),
    }
}
