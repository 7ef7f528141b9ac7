//! The picture and the page of `lockstep expect`: times and bus bandwidths over the size.

use lockstep::schedule::Picoseconds;
use lockstep_report::{
    AxisUnit, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, PageLimits, front_html, size_curves_svg,
};
use lockstep_tune::Ranks;

use super::expectation::Expectation;
use crate::command_line::command_line;
use crate::commands::size_ranges::size;
use crate::text::counted;

/// A curve of times: its name, and sizes with picoseconds.
struct TimeCurve {
    name: String,
    times: Vec<(u64, u128)>,
}

/// Returns the curves: measured, the library, the best plan, the bound.
fn curves(expectation: &Expectation<'_>) -> Vec<TimeCurve> {
    let (least, most) = (expectation.sizes[0], expectation.sizes[expectation.sizes.len() - 1]);
    let sizes = lockstep::curve_sizes([least, most]);
    let curve = |name: &str, time: &dyn Fn(u64) -> Option<u128>, sizes: &[u64]| TimeCurve {
        name: name.to_owned(),
        times: sizes.iter().filter_map(|&bytes| Some((bytes, time(bytes)?))).collect(),
    };
    let library = expectation.algorithms.as_ref().map_or("library", |algorithms| &algorithms.source);
    let of_library = |bytes| expectation.algorithm(bytes).map(|(_, prediction)| prediction.time_ps);
    let all = [
        curve("measured", &|bytes| expectation.measured_ps(bytes), &expectation.sizes),
        curve(library, &of_library, &sizes),
        curve("best plan", &|bytes| expectation.best_plan(bytes).map(Picoseconds::number), &sizes),
        curve("bound", &|bytes| Some(expectation.bound(bytes).time_ps), &sizes),
    ];
    all.into_iter().filter(|curve| !curve.times.is_empty()).collect()
}

fn title(expectation: &Expectation<'_>) -> String {
    let Ranks { topology, members, .. } = expectation.ranks;
    format!("{} of {} on {}", expectation.collective, counted(members.len(), "rank"), topology.name())
}

/// Draws times and bus bandwidths over the size.
pub(super) fn svg(expectation: &Expectation<'_>) -> String {
    let bandwidth = |bytes, time| expectation.rival.size(bytes).bus_bandwidth(Picoseconds::new(time)) as f64 / 1e9;
    let (mut times, mut bandwidths) = (Vec::new(), Vec::new());
    for TimeCurve { name, times: of } in curves(expectation) {
        times.push((name.clone(), of.iter().map(|&(bytes, time)| [bytes as f64, time as f64 / 1e6]).collect()));
        bandwidths.push((name, of.iter().map(|&(bytes, time)| [bytes as f64, bandwidth(bytes, time)]).collect()));
    }
    size_curves_svg(&title(expectation), times, bandwidths)
}

/// Writes the page with both charts.
pub(super) fn page(expectation: &Expectation<'_>) -> String {
    let bandwidth = |bytes, time| expectation.rival.size(bytes).bus_bandwidth(Picoseconds::new(time)) as f64;
    let curves = curves(expectation);
    // The bound is the last curve. The others are entries of the list.
    let designs = &curves[..curves.len() - 1];
    let of = |value: &dyn Fn(u64, u128) -> f64| -> Vec<FrontCurve> {
        let curve = |(place, curve): (usize, &TimeCurve)| FrontCurve {
            design: Some(place).filter(|&place| place < designs.len()),
            name: curve.name.clone(),
            points: curve.times.iter().map(|&(bytes, time)| [bytes as f64, value(bytes, time)]).collect(),
        };
        curves.iter().enumerate().map(curve).collect()
    };
    let design = |curve: &TimeCurve| {
        let (bytes, time) = curve.times[curve.times.len() - 1];
        let largest = format!("{:.3} GB/s at {}", bandwidth(bytes, time) / 1e9, size(bytes));
        FrontDesign {
            name: curve.name.clone(),
            label: format!("{}: {largest}", curve.name),
            facts: vec![["busbw".to_owned(), largest], ["time".to_owned(), format!("{:.3}", Picoseconds::new(time))]],
            ..FrontDesign::default()
        }
    };
    let axis = |label: &str, unit| FrontAxis { label: label.to_owned(), unit, is_log: true };
    let chart = |title: &str, y: FrontAxis, curves| FrontChart {
        title: title.to_owned(),
        x: axis("size", AxisUnit::Bytes),
        y,
        is_scatter: false,
        curves,
    };
    let mut facts = Vec::new();
    if let Some(algorithms) = &expectation.algorithms {
        facts.push(["library".to_owned(), format!("{}: {}", algorithms.source, algorithms.names())]);
    }
    if let Some(verdict) = expectation.verdict() {
        facts.push(["verdict".to_owned(), verdict.to_string()]);
    }
    facts.push(["command".to_owned(), command_line()]);
    let [least, most] = [expectation.sizes[0], expectation.sizes[expectation.sizes.len() - 1]].map(size);
    let page = FrontPage {
        title: title(expectation),
        subtitle: format!("{least} to {most}"),
        facts,
        designs: designs.iter().map(design).collect(),
        charts: vec![
            chart("Time", axis("time", AxisUnit::Seconds), of(&|_, time| time as f64 * 1e-12)),
            chart("Bus bandwidth", axis("busbw", AxisUnit::BytesPerSecond), of(&bandwidth)),
        ],
    };
    front_html(&page, &PageLimits::BROWSER)
}
