//! Fronts as pictures: two objectives as axes, the last one as colours.

use std::path::Path;

use anyhow::ensure;
use lockstep::design::{Design, Front, ObjectiveName};
use lockstep_report::{PointSeries, ScatterPlot, scatter_svg};

use super::describe;
use crate::metrics::better;
use crate::text::score;

/// The most colours that are told apart.
const MAX_SERIES: usize = 10;

/// Refuses a plot of fewer objectives than it has axes.
pub(super) fn check(path: Option<&Path>, objectives: usize) -> anyhow::Result<()> {
    ensure!(path.is_none() || objectives >= 2, "--plot: a plot has two axes; give two objectives or more");
    Ok(())
}

/// The front, each point with its number; of two objectives or more.
pub(super) fn picture(front: &Front) -> String {
    let axis = |place: usize| {
        let ObjectiveName { name, sense } = &front.objectives()[place];
        format!("{name} ({} is better)", better(*sense))
    };
    let (machine, series) = (front.machine(), series(front));
    let title = format!("{}: {} designs", describe(&machine), front.designs().len());
    scatter_svg(&ScatterPlot { title, x: axis(0), y: axis(1), series })
}

/// Designs with their numbers, those with the same last score together, or with neighbouring ones where there are many.
fn series(front: &Front) -> Vec<PointSeries> {
    let last = front.objectives().len() - 1;
    let name = &front.objectives()[last].name;
    // Two objectives are two axes, and nothing is left for colours.
    let colour = |design: &Design| if last > 1 { design.scores[last] } else { 0.0 };
    let mut values: Vec<f64> = front.designs().iter().map(colour).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let group = |values: &[f64]| {
        let (first, last) = (values[0], values[values.len() - 1]);
        let name = match values.len() {
            _ if front.objectives().len() == 2 => String::new(),
            1 => format!("{name} {}", score(first)),
            _ => format!("{name} {} to {}", score(first), score(last)),
        };
        let numbered = (1..).zip(front.designs()).filter(|(_, design)| (first..=last).contains(&colour(design)));
        let (labels, points) = numbered
            .map(|(number, design): (usize, _)| (number.to_string(), [design.scores[0], design.scores[1]]))
            .unzip();
        PointSeries { name, points, labels }
    };
    values.chunks(values.len().div_ceil(MAX_SERIES).max(1)).map(group).collect()
}
