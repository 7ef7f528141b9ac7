//! The page of a front: time and bus bandwidth over the size, and the schedules.

use std::path::Path;

use lockstep::schedule::Picoseconds;
use lockstep::{AlgorithmTimes, Budget, Front, FrontPlan, Problem};
use lockstep_report::{AxisUnit, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, PageLimits, front_html};

use super::size_ranges::{Range, ranges, size};
use crate::command_line::command_line;
use crate::text::counted;

/// Writes the page of a front. `has_files` states that the page of each schedule is beside it.
pub(super) fn html(
    problem: &Problem<'_>,
    front: &Front,
    algorithms: &[AlgorithmTimes],
    sizes: [u64; 2],
    has_files: bool,
) -> String {
    let ranges = ranges(front, sizes);
    let designs = front.plans.iter().zip(&ranges).enumerate();
    let designs = designs.map(|(place, (plan, range))| design(place, plan, range, has_files));
    let mut facts = vec![["compared".to_owned(), counted(front.compared, "schedule")]];
    facts.push(["least steps".to_owned(), front.bound.latency.steps.to_string()]);
    facts.push(["least latency".to_owned(), Picoseconds::new(front.bound.latency.picoseconds.into()).to_string()]);
    if let Some(bound) = &front.bound.widths {
        let certificate = bound.certificate.explain(problem.topology());
        facts.push(["least width".to_owned(), format!("{certificate} ({})", bound.rule)]);
    }
    let page = FrontPage {
        title: format!("{} of {}", problem.collective().word(), problem.topology().name()),
        subtitle: format!(
            "{} · {} to {} · {}",
            problem.model(),
            size(sizes[0]),
            size(sizes[1]),
            counted(front.plans.len(), "schedule")
        ),
        facts: facts.into_iter().chain([["command".to_owned(), command_line()]]).collect(),
        designs: designs.collect(),
        charts: charts(front, algorithms, sizes),
    };
    front_html(&page, &PageLimits::BROWSER)
}

fn design(place: usize, plan: &FrontPlan, range: &Range, has_files: bool) -> FrontDesign {
    let chunks = plan.file.collective().chunks();
    let page = Path::new(&range.file).with_extension("html");
    let facts = [
        ["steps", &plan.steps.to_string()],
        ["width", &plan.cost.width_sum.to_string()],
        ["chunks", &chunks.to_string()],
        ["sizes", &format!("{} to {}", size(range.from_bytes), size(range.to_bytes))],
        ["latency", &Picoseconds::new(plan.cost.latency_ps).to_string()],
        ["found by", &plan.engine],
    ];
    FrontDesign {
        name: format!("plan {}", place + 1),
        label: format!(
            "plan {}, from {}: {}, width {}, {}",
            place + 1,
            size(range.from_bytes),
            counted(plan.steps as usize, "step"),
            plan.cost.width_sum,
            counted(chunks.get() as usize, "chunk")
        ),
        facts: facts.map(|fact| fact.map(str::to_owned)).to_vec(),
        link: has_files.then(|| page.display().to_string()),
        network: None,
    }
}

/// Returns the charts of time and bus bandwidth.
fn charts(front: &Front, algorithms: &[AlgorithmTimes], sizes: [u64; 2]) -> Vec<FrontChart> {
    let bytes = lockstep::curve_sizes(sizes);
    let curve = |design: Option<usize>, name: &str, value: &dyn Fn(u64) -> f64| FrontCurve {
        design,
        name: name.to_owned(),
        points: bytes.iter().map(|&bytes| [bytes as f64, value(bytes)]).collect(),
    };
    let seconds = |time: Picoseconds| time.number() as f64 * 1e-12;
    let (mut times, mut bandwidths) = (Vec::new(), Vec::new());
    let first = front.plans.first();
    let bandwidth = |plan: &FrontPlan, bytes, time| plan.size(bytes).bus_bandwidth(time) as f64;
    for (place, plan) in front.plans.iter().enumerate() {
        let of_plan = plan.times(front.timing, &bytes, &Budget::unlimited());
        let of_plan = || bytes.iter().zip(&of_plan).filter_map(|(&bytes, &time)| Some((bytes, time?)));
        let curve = |points| FrontCurve { design: Some(place), name: String::new(), points };
        times.push(curve(of_plan().map(|(bytes, time)| [bytes as f64, seconds(time)]).collect()));
        bandwidths.push(curve(of_plan().map(|(bytes, time)| [bytes as f64, bandwidth(plan, bytes, time)]).collect()));
    }
    for algorithm in algorithms {
        times.push(curve(None, &algorithm.name, &|bytes| seconds(algorithm.time(bytes))));
        bandwidths.extend(
            first.map(|plan| curve(None, &algorithm.name, &|bytes| bandwidth(plan, bytes, algorithm.time(bytes)))),
        );
    }
    let least = |bytes| front.bound.time(front.timing, bytes);
    times.push(curve(None, "at least (lower bound)", &|bytes| seconds(least(bytes))));
    bandwidths.extend(
        first.map(|plan| {
            curve(None, "at most (lower bound of the time)", &|bytes| bandwidth(plan, bytes, least(bytes)))
        }),
    );
    let axis = |label: &str, unit| FrontAxis { label: label.to_owned(), unit, is_log: true };
    let chart = |title: &str, y: FrontAxis, curves| FrontChart {
        title: title.to_owned(),
        x: axis("size", AxisUnit::Bytes),
        y,
        is_scatter: false,
        curves,
    };
    vec![
        chart("Time", axis("time", AxisUnit::Seconds), times),
        chart("Bus bandwidth", axis("busbw", AxisUnit::BytesPerSecond), bandwidths),
    ]
}
