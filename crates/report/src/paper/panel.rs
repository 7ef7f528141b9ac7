//! A panel of a picture for paper: the network, lines on it, and the names.

use lockstep_schedule::Step;
use lockstep_topology::{ChannelId, Topology};

use super::helvetica;
use super::shape::{Shape, Stroke, Text};
use crate::geometry::Point;
use crate::labels;
use crate::painter::{self, FAILED, LINE, MarkStyle, Painter};
use crate::pen_path::PenPath;
use crate::scene::Scene;

/// Labels below this size are left out.
pub(super) const LEGIBLE: f64 = 3.5;
/// Least widths of the lines of channels and of transfers.
const LEAST_LINES: [f64; 2] = [0.5, 1.0];
/// Colours of channels and their arrow heads, dark enough for print.
const CHANNEL: [&str; 2] = ["#9a9a9a", "#8a8a8a"];

/// The place of a panel.
pub(super) struct Panel {
    /// Points per unit of the scene.
    pub(super) scale: f64,
    /// The upper left corner.
    pub(super) corner: Point,
}

impl Panel {
    fn at(&self, point: Point) -> Point {
        self.corner + point * self.scale
    }

    fn stroke(&self, colour: &str, [width, least]: [f64; 2], dashes: Option<[f64; 2]>) -> Stroke {
        let dashes = dashes.map(|dashes| dashes.map(|length| (length * self.scale).max(1.0)));
        Stroke { colour: colour.to_owned(), width: (width * self.scale).max(least), dashes }
    }

    /// Draws a path of the scene.
    fn path(&self, shapes: &mut Vec<Shape>, path: &PenPath, fill: Option<&str>, stroke: Option<Stroke>) {
        if !path.is_empty() {
            let path = path.mapped(|point| self.at(point));
            shapes.push(Shape::Path { path, fill: fill.map(str::to_owned), stroke });
        }
    }

    /// Draws a line of a width in the scene.
    pub(super) fn line(&self, shapes: &mut Vec<Shape>, path: &PenPath, colour: &str, width: f64) {
        self.path(shapes, path, None, Some(self.stroke(colour, [width, LEAST_LINES[0]], None)));
    }

    /// Draws an area.
    pub(super) fn area(&self, shapes: &mut Vec<Shape>, path: &PenPath, colour: &str) {
        self.path(shapes, path, Some(colour), None);
    }

    /// Draws the marks, with the border of each node in its colour, and some channels.
    pub(super) fn network(
        &self,
        shapes: &mut Vec<Shape>,
        (topology, scene): (&Topology, &Scene),
        borders: &[Option<String>],
        is_drawn: impl Fn(ChannelId) -> bool,
    ) {
        let lines = painter::channel_lines(topology, scene, is_drawn);
        let width = [1.0, LEAST_LINES[0]];
        self.path(shapes, &lines.working, None, Some(self.stroke(CHANNEL[0], width, None)));
        self.path(shapes, &lines.failed, None, Some(self.stroke(FAILED, width, Some([3.0, 2.0]))));
        self.area(shapes, &lines.arrows, CHANNEL[1]);
        for mark in &scene.marks {
            let border = borders.get(mark.node.index()).and_then(Option::as_deref);
            let MarkStyle { fill, colour, width, is_dashed } = painter::mark_style(mark.role, border);
            let stroke = self.stroke(colour, [width, LEAST_LINES[0]], is_dashed.then_some([3.0, 2.0]));
            let fill = Some(fill).filter(|&fill| fill != "none");
            self.path(shapes, &PenPath::outline(mark.centre, mark.outline), fill, Some(stroke));
        }
    }

    /// Draws the transfers of a step.
    pub(super) fn transfers(&self, shapes: &mut Vec<Shape>, painter: &Painter<'_>, step: &Step<'_>) {
        for (transfer, conflict) in painter.transfers(step) {
            let colour = painter.colouring.colour(painter.colouring.place(transfer.message));
            let (line, arrow) = painter.path_line(transfer.path);
            let dashes = conflict.then_some([5.0, 4.0]);
            self.path(shapes, &line, None, Some(self.stroke(&colour, [LINE, LEAST_LINES[1]], dashes)));
            self.area(shapes, &arrow, &colour);
        }
    }

    /// Draws the names of the nodes that are large enough to read.
    pub(super) fn names(&self, shapes: &mut Vec<Shape>, scene: &Scene) {
        for (mark, size, colour) in painter::label_styles(scene) {
            self.text(shapes, mark.label_at, (&labels::visible(&mark.label), size), colour);
        }
    }

    /// Draws a text of a size in the scene around a point, if it is large enough to read.
    pub(super) fn text(
        &self,
        shapes: &mut Vec<Shape>,
        middle: Point,
        (words, size): (&str, f64),
        colour: &'static str,
    ) {
        let size = size * self.scale;
        if size >= LEGIBLE {
            let at = self.at(middle) + Point::new(-0.5 * helvetica::width(words, size, false), 0.36 * size);
            let (halo, words) = (Some(2.5 * self.scale), words.to_owned());
            shapes.push(Shape::Text(Text { at, size, colour, is_bold: false, halo, words }));
        }
    }
}
