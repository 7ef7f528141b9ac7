//! Bars in groups.

use super::chart::{Chart, Frame, NAME_LETTERS, NARROWER, SMALL, label, left_out, line, texts};
use super::figures::{is_drawable, shown};
use super::scale::{Scale, extent};
use crate::canvas::{TEXT_LINE, text_width};
use crate::geometry::Point;
use crate::labels;
use crate::markup::{Markup, number};
use crate::palette::colour;

/// Height of the frame.
const HEIGHT: f64 = 300.0;
/// The frame's width, if all groups fit.
const WIDTH: f64 = 560.0;
/// Width of a bar at most and, however many there are, at least.
const BAR: [f64; 2] = [3.0, 34.0];
/// Space between two groups, in bars.
const BETWEEN: f64 = 0.9;
/// Size of the letters of values.
const VALUE: f64 = 9.5;
/// Letters of a group's name that are drawn.
const GROUP_LETTERS: usize = 20;

/// Width and height of a slanted text of length 1: its angle is 40 degrees.
const SLANT: Point = Point { x: 0.766, y: 0.643 };

/// What [`bars_svg`] draws: for each group a bar of each series.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarChart {
    /// What the chart shows, in one line.
    pub title: String,
    /// Name of the vertical axis, and its unit.
    pub y: String,
    /// Names of the groups, from left to right.
    pub groups: Vec<String>,
    /// The bars, series by series.
    pub series: Vec<BarSeries>,
}

/// Bars of one colour.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarSeries {
    /// Name in the legend.
    pub name: String,
    /// The value of each group; missing ones have no bar.
    pub values: Vec<f64>,
}

/// How the values stand at their bars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Values {
    Across,
    Upwards,
    Hidden,
}

/// The chart as an SVG picture, text of one `<svg>` element.
///
/// Bars begin at 0, go down for negative values, and have their values at the end, written upwards where bars are narrow
/// and left out where they are narrower than a letter; pointing at a bar shows group, series and value. The numbers of the
/// axis are multiples of 1, 2 or 5 times a power of ten. The picture grows with the number of bars. Its ground is white,
/// so that it looks the same on a dark page.
///
/// Any input is drawn: a value without a group, or that is no number or larger than 1e100, is left out, and a note counts
/// them. The same input gives the same text. Time O(n).
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
    let layout = Layout::new(chart, &values);
    let plot = Chart {
        title: &chart.title,
        description: description(chart, &values),
        y_name: &chart.y,
        size: Point::new(layout.width, HEIGHT),
        y: layout.scale(&values),
        below: layout.below,
        left: layout.left,
        notes: left_out(given - values.len(), "value", "no number, too large, or no group").into_iter().collect(),
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

/// The values that have a place: series, group and value.
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

/// Where bars and names stand.
struct Layout {
    /// Width of the frame, a group and a bar.
    width: f64,
    group: f64,
    bar: f64,
    series: usize,
    values: Values,
    /// Height of the longest value's text.
    headroom: f64,
    /// Whether names of groups are too long to stand side by side.
    slanted: bool,
    /// Height of the names of groups.
    below: f64,
    /// How far they reach left of the frame.
    left: f64,
}

impl Layout {
    fn new(chart: &BarChart, values: &[f64]) -> Self {
        let (groups, series) = (chart.groups.len().max(1) as f64, chart.series.len().max(1) as f64);
        let [least, most] = BAR;
        let bar = (WIDTH / (groups * (series + BETWEEN))).clamp(least, most);
        let group = bar * (series + BETWEEN);
        let width = (groups * group).max(0.65 * WIDTH);
        let group = group.max(width / groups);
        let letters = values.iter().map(|&value| text_width(&shown(value))).fold(0.0, f64::max) * VALUE / 12.0;
        let (values, headroom) = match bar {
            bar if letters < bar + 2.0 => (Values::Across, VALUE + 4.0),
            bar if bar >= VALUE => (Values::Upwards, letters + 6.0),
            _ => (Values::Hidden, 4.0),
        };
        let name_width = |name: &String| text_width(&labels::clip(name, GROUP_LETTERS)) * NARROWER;
        let widest = chart.groups.iter().map(name_width).fold(0.0, f64::max);
        let slanted = widest > group - 4.0;
        let below = if slanted { SLANT.y * widest + TEXT_LINE } else { 1.4 * TEXT_LINE };
        let reach = |(place, name): (usize, &String)| SLANT.x * name_width(name) - (place as f64 + 0.5) * group;
        let left = chart.groups.iter().enumerate().filter(|_| slanted).map(reach).fold(0.0, f64::max);
        Self { width, group, bar, series: chart.series.len(), values, headroom, slanted, below, left }
    }

    /// The vertical axis: from 0 to the bars' ends, and room for their values.
    fn scale(&self, values: &[f64]) -> Scale {
        let [least, most] = extent(values.iter().copied().chain([0.0]));
        let [least, most] = if values.iter().any(|&value| value != 0.0) { [least, most] } else { [0.0, 1.0] };
        let share = self.headroom / HEIGHT;
        let ends = f64::from(u8::from(least < 0.0) + u8::from(most > 0.0));
        let room = (most - least) * share / (1.0 - ends * share);
        Scale::new([if least < 0.0 { least - room } else { 0.0 }, if most > 0.0 { most + room } else { 0.0 }], 6)
    }

    /// The left edge of a bar.
    fn left(&self, frame: &Frame, [group, series]: [usize; 2]) -> f64 {
        let margin = 0.5 * (self.group - self.bar * self.series as f64);
        frame.at.x + group as f64 * self.group + margin + series as f64 * self.bar
    }

    fn bar(&self, out: &mut Markup, frame: &Frame, place: [usize; 2], value: f64, tip: &str) {
        let (zero, end) = (frame.height(0.0), frame.height(value));
        let gap = 0.06 * self.bar;
        let lengths = [self.left(frame, place) + gap, zero.min(end), self.bar - 2.0 * gap, (zero - end).abs()];
        let lengths = lengths.map(number);
        let [x, y, width, height] = &lengths;
        let shape = [("class", "bar"), ("x", &**x), ("y", y), ("width", width), ("height", height)];
        out.nest("rect", &shape, |out| out.text("title", &[], tip));
    }

    fn value(&self, out: &mut Markup, frame: &Frame, place: [usize; 2], value: f64) {
        let (centre, end) = (self.left(frame, place) + 0.5 * self.bar, frame.height(value));
        let is_down = value < 0.0;
        let (at, anchor) = match self.values {
            Values::Hidden => return,
            Values::Across => (Point::new(centre, if is_down { end + VALUE } else { end - 3.0 }), "middle"),
            Values::Upwards => (
                Point::new(centre + 0.36 * VALUE, if is_down { end + 3.0 } else { end - 3.0 }),
                if is_down { "end" } else { "start" },
            ),
        };
        let [x, y, size] = [at.x, at.y, VALUE].map(number);
        let turn = format!("rotate(-90 {x} {y})");
        let attributes = [("x", &*x), ("y", &*y), ("text-anchor", anchor), ("font-size", &*size), ("fill", "#222222")];
        let turn = (self.values == Values::Upwards).then_some(("transform", &*turn));
        out.text("text", &attributes.into_iter().chain(turn).collect::<Vec<_>>(), &shown(value));
    }

    /// The name of a group below its bars.
    fn name(&self, out: &mut Markup, frame: &Frame, group: usize, name: &str) {
        let name = labels::clip(name, GROUP_LETTERS);
        let centre = frame.at.x + (group as f64 + 0.5) * self.group;
        let at = Point::new(centre, frame.bottom() + SMALL + 5.0);
        if self.slanted {
            let turn = format!("rotate(-40 {} {})", number(at.x), number(at.y));
            out.nest("g", &[("transform", &turn)], |out| label(out, at, "end", &name));
        } else {
            label(out, at, "middle", &name);
        }
    }
}
