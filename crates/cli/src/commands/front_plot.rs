//! The picture of a front: time and bus bandwidth over the size.

use lockstep::schedule::Picoseconds;
use lockstep::topology::Quantity;
use lockstep::{AlgorithmTimes, Front, FrontPlan, Problem};
use lockstep_report::{CurvePlot, PointSeries, curves_svg};

/// A size is larger than the one before by one part of this number.
const POINTS: u64 = 4;

/// Returns the sizes of the points of a curve, from the smallest to the largest size.
pub(super) fn points_between(sizes: [u64; 2]) -> Vec<u64> {
    let next = |&bytes: &u64| Some(bytes.saturating_add(bytes / POINTS + 1)).filter(|&bytes| bytes < sizes[1]);
    std::iter::successors(Some(sizes[0]), next).chain([sizes[1]]).collect()
}

/// Draws the times and bus bandwidths of a front from the smallest to the largest size, with those of some algorithms.
pub(super) fn svg(problem: &Problem<'_>, front: &Front, algorithms: &[AlgorithmTimes], sizes: [u64; 2]) -> String {
    let bytes = points_between(sizes);
    let ticks = std::iter::successors(Some(1u64), |size| size.checked_mul(16));
    let x_ticks: Vec<(f64, String)> = ticks.map(|size| (size as f64, Quantity::Size.format(size))).collect();
    let curve = |name: String, value: &dyn Fn(u64) -> f64| PointSeries {
        name,
        points: bytes.iter().map(|&bytes| [bytes as f64, value(bytes)]).collect(),
        labels: Vec::new(),
    };
    let microseconds = |time: Picoseconds| time.number() as f64 / 1e6;
    let bandwidth = |plan: &FrontPlan, bytes: u64, time: Picoseconds| plan.size(bytes).bus_bandwidth(time) as f64 / 1e9;
    let name = |plan: &FrontPlan| {
        let chunks = plan.file.collective().chunks();
        format!("{} steps, width {}, {chunks} chunks", plan.steps, plan.cost.width_sum)
    };
    let mut times: Vec<PointSeries> = Vec::new();
    let mut bandwidths: Vec<PointSeries> = Vec::new();
    for plan in &front.plans {
        times.push(curve(name(plan), &|bytes| microseconds(plan.time(front.timing, bytes))));
        bandwidths.push(curve(name(plan), &|bytes| bandwidth(plan, bytes, plan.time(front.timing, bytes))));
    }
    for algorithm in algorithms {
        times.push(curve(algorithm.name.clone(), &|bytes| microseconds(algorithm.time(bytes))));
        if let Some(plan) = front.plans.first() {
            let bandwidth = |bytes| bandwidth(plan, bytes, algorithm.time(bytes));
            bandwidths.push(curve(algorithm.name.clone(), &bandwidth));
        }
    }
    times.push(curve("at least".to_owned(), &|bytes| microseconds(front.bound.time(front.timing, bytes))));
    if let Some(plan) = front.plans.first() {
        let at_most = |bytes| bandwidth(plan, bytes, front.bound.time(front.timing, bytes));
        bandwidths.push(curve("at most".to_owned(), &at_most));
    }
    let title = format!("{} of {}", problem.collective().word(), problem.topology().name());
    let plot = |title: &str, y: &str, series| CurvePlot {
        title: title.to_owned(),
        x: "size".to_owned(),
        y: y.to_owned(),
        x_ticks: x_ticks.clone(),
        series,
    };
    let plots = [plot(&format!("Time, {title}"), "microseconds", times), plot("Bus bandwidth", "GB/s", bandwidths)];
    curves_svg(&title, &plots)
}
