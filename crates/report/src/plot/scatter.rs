//! Scatter plots.

use super::chart::{Chart, NAME_LETTERS, NARROWER, PlotFrame, column, horizontal_name, label, omitted, texts};
use super::figures::{is_drawable, shown};
use super::marker::{REACH, shape};
use super::scale::{AxisScale, extent, padded};
use crate::canvas::{TEXT_LINE, text_width};
use crate::geometry::Point;
use crate::labels;
use crate::markup::{Markup, number};
use crate::palette::colour;

/// Maximum number of points with labels.
const LABELLED: usize = 100;
/// Maximum number of letters of a label.
const LABEL_LETTERS: usize = 24;
const FRAME: Point = Point { x: 480.0, y: 320.0 };
/// Horizontal distance of a label above or below its point, relative to a label beside the point.
const DIAGONAL: f64 = 0.8;
/// Empty space around the points, relative to their extent.
const ROOM: f64 = 0.05;

/// The content of a scatter plot: series of points, such as a Pareto front. [`scatter_svg`] draws it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ScatterPlot {
    /// The title, in one line.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x: String,
    /// Name and unit of the vertical axis.
    pub y: String,
    /// The series. Later ones are drawn over earlier ones.
    pub series: Vec<PointSeries>,
}

/// A series of points with one colour and shape.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PointSeries {
    /// Name in the legend.
    pub name: String,
    /// The points, x and y.
    pub points: Vec<[f64; 2]>,
    /// The label of each point. Missing and empty labels are not drawn.
    pub labels: Vec<String>,
}

/// A point of the plot.
struct PlottedPoint<'a> {
    centre: Point,
    series: usize,
    values: [f64; 2],
    label: &'a str,
}

/// Draws a scatter plot as an SVG picture. Returns the text of one `<svg>` element.
///
/// The axes span the points. Their ticks are multiples of 1, 2 or 5 times a power of ten. Series differ in colour and
/// shape, and a legend names them. Labels are drawn for up to 100 points, where they cover no point and no other label.
/// Pointing at a point shows its series, label and values. The background is white.
///
/// Any input is accepted. A note counts the omitted points: those with a coordinate that is not a number or larger than
/// 1e100. The same input gives the same text. Takes `O(n)` time for points without labels.
///
/// ```
/// use lockstep_report::{PointSeries, ScatterPlot, scatter_svg};
///
/// let front = PointSeries { name: "4 links".into(), points: vec![[18.0, 2.13], [16.0, 4.32]], labels: vec![] };
/// let picture = scatter_svg(&ScatterPlot {
///     title: "ExaNeSt, 32 routers".into(),
///     x: "bisection width".into(),
///     y: "shortest paths of a pair".into(),
///     series: vec![front],
/// });
/// assert_eq!(picture.matches("class=\"point\"").count(), 2);
/// ```
pub fn scatter_svg(plot: &ScatterPlot) -> String {
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let drawn = || points().copied().filter(is_point);
    let range = |axis: usize| padded(extent(drawn().map(|point| point[axis])), ROOM);
    let [x, y] = [AxisScale::new(range(0), 7), AxisScale::new(range(1), 6)];
    let (all, drawn) = (points().count(), drawn().count());
    let chart = Chart {
        title: &plot.title,
        description: description(plot, drawn),
        y_name: &plot.y,
        size: FRAME,
        y,
        below: 2.4 * TEXT_LINE,
        left: 0.0,
        notes: omitted(all - drawn, "point", "a coordinate is not a number or too large").into_iter().collect(),
        keys: plot.series.iter().map(|series| labels::clip(&series.name, NAME_LETTERS)).collect(),
    };
    let colour = |series: usize| colour(series, plot.series.len());
    let key = |out: &mut Markup, series: usize, at: Point| {
        out.nest("g", &[("fill", &*colour(series))], |out| marker(out, at, series, None));
    };
    chart.draw(key, |out, frame| {
        for tick in &x.ticks {
            column(out, frame, frame.at.x + x.share(tick.value) * frame.size.x, &tick.text);
        }
        horizontal_name(out, frame, &plot.x);
        let marks = marks(plot, frame, &x);
        for (number, series) in plot.series.iter().enumerate() {
            let style =
                [("class", "series"), ("fill", &*colour(number)), ("stroke", "#ffffff"), ("stroke-width", "0.8")];
            out.nest("g", &style, |out| {
                for mark in marks.iter().filter(|mark| mark.series == number) {
                    marker(out, mark.centre, number, Some(&tip(plot, series, mark)));
                }
            });
        }
        draw_labels(out, frame, &marks);
    })
}

fn is_point(point: &[f64; 2]) -> bool {
    point.iter().all(|&value| is_drawable(value))
}

fn description(plot: &ScatterPlot, drawn: usize) -> String {
    let span = |axis: usize, name: &str| {
        let values = plot.series.iter().flat_map(|series| &series.points).filter(|point| is_point(point));
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let [least, most] =
            values.map(|point| point[axis]).fold(none, |[least, most], value| [least.min(value), most.max(value)]);
        if least > most { String::new() } else { format!("; {name} from {} to {}", shown(least), shown(most)) }
    };
    let series = match plot.series.len() {
        1 => "1 series".to_owned(),
        count => format!("{count} series"),
    };
    let points = labels::counted(drawn, "point");
    format!("Scatter plot of {points} in {series}{}{}.", span(0, &plot.x), span(1, &plot.y))
}

/// Returns the points that are drawn, by series.
fn marks<'a>(plot: &'a ScatterPlot, frame: &PlotFrame, x: &AxisScale) -> Vec<PlottedPoint<'a>> {
    let of_series = |(number, series): (usize, &'a PointSeries)| {
        let labels = series.labels.iter().map(String::as_str).chain(std::iter::repeat(""));
        let points = series.points.iter().zip(labels).filter(|(point, _)| is_point(point));
        points.map(move |(&values, label)| {
            let centre = Point::new(frame.at.x + x.share(values[0]) * frame.size.x, frame.height(values[1]));
            PlottedPoint { centre, series: number, values, label }
        })
    };
    plot.series.iter().enumerate().flat_map(of_series).collect()
}

fn marker(out: &mut Markup, at: Point, series: usize, tip: Option<&str>) {
    let place = format!("translate({} {})", number(at.x), number(at.y));
    let shape = [("transform", &*place), ("d", shape(series))];
    match tip {
        Some(tip) => {
            out.nest("path", &[&[("class", "point")][..], &shape].concat(), |out| out.text("title", &[], tip));
        }
        None => out.empty("path", &shape),
    }
}

fn tip(plot: &ScatterPlot, series: &PointSeries, mark: &PlottedPoint<'_>) -> String {
    let [x, y] = mark.values.map(shown);
    let names = [series.name.as_str(), mark.label].into_iter().filter(|name| !name.is_empty());
    let values = [format!("{}: {x}", plot.x), format!("{}: {y}", plot.y)];
    names.map(str::to_owned).chain(values).collect::<Vec<_>>().join(" · ")
}

/// A rectangle, given by two corners.
#[derive(Clone, Copy)]
struct Rectangle {
    least: Point,
    most: Point,
}

impl Rectangle {
    fn around(centre: Point, half: Point) -> Self {
        Self { least: centre - half, most: centre + half }
    }

    fn intersects(&self, other: &Self) -> bool {
        self.least.x < other.most.x
            && other.least.x < self.most.x
            && self.least.y < other.most.y
            && other.least.y < self.most.y
    }

    fn is_within(&self, frame: &PlotFrame) -> bool {
        self.least.x >= frame.at.x
            && self.least.y >= frame.at.y
            && self.most.x <= frame.at.x + frame.size.x
            && self.most.y <= frame.bottom()
    }
}

/// Draws each label at the first free position beside its point, if any.
fn draw_labels(out: &mut Markup, frame: &PlotFrame, marks: &[PlottedPoint<'_>]) {
    if marks.len() > LABELLED {
        return;
    }
    let mut taken: Vec<Rectangle> =
        marks.iter().map(|mark| Rectangle::around(mark.centre, Point::new(REACH, REACH))).collect();
    texts(out, "labels", |out| {
        for mark in marks.iter().filter(|mark| !mark.label.is_empty()) {
            let text = labels::clip(mark.label, LABEL_LETTERS);
            let half = Point::new(0.5 * text_width(&text) * NARROWER, 6.0);
            let (beside, above) = (half.x + REACH, half.y + REACH);
            let places = [
                (beside, 0.0, "start"),
                (0.0, -above, "middle"),
                (-beside, 0.0, "end"),
                (0.0, above, "middle"),
                (DIAGONAL * beside, -above, "start"),
                (-DIAGONAL * beside, -above, "end"),
                (DIAGONAL * beside, above, "start"),
                (-DIAGONAL * beside, above, "end"),
            ];
            let areas = places.map(|(x, y, anchor)| (Rectangle::around(mark.centre + Point::new(x, y), half), anchor));
            let is_free = |area: &Rectangle| area.is_within(frame) && !taken.iter().any(|other| other.intersects(area));
            if let Some((area, anchor)) = areas.into_iter().find(|(area, _)| is_free(area)) {
                taken.push(area);
                let x = match anchor {
                    "start" => area.least.x + 1.5,
                    "end" => area.most.x - 1.5,
                    _ => 0.5 * (area.least.x + area.most.x),
                };
                label(out, Point::new(x, area.most.y - 2.0), anchor, &text);
            }
        }
    });
}
