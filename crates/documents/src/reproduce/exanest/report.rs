//! The report: the document's tables and figures, ours beside, and what they are worth.

use std::fmt::Write;

use lockstep_report::Table;

use super::beyond::{Honest, Predictor, ROUTINGS as RIVAL_ROUTINGS, Rival};
use super::claims::{Claim, gain};
use super::columns::{Budget, Runs, Sample};
use super::networks::{Measured, Surveyed};
use super::overrated::{Overrated, Width};
use super::simulated::{ROUTINGS, Times};

/// Everything that came out.
#[derive(Default)]
pub(super) struct Report<'a> {
    pub(super) runs: u32,
    pub(super) seed: u64,
    pub(super) columns: Vec<Runs<'a>>,
    pub(super) enumeration: Surveyed,
    pub(super) picks: Vec<Measured<'a>>,
    pub(super) overrated: Vec<Overrated>,
    /// By tasks on a router, 1 and 4.
    pub(super) figure_4: [Vec<Times>; 2],
    pub(super) figure_5: [Vec<Times>; 2],
    pub(super) beyond: Option<Beyond>,
    pub(super) claims: Vec<Claim>,
    /// What was done, and the seconds it took.
    pub(super) laps: Vec<(&'static str, f64)>,
}

/// What is not in the document.
pub(super) struct Beyond {
    pub(super) honest: Vec<Honest>,
    pub(super) equal_ports: Vec<Honest>,
    pub(super) predictors: Vec<Predictor>,
    /// By number of links.
    pub(super) rivals: Vec<(u32, Vec<Rival>)>,
}

const ABOUT: &str = "f1 is the bisection width as one run of Kernighan and Lin's algorithm from random sides has it, fixed when a \
design is born; f2 the mean number of all shortest paths of two routers; f3 the links of a router on average. *Paper* is the budget \
that reproduces the document's figures: one slot of each router in use at the start, even numbers of links only, 1,900 networks with \
NSGA-II and 1,200 with SMS-EMOA, and in Table II six times as many runs, because they scatter. \
That budget was fitted to the document's means on the seeds from 1 on; another --seed is a test of it. *Stated* is what the document says, 100 generations of 100: it searches better. Means and standard \
deviations are over all designs of the fronts of all runs.\n\n";

const HALVES: &str = "Two slots of either router are in use in all of them, as the operators of the document keep it. Codes with other halves, which its \
crossover also makes, may be better: an honest front below has some.\n";

const CHOSEN: &str = "The best of several designs stands here against the mean of random networks, on the same draws of the \
application: differences of a few percent are the luck of the choice.\n";

const BEYOND: &str = "Bisection widths are those of exact search, with `≤` where the proof did not end within its budget; searches take \
the best of ten cuts and score survivors anew, so that luck does not last.\n\n";

impl Report<'_> {
    /// For a terminal.
    pub(super) fn summary(&self) -> String {
        self.text(Table::to_text, "", "")
    }

    /// The report file.
    pub(super) fn markdown(&self) -> String {
        let mut text = String::from("# Interconnects designed by multi-objective evolution\n\n");
        let _ = write!(
            text,
            "The tables and figures of the document, ours beside. Written by `cargo xtask reproduce-paper exanest`; {} a cell, seeds \
             from {}, {} threads.\n\n",
            if self.runs == 1 { "1 run".to_owned() } else { format!("{} runs", self.runs) },
            self.seed,
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        text + ABOUT + &self.text(Table::to_markdown, "## ", "\n")
    }

    /// The means of the tables, one a line.
    pub(super) fn csv(&self) -> String {
        let header = "table,pext,algorithm,budget,links,document_f1,document_f1_sd,document_f2,document_f2_sd,designs,f1,f1_sd,f2,f2_sd";
        let mut table = Table::new(header.split(','));
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
                let mut cells = vec![
                    column.table.to_string(),
                    column.external.to_string(),
                    column.algorithm.to_string(),
                    name(runs.budget).to_owned(),
                    group.links.to_string(),
                ];
                cells.extend([
                    given(&group.cut, 0),
                    given(&group.cut, 1),
                    given(&group.paths, 0),
                    given(&group.paths, 1),
                ]);
                cells.push(cut.map_or(0, |cut| cut.count).to_string());
                cells.extend(of(cut).into_iter().chain(of(paths)));
                table.push(cells);
            }
        }
        table.to_csv()
    }

    fn text(&self, write: fn(&Table) -> String, heading: &str, gap: &str) -> String {
        let mut text = String::new();
        let mut section = |title: &str, body: String| {
            let _ = write!(text, "{heading}{title}\n{gap}{body}\n");
        };
        section("Claims", write(&claims(&self.claims)));
        for pair in self.columns.chunks(Budget::ALL.len()) {
            if let [paper, stated] = pair {
                let column = paper.column;
                let title = match column.table {
                    2 => format!("Table II: {}", column.algorithm),
                    _ => format!("Table III: {}, pext {}", column.algorithm, column.external),
                };
                section(&title, write(&column_table(paper, stated)));
            }
        }
        if !self.overrated.is_empty() {
            section(
                "The highest f1 of every front, and what it is (Table II, NSGA-II, stated)",
                write(&overrated_table(&self.overrated)),
            );
        }
        section("The picks as they are", write(&pick_table(&self.picks)));
        section("All networks of 4 links: the best", write(&survey_table(&self.enumeration)) + gap + HALVES);
        for (number, figure) in [(4, &self.figure_4), (5, &self.figure_5)] {
            for (times, tasks) in figure.iter().zip(["one task", "four tasks"]).filter(|(times, _)| !times.is_empty()) {
                let picture = format!("![Figure {number}](exanest-figure-{number}.svg)\n");
                let picture =
                    if heading.is_empty() || tasks != "one task" { String::new() } else { format!("\n{picture}") };
                section(
                    &format!("Figure {number}, {tasks} a router: time units"),
                    write(&times_table(times)) + &picture,
                );
            }
        }
        if let Some(beyond) = &self.beyond {
            section("Beyond the document: honest fronts", BEYOND.to_owned() + &write(&honest_table(&beyond.honest)));
            section(
                "The same with as many ports at either router of a chassis",
                write(&honest_table(&beyond.equal_ports)),
            );
            section("What predicts performance?", predictors(&beyond.predictors, write, gap));
            for (links, rivals) in &beyond.rivals {
                section(
                    &format!("Networks of {links} links against random ones"),
                    write(&rival_table(rivals)) + gap + &verdict(rivals) + gap + CHOSEN,
                );
            }
        }
        if !self.laps.is_empty() {
            let mut table = Table::new(["What", "Seconds"]);
            self.laps.iter().for_each(|(what, seconds)| table.push([(*what).to_owned(), format!("{seconds:.1}")]));
            let longest = |table| {
                let runs =
                    self.columns.iter().filter(|runs| runs.column.table == table && runs.budget == Budget::Stated);
                runs.map(|runs| runs.longest.as_secs_f64()).fold(0.0, f64::max)
            };
            let said = format!(
                "The longest run of 100 generations took {:.2} s in Table II and {:.2} s in Table III, one thread each.\n",
                longest(2),
                longest(3)
            );
            section("Time", write(&table) + gap + &said);
        }
        text
    }
}

fn name(budget: Budget) -> &'static str {
    match budget {
        Budget::Effective => "paper",
        Budget::Stated => "stated",
    }
}

fn claims(claims: &[Claim]) -> Table {
    let mut table = Table::new(["Claim", "Document", "Here", "Verdict", "Why"]);
    for claim in claims {
        let verdict = if claim.is_reproduced { "reproduced" } else { "not reproduced" };
        table.push([claim.about, &claim.document, &claim.ours, verdict, claim.why]);
    }
    table
}

fn column_table(paper: &Runs<'_>, stated: &Runs<'_>) -> Table {
    let mut table = Table::new([
        "Links",
        "f1 document",
        "f1 paper",
        "off",
        "f1 stated",
        "f2 document",
        "f2 paper",
        "f2 stated",
        "Designs",
    ]);
    for group in &paper.column.groups {
        let document = |values: &[f64]| match values {
            [mean, deviation] => format!("{mean} ± {deviation}"),
            [mean] => mean.to_string(),
            _ => String::new(),
        };
        let ours = |sample: Option<Sample>| match sample {
            Some(Sample { mean, deviation, .. }) if mean < 1e4 => format!("{mean:.2} ± {deviation:.2}"),
            Some(Sample { mean, .. }) => format!("{mean:.1e}"),
            None => "-".to_owned(),
        };
        let cut = paper.cut(group.links);
        let off = cut.map_or("-".to_owned(), |cut| format!("{:+.1} %", 100.0 * (cut.mean / group.cut[0] - 1.0)));
        table.push([
            group.links.to_string(),
            document(&group.cut),
            ours(cut),
            off,
            ours(stated.cut(group.links)),
            document(&group.paths),
            ours(paper.paths(group.links)),
            ours(stated.paths(group.links)),
            cut.map_or(0, |cut| cut.count).to_string(),
        ]);
    }
    table
}

fn overrated_table(rows: &[Overrated]) -> Table {
    let mut table = Table::new(["Links", "Recorded", "A fresh run", "Width", "Overrated by", "Proved"]);
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

fn pick_table(picks: &[Measured<'_>]) -> Table {
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

fn survey_table(enumeration: &Surveyed) -> Table {
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

fn honest_table(designs: &[Honest]) -> Table {
    let mut table = Table::new(["Links", "Width", "Paths", "Code"]);
    for design in designs {
        let paths = if design.paths < 1e4 { format!("{:.2}", design.paths) } else { format!("{:.1e}", design.paths) };
        table.push([design.links.to_string(), width(design.width), paths, format!("`{}`", design.code)]);
    }
    table
}

fn predictors(predictors: &[Predictor], write: fn(&Table) -> String, gap: &str) -> String {
    let links = super::PREDICTED_LINKS;
    let header = links.iter().flat_map(|links| [format!("speed, {links} links"), format!("throughput, {links} links")]);
    let mut table = Table::new(["Objective".to_owned()].into_iter().chain(header));
    for one in predictors {
        let cells = one.correlations.iter().flatten().map(|correlation| format!("{correlation:+.2}"));
        table.push([one.name.to_owned()].into_iter().chain(cells));
    }
    let mean =
        |one: &Predictor| one.correlations.iter().map(|pair| pair[0]).sum::<f64>() / one.correlations.len() as f64;
    let best = predictors.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let paths = predictors.iter().find(|one| one.name == "paths").map_or(0.0, mean);
    let said = best.map_or(String::new(), |best| {
        format!(
            "Rank correlations over designs drawn at random: 1 if what an objective prefers is always faster. The best predictor of \
             speed is {} ({:+.2} on average); f2 as published has {paths:+.2}{}.\n",
            best.name,
            mean(best),
            if paths < 0.0 { ": it prefers slow networks, because long ways are many" } else { "" },
        )
    });
    write(&table) + gap + &said
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

/// Whether the best of the encoding beat the random networks, which come last.
fn verdict(rivals: &[Rival]) -> String {
    let Some((random, designed)) = rivals.split_last() else { return String::new() };
    let best = |value: &dyn Fn(&Rival) -> f64| {
        designed
            .iter()
            .min_by(|a, b| value(a).total_cmp(&value(b)))
            .map(|one| (one.name.clone(), value(one), value(random)))
    };
    let mut text = String::new();
    for (what, value) in [
        ("by throughput", &(|one: &Rival| -one.throughput) as &dyn Fn(&Rival) -> f64),
        ("in time, SP random", &|one: &Rival| one.times[0]),
        ("in time, ECMP split", &|one: &Rival| one.times[1]),
    ] {
        if let Some((name, ours, theirs)) = best(value) {
            let (ours, theirs) = (ours.abs(), theirs.abs());
            let wins = if what == "by throughput" { ours > theirs } else { ours < theirs };
            let _ = writeln!(
                text,
                "{what}: the best design is {name}, {ours:.3} against {theirs:.3} of random networks: {}.",
                if wins { "it wins" } else { "random networks win" }
            );
        }
    }
    text
}
