//! Pictures of fronts: the first two objectives as axes, the last one as colour.

use std::path::Path;

use anyhow::ensure;
use lockstep::design::{Design, Front, ObjectiveName};
use lockstep_report::{
    AxisUnit, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, PageLimits, PointSeries, ScatterPlot,
    front_html, scatter_svg,
};

use super::machine::describe;
use crate::metrics::better;
use crate::output;
use crate::text::{counted, score, scores};

/// Maximum number of colours that can be distinguished.
const MAX_SERIES: usize = 10;

/// Returns an error for a plot of fewer than two objectives, or for a file that is no plot.
pub(super) fn check(path: Option<&Path>, objectives: usize) -> anyhow::Result<()> {
    ensure!(path.is_none() || objectives >= 2, "--plot: a plot needs two objectives or more");
    output::check_plot(path)
}

/// Draws a front of two objectives or more. Each point has its number.
pub(super) fn picture(front: &Front) -> String {
    let axis = |place: usize| {
        let ObjectiveName { name, sense } = &front.objectives()[place];
        format!("{name} ({} is better)", better(*sense))
    };
    let (machine, series) = (front.machine(), series(front));
    let title = format!("{}: {} designs", describe(&machine), front.designs().len());
    scatter_svg(&ScatterPlot { title, x: axis(0), y: axis(1), series })
}

/// Writes the page of a front of two objectives or more: one chart per pair of the first objective and another one.
pub(super) fn page(front: &Front) -> String {
    let machine = front.machine();
    let axis = |place: usize| {
        let ObjectiveName { name, sense } = &front.objectives()[place];
        let label = format!("{name} ({} is better)", better(*sense));
        FrontAxis { label, unit: AxisUnit::Number, is_log: false }
    };
    let chart = |other: usize| FrontChart {
        title: format!("{} and {}", front.objectives()[0].name, front.objectives()[other].name),
        x: axis(0),
        y: axis(other),
        is_scatter: true,
        curves: (0..)
            .zip(front.designs())
            .map(|(place, design)| FrontCurve {
                design: Some(place),
                name: String::new(),
                points: vec![[design.scores[0], design.scores[other]]],
            })
            .collect(),
    };
    let page = FrontPage {
        title: format!("Front of {}", describe(&machine)),
        subtitle: counted(front.designs().len(), "design"),
        facts: vec![[
            "a design as a network".to_owned(),
            "lockstep design pick FRONT.json NUMBER -o network.html".to_owned(),
        ]],
        designs: (1..).zip(front.designs()).map(|(number, design)| shown(front, number, design)).collect(),
        charts: (1..front.objectives().len()).map(chart).collect(),
    };
    front_html(&page, &PageLimits::BROWSER)
}

fn shown(front: &Front, number: usize, design: &Design) -> FrontDesign {
    let values = front.objectives().iter().zip(&design.scores);
    let mut facts: Vec<_> = values.map(|(objective, &value)| [objective.name.clone(), score(value)]).collect();
    let words: Vec<_> = facts.iter().map(|[name, value]| format!("{name} {value}")).collect();
    facts.push(["code".to_owned(), design.code.to_string()]);
    FrontDesign {
        name: format!("design {number}"),
        label: format!("{number}: {}", words.join(", ")),
        facts,
        link: None,
        network: front.machine().topology(&design.code).ok(),
    }
}

/// Groups the designs by their last score; similar scores share a group if there are many. Fronts of two objectives
/// have one group.
fn series(front: &Front) -> Vec<PointSeries> {
    let last = front.objectives().len() - 1;
    if last < 2 {
        return vec![group(front, String::new(), |_| true)];
    }
    let mut values: Vec<f64> = front.designs().iter().map(|design| design.scores[last]).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let neighbours = |values: &[f64]| {
        let (objective, texts) = (&front.objectives()[last].name, scores(values));
        let name = match &texts[..] {
            [first, .., last] => format!("{objective} {first} to {last}"),
            one => format!("{objective} {}", one.concat()),
        };
        group(front, name, |design| values.contains(&design.scores[last]))
    };
    values.chunks(values.len().div_ceil(MAX_SERIES).max(1)).map(neighbours).collect()
}

/// Returns the selected designs with their numbers.
fn group(front: &Front, name: String, holds: impl Fn(&Design) -> bool) -> PointSeries {
    let numbered = (1..).zip(front.designs()).filter(|(_, design)| holds(design));
    let point = |(number, design): (usize, &Design)| (number.to_string(), [design.scores[0], design.scores[1]]);
    let (labels, points) = numbered.map(point).unzip();
    PointSeries { name, points, labels }
}
