//! The layout of legends.

use crate::canvas::{GAP, TEXT_LINE, text, text_width};
use crate::geometry::Point;
use crate::markup::Markup;

/// Width of the symbol before a name.
pub(crate) const KEY_WIDTH: f64 = 22.0;

/// A legend in columns.
#[derive(Debug)]
pub(crate) struct LegendLayout<'a> {
    heading: &'a str,
    names: Vec<String>,
    pitch: f64,
    columns: usize,
}

impl<'a> LegendLayout<'a> {
    /// Arranges these names in a picture of this width. An empty heading takes no space.
    pub(crate) fn new(heading: &'a str, names: Vec<String>, width: f64) -> Self {
        let widest = names.iter().map(|name| text_width(name)).fold(0.0, f64::max);
        let pitch = widest + 44.0;
        let fits = |columns: &usize| *columns as f64 * pitch <= width - 2.0 * GAP;
        let columns = (1..=names.len()).rev().find(fits).unwrap_or(1);
        Self { heading, names, pitch, columns }
    }

    pub(crate) fn height(&self) -> f64 {
        (self.heading_lines() + self.names.len().div_ceil(self.columns)) as f64 * TEXT_LINE
    }

    /// Draws the legend with the baseline of its first line at `top`. `key` draws the symbol of an entry around a
    /// point.
    pub(crate) fn draw(&self, out: &mut Markup, top: f64, key: impl Fn(&mut Markup, usize, Point)) {
        out.nest("g", &[("class", "legend")], |out| {
            if !self.heading.is_empty() {
                text(out, Point::new(GAP, top), "bold", self.heading);
            }
            for (place, name) in self.names.iter().enumerate() {
                let x = GAP + (place % self.columns) as f64 * self.pitch;
                let y = top + (place / self.columns + self.heading_lines()) as f64 * TEXT_LINE;
                key(out, place, Point::new(x + 0.5 * KEY_WIDTH, y - 4.0));
                text(out, Point::new(x + KEY_WIDTH + 6.0, y), "normal", name);
            }
        });
    }

    fn heading_lines(&self) -> usize {
        usize::from(!self.heading.is_empty())
    }
}
