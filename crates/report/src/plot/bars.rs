//! Grouped bar charts.

use super::chart::{Chart, NAME_LETTERS, NARROWER, PlotFrame, SMALL, label, line, omitted, texts};
use super::figures::{is_drawable, shown};
use super::scale::{AxisScale, extent};
use crate::canvas::{TEXT_LINE, text_width};
use crate::geometry::Point;
use crate::labels;
use crate::markup::{Markup, number};
use crate::palette::colour;

/// Height of the frame.
const HEIGHT: f64 = 300.0;
/// Width of the frame, unless the groups need more.
const WIDTH: f64 = 560.0;
/// Minimum and maximum width of a bar.
const BAR: [f64; 2] = [3.0, 34.0];
/// Space between two groups, in bars.
const BETWEEN: f64 = 0.9;
/// Font size of values.
const VALUE: f64 = 9.5;
/// Maximum number of letters of a group name.
const GROUP_LETTERS: usize = 20;

/// Width and height of a text of length 1 at an angle of 40 degrees.
const SLANT: Point = Point { x: 0.766, y: 0.643 };

/// The content of a bar chart: one bar per group and series. [`bars_svg`] draws it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarChart {
    /// The title, in one line.
    pub title: String,
    /// Name and unit of the vertical axis.
    pub y: String,
    /// Names of the groups, from left to right.
    pub groups: Vec<String>,
    /// The bars, series by series.
    pub series: Vec<BarSeries>,
}

/// A series of bars with one colour.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarSeries {
    /// Name in the legend.
    pub name: String,
    /// The value of each group. Missing values have no bar.
    pub values: Vec<f64>,
}

/// The direction of the values at their bars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueDirection {
    Horizontal,
    Vertical,
    Hidden,
}

/// Draws a bar chart as an SVG picture. Returns the text of one `<svg>` element.
///
/// Bars start at 0 and show their values at the end: vertically if bars are narrow, not at all if they are narrower
/// than a letter. Pointing at a bar shows its group, series and value. The ticks of the axis are multiples of 1, 2 or 5
/// times a power of ten. The picture grows with the number of bars. Its background is white.
///
/// Any input is accepted. A note counts the omitted values: those without a group, not a number, or larger than 1e100.
/// The same input gives the same text. Takes `O(n)` time.
///
/// ```
/// use lockstep_report::{BarChart, BarSeries, bars_svg};
///
/// let series = |name: &str, values: [f64; 2]| BarSeries { name: name.into(), values: values.into() };
/// let picture = bars_svg(&BarChart {
///     title: "Time of an unstructured application".into(),
///     y: "time".into(),
///     groups: vec!["22-2-4".into(), "8-33-4".into()],
///     series: vec![series("one path", [4563.0, 8311.0]), series("all paths", [3727.0, 4026.0])],
/// });
/// assert_eq!(picture.matches("class=\"bar\"").count(), 4);
/// ```
pub fn bars_svg(chart: &BarChart) -> String {
    let given: usize = chart.series.iter().map(|series| series.values.len()).sum();
    let values: Vec<f64> = drawn(chart).map(|(_, _, value)| value).collect();
    let layout = BarLayout::new(chart, &values);
    let plot = Chart {
        title: &chart.title,
        description: description(chart, &values),
        y_name: &chart.y,
        size: Point::new(layout.width, HEIGHT),
        y: layout.scale(&values),
        below: layout.below,
        left: layout.left,
        notes: omitted(given - values.len(), "value", "not a number, too large, or without a group")
            .into_iter()
            .collect(),
        keys: chart.series.iter().map(|series| labels::clip(&series.name, NAME_LETTERS)).collect(),
    };
    let colour = |series: usize| colour(series, chart.series.len());
    let key = |out: &mut Markup, series: usize, at: Point| {
        let half = Point::new(6.0, 6.0);
        let [x, y, side] = [at.x - half.x, at.y - half.y, 2.0 * half.x].map(number);
        out.empty("rect", &[("x", &x), ("y", &y), ("width", &side), ("height", &side), ("fill", &colour(series))]);
    };
    plot.draw(key, |out, frame| {
        for (place, name) in chart.groups.iter().enumerate() {
            layout.name(out, frame, place, name);
        }
        for (number, series) in chart.series.iter().enumerate() {
            out.nest("g", &[("class", "series"), ("fill", &colour(number))], |out| {
                for (_, group, value) in drawn(chart).filter(|(of, ..)| *of == number) {
                    let tip = format!("{} · {} · {}", chart.groups[group], series.name, shown(value));
                    layout.bar(out, frame, [group, number], value, &tip);
                }
            });
        }
        let zero = frame.height(0.0);
        line(out, Point::new(frame.at.x, zero), Point::new(frame.at.x + frame.size.x, zero), "#444444");
        texts(out, "values", |out| {
            for (series, group, value) in drawn(chart) {
                layout.value(out, frame, [group, series], value);
            }
        });
    })
}

/// Returns the values that are drawn: series, group and value.
fn drawn(chart: &BarChart) -> impl Iterator<Item = (usize, usize, f64)> {
    let groups = chart.groups.len();
    let of_series = move |(number, series): (usize, &BarSeries)| {
        let values: Vec<f64> = series.values.iter().take(groups).copied().collect();
        values.into_iter().enumerate().map(move |(group, value)| (number, group, value))
    };
    chart.series.iter().enumerate().flat_map(of_series).filter(|&(_, _, value)| is_drawable(value))
}

fn description(chart: &BarChart, values: &[f64]) -> String {
    let span = match (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max)) {
        (Some(least), Some(most)) => format!("; {} from {} to {}", chart.y, shown(least), shown(most)),
        _ => String::new(),
    };
    let groups = labels::counted(chart.groups.len(), "group");
    format!(
        "Bar chart of {} in {groups} and {} series{span}.",
        labels::counted(values.len(), "value"),
        chart.series.len()
    )
}

/// The positions of bars and names.
struct BarLayout {
    /// Width of the frame.
    width: f64,
    /// Width of a group.
    group: f64,
    /// Width of a bar.
    bar: f64,
    series: usize,
    values: ValueDirection,
    /// Height of the longest value text.
    headroom: f64,
    /// True if the names of groups are too long to be horizontal.
    is_slanted: bool,
    /// Height of the names of groups.
    below: f64,
    /// Space that these names need left of the frame.
    left: f64,
}

impl BarLayout {
    fn new(chart: &BarChart, values: &[f64]) -> Self {
        let (groups, series) = (chart.groups.len().max(1) as f64, chart.series.len().max(1) as f64);
        let [least, most] = BAR;
        let bar = (WIDTH / (groups * (series + BETWEEN))).clamp(least, most);
        let group = bar * (series + BETWEEN);
        let width = (groups * group).max(0.65 * WIDTH);
        let group = group.max(width / groups);
        let letters = values.iter().map(|&value| text_width(&shown(value))).fold(0.0, f64::max) * VALUE / 12.0;
        let (values, headroom) = match bar {
            bar if letters < bar + 2.0 => (ValueDirection::Horizontal, VALUE + 4.0),
            bar if bar >= VALUE => (ValueDirection::Vertical, letters + 6.0),
            _ => (ValueDirection::Hidden, 4.0),
        };
        let name_width = |name: &String| text_width(&labels::clip(name, GROUP_LETTERS)) * NARROWER;
        let widest = chart.groups.iter().map(name_width).fold(0.0, f64::max);
        let is_slanted = widest > group - 4.0;
        let below = if is_slanted { SLANT.y * widest + TEXT_LINE } else { 1.4 * TEXT_LINE };
        let reach = |(place, name): (usize, &String)| SLANT.x * name_width(name) - (place as f64 + 0.5) * group;
        let left = chart.groups.iter().enumerate().filter(|_| is_slanted).map(reach).fold(0.0, f64::max);
        Self { width, group, bar, series: chart.series.len(), values, headroom, is_slanted, below, left }
    }

    /// Returns the vertical axis: from 0 to the ends of the bars, with space for their values.
    fn scale(&self, values: &[f64]) -> AxisScale {
        let [least, most] = extent(values.iter().copied().chain([0.0]));
        let [least, most] = if values.iter().any(|&value| value != 0.0) { [least, most] } else { [0.0, 1.0] };
        let share = self.headroom / HEIGHT;
        let ends = f64::from(u8::from(least < 0.0) + u8::from(most > 0.0));
        let room = (most - least) * share / (1.0 - ends * share);
        AxisScale::new([if least < 0.0 { least - room } else { 0.0 }, if most > 0.0 { most + room } else { 0.0 }], 6)
    }

    /// Returns the left edge of a bar.
    fn left(&self, frame: &PlotFrame, [group, series]: [usize; 2]) -> f64 {
        let margin = 0.5 * (self.group - self.bar * self.series as f64);
        frame.at.x + group as f64 * self.group + margin + series as f64 * self.bar
    }

    fn bar(&self, out: &mut Markup, frame: &PlotFrame, place: [usize; 2], value: f64, tip: &str) {
        let (zero, end) = (frame.height(0.0), frame.height(value));
        let gap = 0.06 * self.bar;
        let lengths = [self.left(frame, place) + gap, zero.min(end), self.bar - 2.0 * gap, (zero - end).abs()];
        let lengths = lengths.map(number);
        let [x, y, width, height] = &lengths;
        let shape = [("class", "bar"), ("x", &**x), ("y", y), ("width", width), ("height", height)];
        out.nest("rect", &shape, |out| out.text("title", &[], tip));
    }

    fn value(&self, out: &mut Markup, frame: &PlotFrame, place: [usize; 2], value: f64) {
        let (centre, end) = (self.left(frame, place) + 0.5 * self.bar, frame.height(value));
        let is_down = value < 0.0;
        let (at, anchor) = match self.values {
            ValueDirection::Hidden => return,
            ValueDirection::Horizontal => (Point::new(centre, if is_down { end + VALUE } else { end - 3.0 }), "middle"),
            ValueDirection::Vertical => (
                Point::new(centre + 0.36 * VALUE, if is_down { end + 3.0 } else { end - 3.0 }),
                if is_down { "end" } else { "start" },
            ),
        };
        let [x, y, size] = [at.x, at.y, VALUE].map(number);
        let turn = format!("rotate(-90 {x} {y})");
        let attributes = [("x", &*x), ("y", &*y), ("text-anchor", anchor), ("font-size", &*size), ("fill", "#222222")];
        let turn = (self.values == ValueDirection::Vertical).then_some(("transform", &*turn));
        out.text("text", &attributes.into_iter().chain(turn).collect::<Vec<_>>(), &shown(value));
    }

    /// Draws the name of a group below its bars.
    fn name(&self, out: &mut Markup, frame: &PlotFrame, group: usize, name: &str) {
        let name = labels::clip(name, GROUP_LETTERS);
        let centre = frame.at.x + (group as f64 + 0.5) * self.group;
        let at = Point::new(centre, frame.bottom() + SMALL + 5.0);
        if self.is_slanted {
            let turn = format!("rotate(-40 {} {})", number(at.x), number(at.y));
            out.nest("g", &[("transform", &turn)], |out| label(out, at, "end", &name));
        } else {
            label(out, at, "middle", &name);
        }
    }
}
