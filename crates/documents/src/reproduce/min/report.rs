//! The report: the tables of the paper with our figures.

use std::time::Duration;

use lockstep::EngineChoice;
use lockstep::schedule::CostModel;
use lockstep_report::Table;

use super::cells::{BROADCAST_EVALUATIONS, Outcome, SCATTER_EVALUATIONS, Settings, Verdict};
use super::figures::{Cell, Figures, Network};
use super::published_schedule::VerifiedSchedule;
use crate::reproduce::figure_table::{Column, Compared, FigureTable};
use crate::reproduce::report_text::ReportText;
use crate::template::Template;

const TEMPLATE: Template = Template::new(include_str!("../../../templates/min.md"));

/// The results for all tables.
pub(super) struct MinReport<'a> {
    pub(super) figures: &'a Figures,
    pub(super) settings: &'a Settings,
    /// The only table, or `None` for all.
    pub(super) table: Option<u8>,
    pub(super) results: Vec<Outcome<'a>>,
    /// The published schedules of Tables 2 and 4, by table.
    pub(super) schedules: Vec<(u8, VerifiedSchedule)>,
}

/// The columns of the figures.
const COLUMNS: [Column; 16] = [
    Column("table", Compared::Key),
    Column("network", Compared::Key),
    Column("spec", Compared::Equal),
    Column("collective", Compared::Key),
    Column("place", Compared::Key),
    Column("document_steps", Compared::Equal),
    Column("document_optimal", Compared::Equal),
    Column("our_steps", Compared::Fewer),
    Column("bound", Compared::More),
    Column("rule", Compared::Uncompared),
    Column("found_by", Compared::Uncompared),
    Column("verdict", Compared::Derived),
    Column("runs", Compared::Uncompared),
    Column("successes", Compared::Successes),
    Column("document_success_percent", Compared::Equal),
    Column("document_seconds", Compared::Equal),
];

/// The collectives in the order of the paper.
const COLLECTIVES: [&str; 4] = ["oab", "aab", "oas", "aas"];

impl MinReport<'_> {
    /// Returns true if no figure is worse than in the paper and, with the planner, each figure is optimal.
    pub(super) fn holds(&self) -> bool {
        let is_planned = self.settings.engine == EngineChoice::Auto;
        self.results.iter().all(|outcome| outcome.verdict() != Verdict::Short && (outcome.is_optimal() || !is_planned))
            && self.schedules.iter().all(|(_, schedule)| schedule.holds())
            && self.equation_holds()
    }

    /// Returns the report.
    pub(super) fn text(&self) -> ReportText {
        let Settings { engine, runs, seed, .. } = self.settings;
        let mut report = ReportText::new(TEMPLATE);
        let options = if *engine == EngineChoice::Auto { String::new() } else { format!(" --engine {engine}") };
        let runs = format!("{runs} {}", if *runs == 1 { "run" } else { "runs" });
        report.add("head", &[("options", &options), ("runs", &runs), ("seed", seed)]);
        if *engine == EngineChoice::Named("umda") {
            let [scatter, broadcast] =
                [SCATTER_EVALUATIONS, BROADCAST_EVALUATIONS].map(|limit| format!("2^{}", limit.ilog2()));
            report.add("method", &[("scatter", &scatter), ("broadcast", &broadcast)]);
        }
        for number in (1..=6).filter(|number| self.table.is_none_or(|table| table == *number)) {
            match number {
                1 | 3 => self.add_steps(&mut report, number),
                2 | 4 => {
                    for (_, schedule) in self.schedules.iter().filter(|(table, _)| *table == number) {
                        add_schedule(&mut report, number, schedule);
                    }
                }
                5 => report.add("success", &[("rates", &self.rates().to_markdown())]),
                _ => report.add_uncompared("table-times", &[("times", &self.times().to_markdown())]),
            }
        }
        if self.table.is_none() {
            self.add_totals(&mut report);
        }
        report
    }

    /// Returns one row per figure.
    pub(super) fn figure_table(&self) -> FigureTable {
        let mut table = FigureTable::new(&COLUMNS);
        for outcome in &self.results {
            let Outcome { network, cell, .. } = outcome;
            table.push([
                network.table.to_string(),
                network.name.clone(),
                network.spec.clone(),
                cell.collective.clone(),
                outcome.place.to_string(),
                outcome.published().to_string(),
                (!cell.suboptimal).to_string(),
                outcome.steps.map(|steps| steps.to_string()).unwrap_or_default(),
                outcome.bound.to_string(),
                outcome.rule.clone(),
                outcome.finder.clone(),
                verdict(outcome),
                outcome.runs.to_string(),
                outcome.successes.to_string(),
                cell.success_percent.to_string(),
                cell.seconds.map(|seconds| seconds.to_string()).unwrap_or_default(),
            ]);
        }
        table
    }

    fn add_steps(&self, report: &mut ReportText, number: u8) {
        let kind = if number == 1 { "unidirectional" } else { "bidirectional" };
        let (steps, figures) = (self.steps(number).to_markdown(), self.figures_of(number).to_markdown());
        let doubts = self.doubts(number);
        report.add(
            "steps",
            &[("number", &number), ("kind", &kind), ("steps", &steps), ("figures", &figures), ("doubts", &doubts)],
        );
        let methods = self.methods_and_times(number).to_markdown();
        report.add_uncompared("methods-and-times", &[("number", &number), ("methods", &methods)]);
    }

    fn add_totals(&self, report: &mut ReportText) {
        let optimal = self.results.iter().filter(|outcome| outcome.is_optimal()).count();
        report.add("together", &[("figures", &self.results.len()), ("optimal", &optimal)]);
        report.add("equation", &[("lines", &self.equation())]);
        let time: Duration = self.results.iter().filter_map(|outcome| outcome.mean).sum();
        report.add_uncompared("total-time", &[("time", &seconds(time.as_secs_f64()))]);
    }

    /// Returns the table as in the paper.
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
                let published = published_time(outcomes[0].cell);
                let ours = mean(outcomes).map_or_else(|| "none".to_owned(), |mean| seconds(mean.as_secs_f64()));
                format!("{published} -> {ours}")
            },
        )
    }

    fn by_network(&self, is_wanted: impl Fn(&Network) -> bool, cell: impl Fn(&[&Outcome]) -> String) -> Table {
        let mut table = Table::new(["Topology".to_owned()].into_iter().chain(COLLECTIVES.map(str::to_uppercase)));
        for network in self.figures.networks.iter().filter(|network| is_wanted(network)) {
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

    fn results_of(&self, number: u8) -> impl Iterator<Item = &Outcome<'_>> {
        self.results.iter().filter(move |outcome| outcome.network.table == number)
    }

    /// One row per figure.
    fn figures_of(&self, number: u8) -> Table {
        let mut table =
            Table::new(["Topology", "Collective", "Paper", "Ours", "Bound", "Verdict", "Success %", "Paper %"]);
        for outcome in self.results_of(number) {
            let Outcome { network, cell, .. } = outcome;
            table.push([
                network.name.clone(),
                collective_and_root(outcome),
                format!("{}{}", outcome.published(), if cell.suboptimal { "*" } else { "" }),
                outcome.steps.map_or_else(|| "none".to_owned(), |steps| steps.to_string()),
                outcome.bound.to_string(),
                verdict(outcome),
                outcome.success_percent().to_string(),
                cell.success_percent.to_string(),
            ]);
        }
        table
    }

    /// One row per figure with the rule of the bound, the method, our mean time, that of the paper, and their ratio.
    fn methods_and_times(&self, number: u8) -> Table {
        let mut table = Table::new(["Topology", "Collective", "Rule", "Found by", "Mean time", "Paper", "Ratio"]);
        for outcome in self.results_of(number) {
            table.push([
                outcome.network.name.clone(),
                collective_and_root(outcome),
                outcome.rule.clone(),
                outcome.finder.clone(),
                outcome.mean.map_or_else(|| "-".to_owned(), |mean| seconds(mean.as_secs_f64())),
                published_time(outcome.cell),
                ratio(outcome.cell, outcome.mean),
            ]);
        }
        table
    }

    fn doubts(&self, number: u8) -> String {
        let cells = self.figures.networks.iter().filter(|network| network.table == number);
        let cells = cells.flat_map(|network| network.cells.iter().map(move |cell| (network, cell)));
        let is_shown = |cell: &Cell| self.results.iter().any(|outcome| std::ptr::eq(outcome.cell, cell));
        let doubts = cells.filter(|(_, cell)| is_shown(cell)).filter_map(|(network, cell)| {
            let collective = cell.collective.to_uppercase();
            let doubt = cell.doubt.as_ref()?;
            Some(TEMPLATE.fill("doubt", &[("network", &network.name), ("collective", &collective), ("doubt", doubt)]))
        });
        doubts.collect::<Vec<_>>().join("\n\n")
    }

    fn equation(&self) -> String {
        let equation = &self.figures.equation1;
        let model = CostModel { start_up_ps: equation.start_up_ps, byte_ps: equation.byte_ps };
        let line = |(steps, published): &(u64, String)| {
            let time = model.time_of_steps(*steps, equation.bytes);
            TEMPLATE.fill(
                "equation-line",
                &[("steps", steps), ("bytes", &equation.bytes), ("published", published), ("time", &time)],
            )
        };
        equation.times_us.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Compares our times with the published ones, whose last digits are cut off.
    fn equation_holds(&self) -> bool {
        let equation = &self.figures.equation1;
        let model = CostModel { start_up_ps: equation.start_up_ps, byte_ps: equation.byte_ps };
        equation.times_us.iter().all(|(steps, published)| {
            let digits = published.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            format!("{:.digits$}", model.time_of_steps(*steps, equation.bytes)) == format!("{published} us")
        })
    }
}

fn add_schedule(report: &mut ReportText, number: u8, schedule: &VerifiedSchedule) {
    let VerifiedSchedule { spec, collective, steps, transfers, refusal, swaps, swaps_without_path, swaps_refused } =
        schedule;
    let verdict = refusal.as_ref().map_or_else(|| "accepted".to_owned(), |violation| format!("refused: {violation}"));
    report.add(
        "schedule",
        &[
            ("number", &number),
            ("collective", &collective.to_uppercase()),
            ("steps", steps),
            ("spec", spec),
            ("transfers", transfers),
            ("verdict", &verdict),
            ("swaps", swaps),
            ("swaps_without_path", swaps_without_path),
            ("swaps_refused", swaps_refused),
        ],
    );
}

fn collective_and_root(outcome: &Outcome) -> String {
    let levels = outcome.cell.steps.len();
    let root = match outcome.place {
        _ if levels == 1 => String::new(),
        0 => " from a leaf".to_owned(),
        place if place + 1 == levels => " from the root".to_owned(),
        place => format!(" from level {place}"),
    };
    outcome.cell.collective.to_uppercase() + &root
}

fn steps_in_cell(outcome: &Outcome) -> String {
    let published = outcome.published();
    match outcome.steps {
        Some(steps) if steps == published => published.to_string(),
        Some(steps) => format!("{published} -> {steps}"),
        None => format!("{published} -> none"),
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

/// Returns the mean time of the successful runs of several figures.
fn mean(outcomes: &[&Outcome]) -> Option<Duration> {
    let successes: u32 = outcomes.iter().map(|outcome| outcome.successes).sum();
    let spent: Duration = outcomes.iter().filter_map(|outcome| Some(outcome.mean? * outcome.successes)).sum();
    (successes > 0).then(|| spent / successes)
}

fn published_time(cell: &Cell) -> String {
    cell.seconds.map_or_else(|| "<1 s".to_owned(), seconds)
}

/// Returns the published time divided by ours; "below one second" counts as at most one second.
fn ratio(cell: &Cell, mean: Option<Duration>) -> String {
    let Some(mean) = mean.map(|mean| mean.as_secs_f64()).filter(|&mean| mean > 0.0) else { return "-".to_owned() };
    match cell.seconds {
        Some(seconds) => format!("{:.0}", seconds / mean),
        None => format!("< {:.0}", (1.0 / mean).max(1.0)),
    }
}

/// Returns a time in a readable unit.
fn seconds(seconds: f64) -> String {
    match seconds {
        86_400.0.. => format!("{:.1} d", seconds / 86_400.0),
        3_600.0.. => format!("{:.1} h", seconds / 3_600.0),
        60.0.. => format!("{:.1} min", seconds / 60.0),
        1.0.. => format!("{seconds:.1} s"),
        _ => format!("{:.2} ms", seconds * 1_000.0),
    }
}
