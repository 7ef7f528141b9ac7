//! Times and bus bandwidths over the size of a collective.

use lockstep_topology::Quantity;

use super::curves::{CurvePlot, curves_svg};
use super::scatter::PointSeries;

/// Draws two plots, one below the other, as an SVG picture: times in microseconds, and bus bandwidths in GB/s, over the size in
/// bytes. A curve is its name and its points. Returns the text of one `<svg>` element.
///
/// ```
/// let curve = |y| vec![("ring".to_owned(), vec![[1e3, y], [1e6, 4.0 * y]])];
/// let picture = lockstep_report::size_curves_svg("all-gather of ring:4", curve(2.0), curve(8.0));
/// assert_eq!(picture.matches("class=\"curve\"").count(), 2);
/// ```
pub fn size_curves_svg(
    title: &str,
    microseconds: Vec<(String, Vec<[f64; 2]>)>,
    gigabytes_per_second: Vec<(String, Vec<[f64; 2]>)>,
) -> String {
    let ticks = std::iter::successors(Some(1u64), |size| size.checked_mul(16));
    let x_ticks: Vec<(f64, String)> = ticks.map(|size| (size as f64, Quantity::Size.format(size))).collect();
    let plot = |title: String, y: &str, curves: Vec<(String, Vec<[f64; 2]>)>| CurvePlot {
        title,
        x: "size".to_owned(),
        y: y.to_owned(),
        x_ticks: x_ticks.clone(),
        series: curves.into_iter().map(|(name, points)| PointSeries { name, points, labels: Vec::new() }).collect(),
    };
    let plots = [
        plot(format!("Time, {title}"), "microseconds", microseconds),
        plot("Bus bandwidth".to_owned(), "GB/s", gigabytes_per_second),
    ];
    curves_svg(title, &plots)
}
