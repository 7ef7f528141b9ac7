//! Curves over logarithmic axes.

use super::chart::{Chart, NAME_LETTERS, PlotFrame, column, horizontal_name, omitted};
use super::figures::LARGEST;
use super::scale::{AxisScale, Tick};
use super::scatter::PointSeries;
use crate::canvas::{TEXT_LINE, picture};
use crate::geometry::Point;
use crate::labels;
use crate::markup::{Markup, number};
use crate::palette::colour;

const FRAME: Point = Point { x: 520.0, y: 260.0 };
/// Ratio of the ends of an axis without length.
const LEAST_RATIO: f64 = 2.0;

/// A plot of curves. Both axes are logarithmic. [`curves_svg`] draws it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CurvePlot {
    /// The title, in one line.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x: String,
    /// Name and unit of the vertical axis.
    pub y: String,
    /// Values and texts at the horizontal axis.
    pub x_ticks: Vec<(f64, String)>,
    /// The curves: their points are joined in the given order. Labels do not count.
    pub series: Vec<PointSeries>,
}

/// Draws plots of curves, one below the other, as an SVG picture. Returns the text of one `<svg>` element.
///
/// Any input is accepted. A note counts the omitted points: those with a coordinate that is not above 0 or larger than
/// 1e100. The same input gives the same text. Takes `O(n)` time.
///
/// ```
/// use lockstep_report::{CurvePlot, PointSeries, curves_svg};
///
/// let series = vec![PointSeries { name: "ring".into(), points: vec![[1e3, 2.0], [1e6, 40.0]], labels: vec![] }];
/// let plot = CurvePlot { title: "Time".into(), x: "bytes".into(), y: "us".into(), x_ticks: vec![(1e3, "1 kB".into())], series };
/// assert_eq!(curves_svg("All-gather", &[plot]).matches("class=\"curve\"").count(), 1);
/// ```
pub fn curves_svg(title: &str, plots: &[CurvePlot]) -> String {
    let mut size = Point::new(0.0, 0.0);
    let mut bodies = Vec::new();
    for plot in plots {
        let (of_plot, body) = laid_out(plot);
        bodies.push((size.y, body));
        size = Point::new(size.x.max(of_plot.x), size.y + of_plot.y);
    }
    let description = format!("{} of curves.", labels::counted(plots.len(), "plot"));
    picture(title, Some(&description), size, |out| {
        for (top, body) in bodies {
            out.nest("g", &[("transform", &format!("translate(0 {})", number(top)))], body);
        }
    })
}

fn is_point(point: &[f64; 2]) -> bool {
    point.iter().all(|&value| value > 0.0 && value <= LARGEST)
}

fn laid_out(plot: &CurvePlot) -> (Point, impl FnOnce(&mut Markup)) {
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let drawn = || points().filter(|point| is_point(point));
    let range = |axis: usize| {
        let none = [f64::INFINITY, 0.0];
        let [low, high] =
            drawn().map(|point| point[axis]).fold(none, |[low, high], value| [low.min(value), high.max(value)]);
        if low > high { [1.0, LEAST_RATIO] } else { [low, high.max(low * LEAST_RATIO)] }
    };
    let x = AxisScale::logarithmic(range(0));
    let x_ticks: Vec<Tick> = plot
        .x_ticks
        .iter()
        .filter(|(value, _)| (range(0)[0]..=range(0)[1]).contains(value))
        .map(|(value, text)| Tick { value: *value, text: text.clone() })
        .collect();
    let x = if x_ticks.is_empty() { x } else { x.with_ticks(x_ticks) };
    let chart = Chart {
        title: &plot.title,
        description: String::new(),
        y_name: &plot.y,
        size: FRAME,
        y: AxisScale::logarithmic(range(1)),
        below: 2.4 * TEXT_LINE,
        left: 0.0,
        notes: omitted(points().count() - drawn().count(), "point", "a coordinate is not above 0 or too large")
            .into_iter()
            .collect(),
        keys: plot.series.iter().map(|series| labels::clip(&series.name, NAME_LETTERS)).collect(),
    };
    let count = plot.series.len();
    let key = move |out: &mut Markup, series: usize, at: Point| {
        let ends = [Point::new(at.x - 6.0, at.y), Point::new(at.x + 6.0, at.y)];
        polyline(out, "key", &ends, &colour(series, count));
    };
    chart.laid_out(key, move |out, frame| {
        for tick in &x.ticks {
            column(out, frame, frame.at.x + x.share(tick.value) * frame.size.x, &tick.text);
        }
        horizontal_name(out, frame, &plot.x);
        for (number, series) in plot.series.iter().enumerate() {
            let at = |point: &[f64; 2]| place(frame, &x, *point);
            let points: Vec<Point> = series.points.iter().filter(|point| is_point(point)).map(at).collect();
            polyline(out, "curve", &points, &colour(number, count));
        }
    })
}

fn place(frame: &PlotFrame, x: &AxisScale, point: [f64; 2]) -> Point {
    Point::new(frame.at.x + x.share(point[0]) * frame.size.x, frame.height(point[1]))
}

fn polyline(out: &mut Markup, class: &str, points: &[Point], colour: &str) {
    let points: Vec<String> = points.iter().map(|at| format!("{},{}", number(at.x), number(at.y))).collect();
    let style = [("fill", "none"), ("stroke", colour), ("stroke-width", "1.8"), ("stroke-linejoin", "round")];
    out.empty("polyline", &[&[("class", class), ("points", &*points.join(" "))][..], &style].concat());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<[f64; 2]>) -> CurvePlot {
        let series = vec![PointSeries { name: "a".into(), points, labels: vec![] }];
        CurvePlot { title: "t".into(), x: "x".into(), y: "y".into(), x_ticks: vec![], series }
    }

    #[test]
    fn any_input_is_drawn() {
        for points in [vec![], vec![[1.0, 1.0]], vec![[0.0, 1.0], [f64::NAN, 2.0]], vec![[1e-99, 1e99], [1e99, 1e-99]]]
        {
            let picture = curves_svg("t", &[plot(points)]);
            assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        }
        assert!(curves_svg("t", &[]).starts_with("<svg"));
    }

    #[test]
    fn equal_ratios_have_equal_distances() {
        let picture = curves_svg("t", &[plot(vec![[1.0, 1.0], [10.0, 10.0], [100.0, 100.0]])]);
        let curve = picture.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let x: Vec<f64> = curve.split(' ').map(|point| point.split(',').next().unwrap().parse().unwrap()).collect();
        assert!((x[2] - 2.0 * x[1] + x[0]).abs() < 0.1, "{curve}");
    }
}
