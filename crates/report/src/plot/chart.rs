//! The common parts of plots: title, axes, grid, notes and legend.

use super::scale::AxisScale;
use crate::canvas::{GAP, TEXT_LINE, fit, picture, text, text_width};
use crate::geometry::Point;
use crate::labels;
use crate::legend::LegendLayout;
use crate::markup::{Markup, number};

/// Maximum number of letters in the name of an axis or a series.
pub(crate) const NAME_LETTERS: usize = 40;
/// Font size at the axes.
pub(crate) const SMALL: f64 = 11.0;
/// Ratio of that font size to the one of the title.
pub(crate) const NARROWER: f64 = SMALL / 12.0;

const GRID: &str = "#e4e4e4";
const AXIS: &str = "#8a8a8a";
const NUMBERS: &str = "#444444";

/// The rectangle of the values, with the vertical scale.
#[derive(Debug)]
pub(crate) struct PlotFrame {
    /// The upper left corner.
    pub(crate) at: Point,
    pub(crate) size: Point,
    pub(crate) y: AxisScale,
}

impl PlotFrame {
    /// Returns the y coordinate of a value.
    pub(crate) fn height(&self, value: f64) -> f64 {
        self.at.y + (1.0 - self.y.share(value)) * self.size.y
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.at.y + self.size.y
    }
}

/// A plot without its values.
#[derive(Debug)]
pub(crate) struct Chart<'a> {
    pub(crate) title: &'a str,
    /// Description for screen readers.
    pub(crate) description: String,
    /// Name of the vertical axis.
    pub(crate) y_name: &'a str,
    /// Size of the frame.
    pub(crate) size: Point,
    pub(crate) y: AxisScale,
    /// Space below the frame.
    pub(crate) below: f64,
    /// Space left of the frame.
    pub(crate) left: f64,
    pub(crate) notes: Vec<String>,
    /// Names in the legend.
    pub(crate) keys: Vec<String>,
}

impl<'a> Chart<'a> {
    /// Draws the picture. `key` draws the symbol of a legend entry around a point, `content` draws the values and the
    /// horizontal axis.
    pub(crate) fn draw(
        self,
        key: impl Fn(&mut Markup, usize, Point),
        content: impl FnOnce(&mut Markup, &PlotFrame),
    ) -> String {
        let (title, description) = (self.title, self.description.clone());
        let (size, body) = self.laid_out(key, content);
        picture(title, Some(&description), size, body)
    }

    /// Returns the size of the chart, and what draws it.
    pub(crate) fn laid_out<K: Fn(&mut Markup, usize, Point), C: FnOnce(&mut Markup, &PlotFrame)>(
        self,
        key: K,
        content: C,
    ) -> (Point, impl FnOnce(&mut Markup) + use<'a, K, C>) {
        let numbers = self.y.ticks.iter().map(|tick| text_width(&tick.text) * NARROWER).fold(0.0, f64::max);
        let name = if self.y_name.is_empty() { 0.0 } else { TEXT_LINE };
        let left = (name + numbers + 8.0).max(self.left);
        let at = Point::new(GAP + left, GAP + 1.6 * TEXT_LINE);
        let frame = PlotFrame { at, size: self.size, y: self.y };
        let width = at.x + frame.size.x + 2.0 * GAP;
        let notes_top = frame.bottom() + self.below + TEXT_LINE;
        let keys_top = notes_top + self.notes.len() as f64 * TEXT_LINE;
        let keys = LegendLayout::new("", self.keys, width);
        let height = keys_top + keys.height() - 0.25 * TEXT_LINE;
        let body = move |out: &mut Markup| {
            text(out, Point::new(GAP, GAP + 12.0), "bold", &fit(self.title, width - 2.0 * GAP));
            grid(out, &frame);
            vertical_name(out, &frame, self.y_name);
            content(out, &frame);
            for (place, note) in self.notes.iter().enumerate() {
                text(out, Point::new(GAP, notes_top + place as f64 * TEXT_LINE), "normal", note);
            }
            keys.draw(out, keys_top, key);
        };
        (Point::new(width, height), body)
    }
}

/// Draws the grid lines and the numbers of the vertical axis.
fn grid(out: &mut Markup, frame: &PlotFrame) {
    out.nest("g", &[("class", "axis")], |out| {
        let right = frame.at.x + frame.size.x;
        for tick in &frame.y.ticks {
            let y = frame.height(tick.value);
            line(out, Point::new(frame.at.x + 0.5, y), Point::new(right - 0.5, y), GRID);
            label(out, Point::new(frame.at.x - 6.0, y + 0.36 * SMALL), "end", &tick.text);
        }
        let lengths = [frame.at.x, frame.at.y, frame.size.x, frame.size.y].map(number);
        let places = ["x", "y", "width", "height"].into_iter().zip(lengths.iter().map(String::as_str));
        let style = [("class", "frame"), ("fill", "none"), ("stroke", AXIS)];
        out.empty("rect", &places.chain(style).collect::<Vec<_>>());
    });
}

/// Draws a vertical grid line and the text below it.
pub(crate) fn column(out: &mut Markup, frame: &PlotFrame, x: f64, text: &str) {
    // The line ends at the border of the frame.
    line(out, Point::new(x, frame.at.y + 0.5), Point::new(x, frame.bottom() - 0.5), GRID);
    label(out, Point::new(x, frame.bottom() + SMALL + 5.0), "middle", text);
}

/// Draws the name of the horizontal axis.
pub(crate) fn horizontal_name(out: &mut Markup, frame: &PlotFrame, name: &str) {
    let at = Point::new(frame.at.x + 0.5 * frame.size.x, frame.bottom() + SMALL + 5.0 + TEXT_LINE);
    axis_name(out, at, &labels::clip(name, NAME_LETTERS), None);
}

fn vertical_name(out: &mut Markup, frame: &PlotFrame, name: &str) {
    let at = Point::new(GAP + 12.0, frame.at.y + 0.5 * frame.size.y);
    let rotation = format!("rotate(-90 {} {})", number(at.x), number(at.y));
    axis_name(out, at, &labels::clip(name, NAME_LETTERS), Some(&rotation));
}

fn axis_name(out: &mut Markup, at: Point, name: &str, rotation: Option<&str>) {
    if name.is_empty() {
        return;
    }
    let [x, y] = [at.x, at.y].map(number);
    let attributes = [("x", &*x), ("y", &*y), ("text-anchor", "middle"), ("fill", "#222222")];
    let rotation = rotation.map(|rotation| ("transform", rotation));
    out.text("text", &attributes.into_iter().chain(rotation).collect::<Vec<_>>(), name);
}

pub(crate) fn line(out: &mut Markup, from: Point, to: Point, colour: &str) {
    let [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map(number);
    out.empty("line", &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2), ("stroke", colour)]);
}

/// Draws a small text whose start, middle or end is at a point.
pub(crate) fn label(out: &mut Markup, at: Point, anchor: &str, content: &str) {
    let [x, y, size] = [at.x, at.y, SMALL].map(number);
    let attributes = [("x", &*x), ("y", &*y), ("text-anchor", anchor), ("font-size", &*size), ("fill", NUMBERS)];
    out.text("text", &attributes, content);
}

/// Draws a group of texts with a white border, so that they are readable on lines.
pub(crate) fn texts(out: &mut Markup, class: &str, content: impl FnOnce(&mut Markup)) {
    let halo =
        [("stroke", "#ffffff"), ("stroke-width", "2.5"), ("stroke-linejoin", "round"), ("paint-order", "stroke")];
    out.nest("g", &[&[("class", class)][..], &halo].concat(), content);
}

/// Returns a note about omitted values, if any.
pub(crate) fn omitted(count: usize, noun: &str, why: &str) -> Option<String> {
    (count > 0).then(|| format!("{} omitted: {why}", labels::counted(count, noun)))
}
