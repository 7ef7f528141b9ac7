//! The shapes of a picture for paper, in points with y downwards.

use crate::geometry::Point;
use crate::pen_path::PenPath;

/// The shapes of one page, in the order of drawing.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Page {
    pub(super) size: Point,
    pub(super) shapes: Vec<Shape>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    Path {
        path: PenPath,
        /// Colour of the inside.
        fill: Option<String>,
        stroke: Option<Stroke>,
    },
    Text(Text),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stroke {
    pub(super) colour: String,
    pub(super) width: f64,
    /// Lengths of a dash and of a gap.
    pub(super) dashes: Option<[f64; 2]>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Text {
    /// The left end of the baseline.
    pub(super) at: Point,
    pub(super) size: f64,
    pub(super) colour: &'static str,
    pub(super) is_bold: bool,
    /// Width of a white border.
    pub(super) halo: Option<f64>,
    pub(super) words: String,
}
