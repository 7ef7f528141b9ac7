//! The claims of the paper, checked against our figures.

use lockstep::pareto::SelectionAlgorithm;

use super::columns::{Budget, FrontDesign, Runs, Sample};
use super::figures::Figures;
use super::networks::{EnumeratedNetworks, MeasuredPick};
use super::simulated::{ROUTINGS, Times};
use crate::template::Template;

const TEMPLATE: Template = Template::new(include_str!("../../../templates/exanest-claims.md"));

/// A claim of the paper and our figure.
pub(super) struct Claim {
    /// Three lines: the claim, the criterion of the verdict, and the reason for our figure.
    words: String,
    /// The figure of the paper.
    pub(super) published: String,
    pub(super) ours: String,
    pub(super) is_reproduced: bool,
    /// The value of `is_reproduced` in a correct reproduction, where it is known.
    pub(super) expected: Option<bool>,
}

impl Claim {
    /// Returns the claim.
    pub(super) fn about(&self) -> &str {
        self.line(0)
    }

    /// Returns the criterion: our figure is a reproduction if it meets it.
    pub(super) fn criterion(&self) -> &str {
        self.line(1)
    }

    /// Returns the reason for our figure.
    pub(super) fn reason(&self) -> &str {
        self.line(2)
    }

    fn line(&self, number: usize) -> &str {
        self.words.lines().nth(number).unwrap_or_default()
    }

    /// Returns true if the verdict is as expected.
    pub(super) fn holds(&self) -> bool {
        self.expected.is_none_or(|expected| expected == self.is_reproduced)
    }
}

/// Smallest number of runs whose means can be compared.
const ENOUGH_RUNS: usize = 60;

/// The tolerance of a claim about measured values, in percent.
const TOLERANCE: f64 = 10.0;

/// The tolerance of the means that the budget is fitted to, in percent.
const FITTED_TOLERANCE: f64 = 5.0;

/// Returns true if a value is within the usual tolerance of a published one.
fn is_close(ours: f64, published: f64) -> bool {
    deviation(ours, published) <= TOLERANCE
}

/// Returns the deviation from a published value in percent, without its sign.
fn deviation(ours: f64, published: f64) -> f64 {
    100.0 * (ours / published - 1.0).abs()
}

/// Returns the claims about single networks.
pub(super) fn of_networks(
    figures: &Figures,
    drawn: usize,
    enumeration: &EnumeratedNetworks,
    picks: &[MeasuredPick<'_>],
) -> Vec<Claim> {
    let cables = figures.figure2.cables.len();
    let front = |front: &[[f64; 2]]| {
        front.iter().map(|[cut, paths]| format!("({cut}, {paths:.3})")).collect::<Vec<_>>().join(" ")
    };
    let widths = |width: &dyn Fn(&MeasuredPick<'_>) -> u32| {
        picks.iter().map(|pick| width(pick).to_string()).collect::<Vec<_>>().join(" / ")
    };
    let read = |name: &str| name.split('-').next().unwrap_or_default().to_owned();
    vec![
        Claim {
            words: TEMPLATE.fill("figure-2", &[]),
            published: format!("{cables} cables"),
            ours: format!("{drawn} of them"),
            is_reproduced: drawn == cables,
            expected: Some(true),
        },
        Claim {
            words: TEMPLATE.fill("four-links", &[]),
            published: format!(
                "{} classes, {} connected: {}",
                figures.survey.classes,
                figures.survey.connected,
                front(&figures.survey.front)
            ),
            ours: format!(
                "{} classes, {} connected: {}",
                enumeration.classes,
                enumeration.connected,
                front(&enumeration.front)
            ),
            is_reproduced: enumeration.matches(&figures.survey),
            expected: Some(true),
        },
        Claim {
            words: TEMPLATE.fill("pick-widths", &[]),
            published: picks.iter().map(|pick| read(&pick.pick.name)).collect::<Vec<_>>().join(" / "),
            ours: widths(&|pick| pick.width.cut),
            is_reproduced: picks.iter().all(|pick| read(&pick.pick.name) == pick.width.cut.to_string()),
            expected: Some(false),
        },
        Claim {
            words: TEMPLATE.fill("pick-analysis", &[]),
            published: widths(&|pick| pick.pick.bisection),
            ours: widths(&|pick| pick.width.cut),
            is_reproduced: picks.iter().all(|pick| pick.width.is_exact() && pick.width.cut == pick.pick.bisection),
            expected: Some(true),
        },
        Claim {
            words: TEMPLATE.fill("most-paths", &[]),
            published: "f2 = 3".to_owned(),
            ours: picks
                .iter()
                .find(|pick| pick.pick.name == "8-33-4")
                .map(|pick| format!("f2 = {:.3}", pick.paths))
                .unwrap_or_default(),
            is_reproduced: picks.iter().any(|pick| pick.pick.name == "8-33-4" && (pick.paths - 3.0).abs() < 0.5),
            expected: Some(false),
        },
    ]
}

/// Returns the claims of Tables II and III.
pub(super) fn of_columns(columns: &[Runs<'_>]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for runs in columns.iter().filter(|runs| runs.budget == Budget::Effective) {
        claims.extend(of_column(runs));
    }
    for (table, external) in [(2, 0.0), (3, 0.75), (3, 0.5), (3, 0.25)] {
        claims.extend(nsga_wins(columns, table, external));
    }
    claims
}

/// Returns the claims about one column, with the largest deviation of its means.
fn of_column(runs: &Runs<'_>) -> Vec<Claim> {
    let column = runs.column;
    let is_first = column.table == 2 && column.algorithm == SelectionAlgorithm::Nsga2;
    let is_enough = runs.fronts.len() >= ENOUGH_RUNS;
    let mut worst: f64 = 0.0;
    let mut missing = false;
    for group in &column.groups {
        match runs.cut(group.links) {
            Some(cut) => worst = worst.max(deviation(cut.mean, group.cut[0])),
            None => missing = true,
        }
    }
    let tolerance = if is_first { FITTED_TOLERANCE } else { TOLERANCE };
    let algorithm = if column.algorithm == SelectionAlgorithm::Nsga2 { "NSGA-II" } else { "SMS-EMOA" };
    let table = if column.table == 2 { "II" } else { "III" };
    let mut claims = vec![Claim {
        words: TEMPLATE.fill(
            if is_first { "f1-first" } else { "f1-other" },
            &[("table", &table), ("algorithm", &algorithm), ("tolerance", &tolerance)],
        ),
        published: format!("its means, pext {}", column.external),
        ours: format!("deviations up to {worst:.1} %{}", if missing { ", some rows empty" } else { "" }),
        is_reproduced: worst <= tolerance && !missing,
        expected: (is_first && is_enough).then_some(true),
    }];
    if column.table == 2 {
        let paths = runs.designs().filter(|found| found.links == 2).map(|found| found.paths);
        let pendants = 33.0 / 31.0;
        let is_it = paths.clone().count() > 0 && paths.clone().all(|paths| paths <= pendants + 1e-12);
        claims.push(Claim {
            words: TEMPLATE.fill("table-2-f2", &[("algorithm", &algorithm)]),
            published: "1.06".to_owned(),
            ours: format!("{:.4}", paths.clone().fold(0.0, f64::max)),
            is_reproduced: is_it && (paths.fold(0.0, f64::max) - pendants).abs() < 1e-12,
            expected: Some(true),
        });
    } else {
        let paths = runs.designs().filter(|found| found.links == 2).map(|found| found.paths);
        let most = paths.fold(0.0, f64::max);
        claims.push(Claim {
            words: TEMPLATE.fill("table-3-f2", &[]),
            published: "1.02".to_owned(),
            ours: format!("{most:.4}"),
            is_reproduced: (most - 129.0 / 127.0).abs() < 1e-9,
            expected: None,
        });
        let of =
            |value: fn(&FrontDesign) -> f64| Sample::of(runs.designs().map(value)).map_or(0.0, |sample| sample.mean);
        let (diameter, distance) = (of(|found| found.diameter), of(|found| found.distance));
        if let (Some(document), Some(average)) = (column.diameter, column.distance) {
            claims.push(Claim {
                words: TEMPLATE.fill("table-3-distances", &[("tolerance", &TOLERANCE)]),
                published: format!("{document} and {average}"),
                ours: format!("{diameter:.2} and {distance:.2}"),
                is_reproduced: is_close(diameter, document) && is_close(distance, average),
                expected: None,
            });
        }
    }
    claims
}

/// Compares NSGA-II and SMS-EMOA by hypervolume, with equal numbers of evaluations.
fn nsga_wins(columns: &[Runs<'_>], table: u8, external: f64) -> Option<Claim> {
    let of = |algorithm| {
        let is_it = |runs: &&Runs<'_>| {
            let column = runs.column;
            runs.budget == Budget::Stated
                && (column.table, column.algorithm) == (table, algorithm)
                && (column.external - external).abs() < 1e-9
        };
        columns.iter().find(is_it)?.hypervolume().ok()?
    };
    let (nsga, sms) = (of(SelectionAlgorithm::Nsga2)?, of(SelectionAlgorithm::SmsEmoa)?);
    Some(Claim {
        words: TEMPLATE.fill("nsga-wins", &[("tolerance", &TOLERANCE)]),
        published: format!("Table {}", if table == 2 { "II".to_owned() } else { format!("III, pext {external}") }),
        ours: format!("hypervolumes {:.3} and {:.3}", nsga.mean, sms.mean),
        is_reproduced: nsga.mean >= (1.0 + TOLERANCE / 100.0) * sms.mean,
        expected: None,
    })
}

/// Returns the claims of Figure 4, with one task per router.
pub(super) fn of_figure_4(times: &[Times]) -> Vec<Claim> {
    let factor = |name: &str| times.iter().find(|entry| entry.name == name).map(gain);
    let factors = |names: &[&str]| {
        names.iter().filter_map(|name| Some(format!("{name} {:.2}", factor(name)?))).collect::<Vec<_>>().join(", ")
    };
    let least = times.iter().map(gain).fold(f64::INFINITY, f64::min);
    let wins = |routing: usize| {
        let groups: [(&[&str], &str); 3] =
            [(&["22-2-4", "8-33-4"], "Irreg-8"), (&["38-14-8"], "Irreg-16"), (&["74-6-12", "72-16-12"], "Irreg-24")];
        let time = |name: &str| times.iter().find(|entry| entry.name == name).map(|entry| entry.means()[routing]);
        let names = groups.iter().flat_map(|(names, random)| names.iter().map(move |name| (*name, *random)));
        names.filter(|(name, random)| time(name) < time(random)).map(|(name, _)| name).collect::<Vec<_>>()
    };
    let winners = |routing: usize| match wins(routing) {
        names if names.is_empty() => "none".to_owned(),
        names => format!("only {}", names.join(", ")),
    };
    vec![
        Claim {
            words: TEMPLATE.fill("ecmp-helps", &[]),
            published: "all of Figure 4".to_owned(),
            ours: format!("factors from {least:.2} on"),
            is_reproduced: least >= 1.0,
            expected: Some(true),
        },
        Claim {
            words: TEMPLATE.fill("ecmp-8-3-4", &[]),
            published: "more than 2".to_owned(),
            ours: factors(&["8-33-4"]),
            is_reproduced: factor("8-33-4").is_some_and(|factor| factor > 2.0),
            expected: Some(true),
        },
        Claim {
            words: TEMPLATE.fill("ecmp-22-2-4", &[]),
            published: "more than 2".to_owned(),
            ours: factors(&["22-2-4"]),
            is_reproduced: factor("22-2-4").is_some_and(|factor| factor > 2.0),
            expected: Some(false),
        },
        Claim {
            words: TEMPLATE.fill("fastest-ecmp", &[]),
            published: "all five".to_owned(),
            ours: winners(ROUTINGS.len() - 1),
            is_reproduced: wins(ROUTINGS.len() - 1).len() == 5,
            expected: None,
        },
        Claim {
            words: TEMPLATE.fill("fastest-sp", &[]),
            published: "all five".to_owned(),
            ours: winners(0),
            is_reproduced: wins(0).len() == 5,
            expected: None,
        },
    ]
}

/// Returns the claims of Figure 5.
pub(super) fn of_figure_5(times: &[Times]) -> Vec<Claim> {
    let Some((random, evolved)) = times.split_last() else { return Vec::new() };
    let spread = |routing: usize| {
        let means = times.iter().map(|entry| entry.means()[routing]);
        means.clone().fold(0.0, f64::max) / means.fold(f64::INFINITY, f64::min)
    };
    let gains: Vec<f64> = evolved.iter().map(gain).collect();
    let list = gains.iter().map(|gain| format!("{gain:.2}")).collect::<Vec<_>>().join(", ");
    vec![
        Claim {
            words: TEMPLATE.fill("equal-sp", &[("tolerance", &TOLERANCE)]),
            published: "almost the same time".to_owned(),
            ours: format!("slowest / fastest {:.2}, by the lowest tree {:.2}", spread(1), spread(0)),
            is_reproduced: is_close(spread(1), 1.0),
            expected: None,
        },
        Claim {
            words: TEMPLATE.fill("ecmp-doubles", &[("tolerance", &TOLERANCE)]),
            published: "2, and less".to_owned(),
            ours: format!("{list}, and {:.2}", gain(random)),
            is_reproduced: gains.iter().all(|&one| is_close(one, 2.0) && one > gain(random)),
            expected: None,
        },
    ]
}

/// Returns the speed-up of ECMP (split) over the lowest tree.
pub(super) fn gain(times: &Times) -> f64 {
    let means = times.means();
    means[0] / means[ROUTINGS.len() - 1]
}
