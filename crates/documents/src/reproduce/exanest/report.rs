//! The report: the tables and figures of the paper with ours.

use lockstep_report::Table;

use super::beyond::{PREDICTED_LINKS, Predictor, ProvedDesign, ROUTINGS as RIVAL_ROUTINGS, Rival};
use super::claims::{Claim, gain};
use super::columns::{Budget, Runs, Sample};
use super::networks::{EnumeratedNetworks, MeasuredPick};
use super::overrated::{Overrated, Width};
use super::simulated::{ROUTINGS, Times};
use crate::reproduce::figure_table::{Column, Compared, FigureTable};
use crate::reproduce::report_text::ReportText;
use crate::template::{Template, Values};

const TEMPLATE: Template = Template::new(include_str!("../../../templates/exanest.md"));

/// The columns of the figures. Means of fewer runs are other figures, so the number of runs is a part of the key.
const COLUMNS: [Column; 15] = [
    Column("table", Compared::Key),
    Column("pext", Compared::Key),
    Column("algorithm", Compared::Key),
    Column("budget", Compared::Key),
    Column("runs", Compared::Key),
    Column("links", Compared::Key),
    Column("document_f1", Compared::Equal),
    Column("document_f1_sd", Compared::Equal),
    Column("document_f2", Compared::Equal),
    Column("document_f2_sd", Compared::Equal),
    Column("designs", Compared::Equal),
    Column("f1", Compared::Equal),
    Column("f1_sd", Compared::Equal),
    Column("f2", Compared::Equal),
    Column("f2_sd", Compared::Equal),
];

/// The results for all tables and figures.
#[derive(Default)]
pub(super) struct ExanestReport<'a> {
    pub(super) runs: u32,
    pub(super) seed: u64,
    pub(super) columns: Vec<Runs<'a>>,
    pub(super) enumeration: EnumeratedNetworks,
    pub(super) picks: Vec<MeasuredPick<'a>>,
    pub(super) overrated: Vec<Overrated>,
    /// By tasks per router, 1 and 4.
    pub(super) figure_4: [Vec<Times>; 2],
    pub(super) figure_5: [Vec<Times>; 2],
    pub(super) beyond: Option<Beyond>,
    pub(super) claims: Vec<Claim>,
    /// The parts of the reproduction with their times in seconds.
    pub(super) laps: Vec<(&'static str, f64)>,
}

/// Results that are not in the paper.
pub(super) struct Beyond {
    pub(super) designs: Vec<ProvedDesign>,
    pub(super) equal_ports: Vec<ProvedDesign>,
    pub(super) predictors: Vec<Predictor>,
    /// By number of links.
    pub(super) rivals: Vec<(u32, Vec<Rival>)>,
}

impl ExanestReport<'_> {
    /// Returns the report.
    pub(super) fn text(&self) -> ReportText {
        let mut report = ReportText::new(TEMPLATE);
        let runs = if self.runs == 1 { "1 run".to_owned() } else { format!("{} runs", self.runs) };
        let claims = claims(&self.claims).to_markdown();
        report.add("head", &[("runs", &runs), ("seed", &self.seed), ("claims", &claims)]);
        for pair in self.columns.chunks(Budget::ALL.len()) {
            if let [fitted, stated] = pair {
                let column = fitted.column;
                let external = if column.table == 2 { String::new() } else { format!(", pext {}", column.external) };
                report.add(
                    "column",
                    &[
                        ("table", &if column.table == 2 { "II" } else { "III" }),
                        ("algorithm", &column.algorithm),
                        ("external", &external),
                        ("means", &column_table(fitted, stated).to_markdown()),
                    ],
                );
            }
        }
        if !self.overrated.is_empty() {
            report.add("overrated", &[("table", &overrated_table(&self.overrated).to_markdown())]);
        }
        let enumeration = enumeration_table(&self.enumeration).to_markdown();
        report.add("picks", &[("picks", &pick_table(&self.picks).to_markdown()), ("enumeration", &enumeration)]);
        for (number, figure) in [(4, &self.figure_4), (5, &self.figure_5)] {
            for (times, tasks) in figure.iter().zip(["one task", "four tasks"]).filter(|(times, _)| !times.is_empty()) {
                let is_drawn = tasks == "one task";
                let picture = if is_drawn { TEMPLATE.fill("picture", &[("number", &number)]) } else { String::new() };
                let table = times_table(times).to_markdown();
                let values: Values<'_> =
                    &[("number", &number), ("tasks", &tasks), ("table", &table), ("picture", &picture)];
                report.add("figure", values);
            }
        }
        if let Some(beyond) = &self.beyond {
            add_beyond(&mut report, beyond);
        }
        if !self.laps.is_empty() {
            self.add_times(&mut report);
        }
        report
    }

    fn add_times(&self, report: &mut ReportText) {
        let mut table = Table::new(["Part", "Seconds"]);
        self.laps.iter().for_each(|(part, seconds)| table.push([(*part).to_owned(), format!("{seconds:.1}")]));
        let longest = |table| {
            let runs = self.columns.iter().filter(|runs| runs.column.table == table && runs.budget == Budget::Stated);
            format!("{:.2}", runs.map(|runs| runs.longest.as_secs_f64()).fold(0.0, f64::max))
        };
        let table = table.to_markdown();
        report.add_uncompared("times", &[("table", &table), ("longest_2", &longest(2)), ("longest_3", &longest(3))]);
    }

    /// Returns the means of the tables, one row per column and number of links.
    pub(super) fn figure_table(&self) -> FigureTable {
        let mut table = FigureTable::new(&COLUMNS);
        for runs in &self.columns {
            let column = runs.column;
            for group in &column.groups {
                let given = |values: &[f64], place: usize| values.get(place).map(f64::to_string).unwrap_or_default();
                let of = |sample: Option<Sample>| {
                    sample.map_or([const { String::new() }; 2], |one| {
                        [one.mean, one.deviation].map(|value| format!("{value:.4}"))
                    })
                };
                let (cut, paths) = (runs.cut(group.links), runs.paths(group.links));
                let ([f1, f1_deviation], [f2, f2_deviation]) = (of(cut), of(paths));
                table.push([
                    column.table.to_string(),
                    column.external.to_string(),
                    column.algorithm.to_string(),
                    name(runs.budget).to_owned(),
                    self.runs.to_string(),
                    group.links.to_string(),
                    given(&group.cut, 0),
                    given(&group.cut, 1),
                    given(&group.paths, 0),
                    given(&group.paths, 1),
                    cut.map_or(0, |cut| cut.count).to_string(),
                    f1,
                    f1_deviation,
                    f2,
                    f2_deviation,
                ]);
            }
        }
        table
    }
}

fn add_beyond(report: &mut ReportText, beyond: &Beyond) {
    let predictors = &beyond.predictors;
    let mean =
        |one: &Predictor| one.correlations.iter().map(|pair| pair[0]).sum::<f64>() / one.correlations.len() as f64;
    let best = predictors.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let paths = predictors.iter().find(|one| one.name == "paths").map_or(0.0, mean);
    report.add(
        "beyond",
        &[
            ("designs", &design_table(&beyond.designs).to_markdown()),
            ("equal_ports", &design_table(&beyond.equal_ports).to_markdown()),
            ("predictors", &predictor_table(predictors).to_markdown()),
            ("best", &best.map_or("-", |best| best.name)),
            ("best_mean", &format!("{:+.2}", best.map_or(0.0, mean))),
            ("paths_mean", &format!("{paths:+.2}")),
            ("remark", &if paths < 0.0 { TEMPLATE.fill("paths-remark", &[]) } else { String::new() }),
        ],
    );
    for (links, rivals) in &beyond.rivals {
        let (table, verdict) = (rival_table(rivals).to_markdown(), verdict(rivals));
        report.add("rivals", &[("links", links), ("rivals", &table), ("verdict", &verdict)]);
    }
}

fn name(budget: Budget) -> &'static str {
    match budget {
        Budget::Effective => "paper",
        Budget::Stated => "stated",
    }
}

fn claims(claims: &[Claim]) -> Table {
    let mut table = Table::new(["Claim", "Paper", "Ours", "Reproduced if", "Verdict", "Reason"]);
    for claim in claims {
        let verdict = if claim.is_reproduced { "reproduced" } else { "not reproduced" };
        table.push([claim.about(), &claim.published, &claim.ours, claim.criterion(), verdict, claim.reason()]);
    }
    table
}

fn column_table(fitted: &Runs<'_>, stated: &Runs<'_>) -> Table {
    let mut table = Table::new([
        "Links",
        "f1 published",
        "f1 fitted",
        "deviation",
        "f1 stated",
        "f2 published",
        "f2 fitted",
        "f2 stated",
        "Designs",
    ]);
    for group in &fitted.column.groups {
        let published = |values: &[f64]| match values {
            [mean, deviation] => format!("{mean} ± {deviation}"),
            [mean] => mean.to_string(),
            _ => String::new(),
        };
        let ours = |sample: Option<Sample>| match sample {
            Some(Sample { mean, deviation, .. }) if mean < 1e4 => format!("{mean:.2} ± {deviation:.2}"),
            Some(Sample { mean, .. }) => format!("{mean:.1e}"),
            None => "-".to_owned(),
        };
        let cut = fitted.cut(group.links);
        let off = cut.map_or("-".to_owned(), |cut| format!("{:+.1} %", 100.0 * (cut.mean / group.cut[0] - 1.0)));
        table.push([
            group.links.to_string(),
            published(&group.cut),
            ours(cut),
            off,
            ours(stated.cut(group.links)),
            published(&group.paths),
            ours(fitted.paths(group.links)),
            ours(stated.paths(group.links)),
            cut.map_or(0, |cut| cut.count).to_string(),
        ]);
    }
    table
}

fn overrated_table(rows: &[Overrated]) -> Table {
    let mut table = Table::new(["Links", "Recorded", "Another run", "Width", "Overrated by", "Proved"]);
    for row in rows {
        table.push([
            row.links.to_string(),
            format!("{:.2}", row.recorded.mean),
            format!("{:.2}", row.fresh.mean),
            format!("{:.2}", row.width.mean),
            format!("{:+.1} %", 100.0 * (row.recorded.mean / row.width.mean - 1.0)),
            format!("{}/{}", row.proved, row.width.count),
        ]);
    }
    table
}

fn width(width: Width) -> String {
    if width.is_exact() { width.cut.to_string() } else { format!("≤ {} (≥ {})", width.cut, width.lower_bound) }
}

fn pick_table(picks: &[MeasuredPick<'_>]) -> Table {
    let mut table = Table::new(["Pick", "Width", "Paths", "Distance", "Diameter", "Ports", "Code"]);
    for pick in picks {
        table.push([
            pick.pick.name.clone(),
            width(pick.width),
            format!("{:.3}", pick.paths),
            format!("{:.3}", pick.distance),
            pick.diameter.to_string(),
            pick.ports.to_string(),
            format!("`{}`", pick.pick.code),
        ]);
    }
    table
}

fn enumeration_table(enumeration: &EnumeratedNetworks) -> Table {
    let mut table = Table::new(["Routers", "Width", "Paths"]);
    for (name, front) in [("any ports", &enumeration.front), ("equal ports", &enumeration.equal_ports)] {
        for [cut, paths] in front {
            table.push([name.to_owned(), cut.to_string(), format!("{paths:.3}")]);
        }
    }
    table
}

fn times_table(times: &[Times]) -> Table {
    let names = ROUTINGS.iter().map(|(name, _)| *name);
    let mut table = Table::new(["Network"].into_iter().chain(names).chain(["Tree / split"]));
    for entry in times {
        let means = entry.means().map(|time| format!("{time:.0}"));
        table.push([entry.name.clone()].into_iter().chain(means).chain([format!("{:.2}", gain(entry))]));
    }
    table
}

fn design_table(designs: &[ProvedDesign]) -> Table {
    let mut table = Table::new(["Links", "Width", "Paths", "Code"]);
    for design in designs {
        let paths = if design.paths < 1e4 { format!("{:.2}", design.paths) } else { format!("{:.1e}", design.paths) };
        table.push([design.links.to_string(), width(design.width), paths, format!("`{}`", design.code)]);
    }
    table
}

fn predictor_table(predictors: &[Predictor]) -> Table {
    let names = PREDICTED_LINKS
        .iter()
        .flat_map(|links| [format!("speed, {links} links"), format!("throughput, {links} links")]);
    let mut table = Table::new(["Objective".to_owned()].into_iter().chain(names));
    for one in predictors {
        let cells = one.correlations.iter().flatten().map(|correlation| format!("{correlation:+.2}"));
        table.push([one.name.to_owned()].into_iter().chain(cells));
    }
    table
}

fn rival_table(rivals: &[Rival]) -> Table {
    let routings = RIVAL_ROUTINGS.iter().map(|(name, _)| *name);
    let header = ["Network", "Width", "Paths", "Distance", "Throughput", "Ports"];
    let mut table = Table::new(header.into_iter().chain(routings));
    for rival in rivals {
        let [first, second] = rival.times.map(|time| format!("{time:.0}"));
        table.push([
            rival.name.clone(),
            rival.width.map_or("-".to_owned(), width),
            format!("{:.2}", rival.paths),
            format!("{:.3}", rival.distance),
            format!("{:.3}", rival.throughput),
            rival.ports.to_string(),
            first,
            second,
        ]);
    }
    table
}

/// A criterion: its name and the value that is best if it is smallest.
type Criterion<'a> = (&'a str, &'a dyn Fn(&Rival) -> f64);

/// Compares the best design with the random networks, which come last, by each criterion.
fn verdict(rivals: &[Rival]) -> String {
    let Some((random, designed)) = rivals.split_last() else { return String::new() };
    // Each value is negated where more is better, so that the smallest one wins.
    let criteria: [Criterion<'_>; 3] = [
        ("by throughput", &|one| -one.throughput),
        ("in time, SP random", &|one| one.times[0]),
        ("in time, ECMP split", &|one| one.times[1]),
    ];
    let line = |(criterion, value): Criterion<'_>| {
        let best = designed.iter().min_by(|a, b| value(a).total_cmp(&value(b)))?;
        let is_design = value(best) < value(random);
        Some(TEMPLATE.fill(
            "rival-verdict",
            &[
                ("criterion", &criterion),
                ("name", &best.name),
                ("ours", &format!("{:.3}", value(best).abs())),
                ("theirs", &format!("{:.3}", value(random).abs())),
                ("winner", &if is_design { "it wins" } else { "random networks win" }),
            ],
        ))
    };
    criteria.into_iter().filter_map(line).collect::<Vec<_>>().join("\n")
}
